// The facts known about an established connection, for screens and logs.

internal import Glibc

/// Both ends of a connection and how it is protected.
public struct ConnectionInfo: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case ipv4
        case ipv6
        case unix
    }

    package var kind: Kind
    /// We called the peer, not the peer us.
    public var isOutgoing: Bool
    public var local: Endpoint
    public var remote: Endpoint
    package var localAddress: SocketAddress?
    package var remoteAddress: SocketAddress?
    /// The user at the other end of a UNIX-domain socket.
    public var peerUser: UInt32?
    /// `nil` while the connection is not encrypted.
    public var tls: TLSDetails?

    public var isIPv4: Bool { kind == .ipv4 }
    public var isIPv6: Bool { kind == .ipv6 }
    var isSecure: Bool { tls != nil }

    /// `called` is where we have connected to, which a UNIX-domain socket does not tell.
    init(_ socket: Socket, isOutgoing: Bool, called: Endpoint? = nil) {
        let (local, remote) = (socket.localAddress, socket.remoteAddress)
        kind =
            switch (remote ?? local)?.family {
            case AF_INET: .ipv4
            case AF_INET6: .ipv6
            default: .unix
            }
        self.isOutgoing = isOutgoing
        localAddress = local
        remoteAddress = remote
        self.local = local?.endpoint ?? .unix(path: "")
        self.remote = (kind == .unix ? called : nil) ?? remote?.endpoint ?? .unix(path: "")
        peerUser = kind == .unix ? socket.peerUser : nil
    }
}
