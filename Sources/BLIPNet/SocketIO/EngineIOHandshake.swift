// The open packet: what the server says of the connection (SOCKETIO, "Bytes"; traps 8 and 9).

/// The server's terms. Durations are as announced; `EngineIOHeartbeat` makes sense of those that are too short.
package struct EngineIOHandshake: Sendable, Equatable {
    /// Names the session in every further request: 1 to 256 visible ASCII characters. A secret: anybody who has it can speak
    /// for us.
    package var sid: String
    /// Transports that the session can move to.
    package var upgrades: [String]
    /// Between pings: 0 s to 1 day. Servers of Python announce whole seconds only, so 0 is any time below one.
    package var pingInterval: Duration
    /// For the answer to a ping: 0 s to 1 day.
    package var pingTimeout: Duration
    /// Bytes that one POST may have; `nil` where the server does not say.
    package var maxPayload: Int?

    /// Whether the server offers to move the session to a WebSocket.
    var offersWebSocket: Bool { upgrades.contains("websocket") }

    /// Reads the JSON of an open packet.
    package init(_ packet: EngineIOPacket) throws(SocketIOFault) {
        var rules = JSONRules()
        rules.maxDepth = 8
        rules.maxValues = 256
        rules.repairsSurrogates = true
        rules.keepsDigits = true
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.read(Array(packet.text.utf8), rules: rules)
        } catch {
            // The digit of the type comes first.
            throw SocketIOFault(.engineIO, .badJSON(error.reason), offset: error.offset + 1)
        }
        guard case .object = json else { throw SocketIOFault(.engineIO, .badShape("an object"), offset: 1) }
        guard let sid = json["sid"]?.stringValue, (1...256).contains(sid.utf8.count),
            sid.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Self.badField("sid") }
        self.sid = sid
        upgrades = try Self.upgrades(json["upgrades"])
        pingInterval = try Self.milliseconds(json, "pingInterval")
        pingTimeout = try Self.milliseconds(json, "pingTimeout")
        switch json["maxPayload"] {
        case nil, .null: maxPayload = nil
        case .integer(let value) where (1...Int64(1) << 40).contains(value): maxPayload = Int(value)
        default: throw Self.badField("maxPayload")
        }
    }

    private static func upgrades(_ json: JSONValue?) throws(SocketIOFault) -> [String] {
        guard let json else { return [] }
        guard let names = json.arrayValue, names.count <= 16 else { throw badField("upgrades") }
        var upgrades: [String] = []
        for name in names {
            guard let name = name.stringValue else { throw badField("upgrades") }
            upgrades.append(name)
        }
        return upgrades
    }

    private static func milliseconds(_ json: JSONValue, _ name: String) throws(SocketIOFault) -> Duration {
        guard let value = json[name]?.doubleValue, (0...86_400_000).contains(value) else { throw badField(name) }
        return .milliseconds(Int64(value))
    }

    private static func badField(_ name: String) -> SocketIOFault { SocketIOFault(.engineIO, .badField(name)) }
}

extension EngineIOHandshake: CustomStringConvertible {
    /// For logs: without the sid.
    package var description: String {
        "upgrades \(upgrades), ping every \(pingInterval), timeout \(pingTimeout), \(maxPayload.map(String.init) ?? "any") bytes"
    }
}
