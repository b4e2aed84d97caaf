// How a connection of ours looks from outside: asked of a server that stores it for others (REACH 4, observer.json).

/// The address of a stdiscosrv and the id that its certificate must have. We tell it nothing about us: each question uses a new
/// certificate.
package struct OutsideObserver: Sendable, Hashable {
    package var host: String
    package var port: UInt16
    package var id: RelayID

    /// Bytes of an answer that are read at most: anybody may have stored something there.
    static let mostBytes = 4096
    /// For the connection, and for each answer.
    static let step = Duration.seconds(3)

    package init(host: String, port: UInt16, id: RelayID) {
        self.host = host
        self.port = port
        self.id = id
    }

    /// The address and port from which a connection from our `port` comes out; `nil` where the server does not say it, or is
    /// another one.
    package func place(of port: UInt16) async -> SocketAddress? {
        let identity: TLSIdentity
        var settings: HTTPClient.Settings
        do {
            identity = try TLSIdentity.generate(commonName: "blip")
            settings = HTTPClient.Settings(origin: try WebSocketURL("https://\(Endpoint.host(host, port: self.port))/"))
        } catch {
            return nil
        }
        guard let device = identity.relayID else { return nil }
        settings.tls.identity = identity
        settings.tls.trust = .certificate(id)
        settings.tls.reusesSessions = false
        settings.proxy = .direct
        settings.connect.localPort = port
        settings.connect.timeout = Self.step
        // Of several addresses of ours the one that contacts are called from is meant.
        settings.connect.addressPolicy.allowsIPv6 = false
        settings.handshakeTimeout = Self.step
        settings.limits.maxBodyBytes = Self.mostBytes
        let client = HTTPClient(settings)
        var announcement = HTTPRequest(method: .post, target: "/v2/")
        announcement.fields.append(name: "Content-Type", value: "application/json")
        // Zeros: the server puts in where the request came from.
        announcement.body = Array(#"{"addresses":["tcp://0.0.0.0:0"]}"#.utf8)
        let said = await client.send(announcement, deadline: .now() + Self.step)
        guard case .success(let response) = said, response.head.status == 204 else {
            await client.close()
            return nil
        }
        let question = HTTPRequest(target: "/v2/?device=\(Base32.encode(device.bytes).uppercased())")
        let answer = await client.send(question, deadline: .now() + Self.step)
        await client.close()
        guard case .success(let found) = answer, found.head.status == 200 else { return nil }
        return Self.place(in: found.body)
    }

    /// The first address of an answer that is a numeric one.
    static func place(in answer: [UInt8]) -> SocketAddress? {
        guard let json = try? JSONReader.read(answer), let addresses = json["addresses"]?.arrayValue else { return nil }
        let scheme = "tcp://"
        for text in addresses.compactMap(\.stringValue) where text.hasPrefix(scheme) {
            guard case .host(let host, let port)? = Endpoint(String(text.dropFirst(scheme.utf8.count))), port > 0,
                let address = SocketAddress(host: host, port: port)
            else { continue }
            return address
        }
        return nil
    }
}
