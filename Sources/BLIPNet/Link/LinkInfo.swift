// The facts known about an open link, for screens and logs.

/// Both ends of a link and how they speak.
public struct LinkInfo: Sendable, Equatable {
    /// The address of the peer, as `Endpoint.description` writes it.
    public var remoteAddress: String
    package var localAddress: String
    /// The numeric host part of `localAddress`, without the zone of a link-local address.
    package var localHost: String? {
        guard case .host(let host, _) = Endpoint(localAddress) else { return nil }
        return String(host.prefix { $0 != "%" })
    }
    /// The numeric host part of `remoteAddress`; `unix` for a UNIX-domain socket.
    package var remoteHost: String
    /// The caller that the peer counts as where each may have so much (`SocketAddress.network`). All callers of a relay
    /// are one, and so are those of our onion service: nobody knows where they really are.
    package var remoteNetwork: String {
        if let relay { return "relay \(relay)" }
        if isOnion { return "onion" }
        return SocketAddress(host: remoteHost, port: 0)?.network ?? remoteHost
    }
    public var isEncrypted: Bool
    /// We called the peer, not the peer us.
    public var isOutgoing: Bool
    /// The proxy through which the peer was called.
    package var proxy: Endpoint?
    /// The relay that carries the link; `nil` when the ends are connected to each other.
    package var relay: Endpoint?
    /// The link goes through Tor: where the other side is, nobody knows.
    package var isOnion = false
    /// The secret of the two ends of the TLS session (label `EXPORTER-blipchat-meet`), from the end of the handshake
    /// on.
    package var exporter: [UInt8]?
    /// The key that the peer has proved to have; `nil` on a plain link.
    public var remoteFingerprint: SPKIFingerprint?
    /// The WebSocket subprotocol that both agreed on; `nil` when one side named none.
    package var subprotocol: String?
    /// The application of the requests (`LinkOptions.application`); `nil` when the subprotocol does not say.
    package var application: String?
    /// When the connection was begun or taken.
    package var began: MonotonicTime?
    /// The dialect that is spoken, from the end of the handshake on.
    public var dialect: BLIPDialect?
}
