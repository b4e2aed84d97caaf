// The commands that we send to tor on its control port (Tor's control-spec, section 3).

/// A command.
package enum TorCommand: Sendable, Equatable {
    case protocolInfo
    /// 32 bytes by chance.
    case challenge([UInt8])
    /// Proves that we know the cookie; without one, that there is none.
    case authenticate([UInt8])
    /// Tor ends when this connection does.
    case takeOwnership
    case setEvents([String])
    case getInfo(String)
    /// `target`: where tor brings callers of our port, `unix:PATH` or `HOST:PORT`.
    case addOnion(OnionService, target: String)
    /// The id that the reply to `addOnion` has.
    case deleteOnion(String)

    /// The port of our service.
    package static let port: UInt16 = 4985

    /// The line without its end.
    package var text: String {
        switch self {
        case .protocolInfo: "PROTOCOLINFO 1"
        case .challenge(let nonce): "AUTHCHALLENGE SAFECOOKIE \(nonce.hex)"
        case .authenticate(let hash): hash.isEmpty ? "AUTHENTICATE" : "AUTHENTICATE \(hash.hex)"
        case .takeOwnership: "TAKEOWNERSHIP"
        case .setEvents(let names): "SETEVENTS \(names.joined(separator: " "))"
        case .getInfo(let key): "GETINFO \(key)"
        case .addOnion(let service, let target):
            "ADD_ONION ED25519-V3:\(Base64.encode(service.expandedKey)) Flags=DiscardPK Port=\(Self.port),\(target)"
        case .deleteOnion(let id): "DEL_ONION \(id)"
        }
    }

    var bytes: [UInt8] { Array((text + "\r\n").utf8) }
}
