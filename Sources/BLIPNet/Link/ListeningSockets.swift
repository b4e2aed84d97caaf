// Opens the sockets that a listener accepts on. Used by `TCPListener` and `LinkListener`.

internal import CLinux
internal import Glibc

/// The bound, listening sockets of one endpoint (several when it means both IP families), and what must be removed
/// later.
struct ListeningSockets: Sendable {
    let sockets: [Socket]
    /// Where the sockets listen, the port filled in.
    let endpoint: Endpoint
    /// The socket file that we made.
    let file: FileIdentity?

    /// The connections that the kernel holds until they are accepted.
    private static let backlog: Int32 = 1024
    /// How many times we look for a free port that all addresses can have.
    private static let portAttempts = 16

    /// Opens `endpoint`. The hosts `::` and `*` mean every address of both families, `localhost` and `loopback` the
    /// loopback addresses of both; with an `interface` only its addresses (or the one that it names) are bound.
    static func open(
        _ endpoint: Endpoint, interface: String? = nil, policy: AddressPolicy = AddressPolicy()
    ) throws(NetError) -> ListeningSockets {
        switch endpoint {
        case .unix(let path): return try openUNIX(path)
        case .host(let host, let port):
            if let interface {
                let local = try LocalInterface(interface, port: port)
                if !local.addresses.isEmpty {
                    return try openTogether(local.addresses, policy, host: local.addresses[0].hostText)
                }
                return try open(.host(host, port: local.port), policy: policy)
            }
            switch host {
            case "::", "*": return try openTogether(numeric(["::", "0.0.0.0"], port), policy, host: "::")
            case "localhost", "loopback":
                return try openTogether(numeric(["127.0.0.1", "::1"], port), policy, host: "localhost")
            default: return try openFirst(host, port, policy)
            }
        }
    }

    // MARK: TCP

    private static func numeric(_ hosts: [String], _ port: UInt16) -> [SocketAddress] {
        hosts.compactMap { SocketAddress(host: $0, port: port) }
    }

    /// Listens on the first address of a host that can be bound.
    private static func openFirst(
        _ host: String, _ port: UInt16, _ policy: AddressPolicy
    ) throws(NetError) -> ListeningSockets {
        let addresses = try NameResolver.ownAddresses(of: host, port: port).get()
        var failure = NetError.dns(host: host, reason: "no address of an allowed family")
        for address in NameResolver.interleaved(addresses, policy) {
            do throws(NetError) {
                let socket = try listen(on: address)
                return ListeningSockets(
                    sockets: [socket], endpoint: .host(host, port: try boundPort(socket)), file: nil)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Listens on all of `addresses` at the same port. A family that this machine does not have is left out.
    private static func openTogether(
        _ addresses: [SocketAddress], _ policy: AddressPolicy, host: String
    ) throws(NetError) -> ListeningSockets {
        let addresses = NameResolver.interleaved(addresses, policy)
        var failure = NetError.dns(host: host, reason: "no address of an allowed family")
        for _ in 0..<portAttempts {
            var sockets: [Socket] = []
            var port = addresses.first?.port ?? 0
            var isTaken = false
            for address in addresses {
                do throws(NetError) {
                    let socket = try listen(on: address.withPort(port))
                    port = try boundPort(socket)
                    sockets.append(socket)
                } catch {
                    guard !meansNoSuchFamily(error) else {
                        failure = error
                        continue
                    }
                    // Somebody else has this port in the other family: with a free choice, try the next one.
                    guard case .posix(_, EADDRINUSE) = error, addresses[0].port == 0, !sockets.isEmpty else {
                        throw error
                    }
                    failure = error
                    isTaken = true
                    break
                }
            }
            if isTaken { continue }
            guard let first = sockets.first else { throw failure }
            // A single socket can say its own address; several go by the host that the caller named.
            let name = sockets.count == 1 ? first.localAddress?.hostText ?? host : host
            return ListeningSockets(sockets: sockets, endpoint: .host(name, port: port), file: nil)
        }
        throw failure
    }

    private static func meansNoSuchFamily(_ error: NetError) -> Bool {
        guard case .posix(_, let number) = error else { return false }
        return number == EAFNOSUPPORT || number == EADDRNOTAVAIL
    }

    private static func listen(on address: SocketAddress) throws(NetError) -> Socket {
        let socket = try Socket.open(family: address.family)
        if address.family != AF_UNIX {
            // A port whose last connections are in TIME_WAIT may be taken again.
            try check("setsockopt", socket.setOption(SOL_SOCKET, SO_REUSEADDR, 1))
        }
        if address.family == AF_INET6 {
            try check("setsockopt", socket.setOption(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1))
        }
        try check("bind", address.withSockaddr { bind(socket.descriptor, $0, $1) } == 0 ? 0 : errno)
        try check("listen", Glibc.listen(socket.descriptor, backlog) == 0 ? 0 : errno)
        return socket
    }

    private static func check(_ call: String, _ number: Int32) throws(NetError) {
        guard number == 0 else { throw .posix(call: call, errno: number) }
    }

    private static func boundPort(_ socket: Socket) throws(NetError) -> UInt16 {
        guard case .host(_, let port)? = socket.localAddress?.endpoint else {
            throw .posix(call: "getsockname", errno: errno)
        }
        return port
    }

    // MARK: UNIX

    /// Listens at `path` with mode 0600. A file that is there already is removed only if it is a socket on which
    /// nobody listens any more.
    private static func openUNIX(_ path: String) throws(NetError) -> ListeningSockets {
        guard let address = SocketAddress(unixPath: path) else {
            throw .posix(call: "bind", errno: ENAMETOOLONG)
        }
        try removeStale(path, address)
        let socket = try Socket.open(family: AF_UNIX)
        try check("bind", address.withSockaddr { bind(socket.descriptor, $0, $1) } == 0 ? 0 : errno)
        // Before listen(2) nobody can connect, so there is no moment in which others could.
        guard let file = FileIdentity(path: path) else { throw .posix(call: "lstat", errno: errno) }
        do throws(NetError) {
            try check("chmod", chmod(path, 0o600) == 0 ? 0 : errno)
            try check("listen", Glibc.listen(socket.descriptor, backlog) == 0 ? 0 : errno)
        } catch {
            file.removeIfUnchanged()
            throw error
        }
        return ListeningSockets(sockets: [socket], endpoint: .unix(path: path), file: file)
    }

    private static func removeStale(_ path: String, _ address: SocketAddress) throws(NetError) {
        guard let file = FileIdentity(path: path) else { return }
        guard file.isSocket else { throw .posix(call: "bind", errno: EADDRINUSE) }
        let probe = try Socket.open(family: AF_UNIX)
        guard probe.connect(to: address) == ECONNREFUSED else { throw .posix(call: "bind", errno: EADDRINUSE) }
        file.removeIfUnchanged()
    }

    /// Removes the socket file, unless it is another one by now.
    func removeFile() { file?.removeIfUnchanged() }
}

/// The identity of the file that was at a path.
struct FileIdentity: Sendable {
    private let path: String
    private let device: dev_t
    private let inode: ino_t
    let isSocket: Bool

    /// `nil` when there is no file; links are not followed.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
    }

    func removeIfUnchanged() {
        guard let now = FileIdentity(path: path), now.device == device, now.inode == inode else { return }
        unlink(path)
    }
}
