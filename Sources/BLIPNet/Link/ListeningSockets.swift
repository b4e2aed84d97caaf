// Opens the sockets that a listener accepts on. Used by `LinkListener` only.

internal import CLinux
internal import Glibc

/// The bound, listening sockets of one endpoint (two when it means both IP families), and what must be removed later.
struct ListeningSockets: Sendable {
    let sockets: [Socket]
    /// Where the sockets listen, the port filled in.
    let endpoint: Endpoint
    /// The socket file that we made.
    let file: FileIdentity?

    /// The connections that the kernel holds until they are accepted.
    private static let backlog: Int32 = 1024
    /// How often a free port is looked for that both families can have.
    private static let portAttempts = 16

    /// Opens `endpoint`. The hosts `::` and `*` mean every address of both families.
    static func open(_ endpoint: Endpoint) throws(LinkError) -> ListeningSockets {
        switch endpoint {
        case .unix(let path): return try openUNIX(path)
        case .host(let host, let port):
            if host == "::" || host == "*" { return try openBothFamilies(port: port) }
            let addresses = try NameResolver.addresses(of: host, port: port, flags: AI_PASSIVE).get()
            var failure = LinkError.unresolvable(host: host, reason: "no address")
            for address in addresses {
                do throws(LinkError) {
                    let socket = try listen(on: address)
                    return ListeningSockets(
                        sockets: [socket], endpoint: .host(host, port: try boundPort(socket)), file: nil)
                } catch {
                    failure = error
                }
            }
            throw failure
        }
    }

    // MARK: TCP

    private static func openBothFamilies(port: UInt16) throws(LinkError) -> ListeningSockets {
        guard let any6 = NameResolver.numeric(host: "::", port: port)?.first else {
            throw .unresolvable(host: "::", reason: "not an address")
        }
        var attempt = 0
        while true {
            attempt += 1
            let first: Socket
            do throws(LinkError) { first = try listen(on: any6) } catch {
                guard Self.meansNoIPv6(error) else { throw error }
                // A machine without IPv6 listens on IPv4 alone.
                let only = try listen(onAny4: port)
                return ListeningSockets(
                    sockets: [only], endpoint: .host("0.0.0.0", port: try boundPort(only)), file: nil)
            }
            let bound = try boundPort(first)
            do throws(LinkError) {
                let second = try listen(onAny4: bound)
                return ListeningSockets(sockets: [first, second], endpoint: .host("::", port: bound), file: nil)
            } catch {
                // Somebody else has this port in the other family: with a free choice, try the next one.
                guard port == 0, case .transport(_, EADDRINUSE) = error, attempt < portAttempts else { throw error }
            }
        }
    }

    private static func meansNoIPv6(_ error: LinkError) -> Bool {
        guard case .transport(_, let number) = error else { return false }
        return number == EAFNOSUPPORT || number == EADDRNOTAVAIL
    }

    private static func listen(onAny4 port: UInt16) throws(LinkError) -> Socket {
        guard let address = NameResolver.numeric(host: "0.0.0.0", port: port)?.first else {
            throw .unresolvable(host: "0.0.0.0", reason: "not an address")
        }
        return try listen(on: address)
    }

    private static func listen(on address: SocketAddress) throws(LinkError) -> Socket {
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

    private static func check(_ call: String, _ number: Int32) throws(LinkError) {
        guard number == 0 else { throw .transport(call: call, errno: number) }
    }

    private static func boundPort(_ socket: Socket) throws(LinkError) -> UInt16 {
        guard case .host(_, let port)? = socket.localAddress?.endpoint else {
            throw .transport(call: "getsockname", errno: errno)
        }
        return port
    }

    // MARK: UNIX

    /// Listens at `path` with mode 0600. A file that is there already is removed only if it is a socket on which
    /// nobody listens any more.
    private static func openUNIX(_ path: String) throws(LinkError) -> ListeningSockets {
        guard let address = SocketAddress(unixPath: path) else {
            throw .transport(call: "bind", errno: ENAMETOOLONG)
        }
        try removeStale(path, address)
        let socket = try Socket.open(family: AF_UNIX)
        try check("bind", address.withSockaddr { bind(socket.descriptor, $0, $1) } == 0 ? 0 : errno)
        // Before listen(2) nobody can connect, so there is no moment in which others could.
        guard let file = FileIdentity(path: path) else { throw .transport(call: "lstat", errno: errno) }
        do throws(LinkError) {
            try check("chmod", chmod(path, 0o600) == 0 ? 0 : errno)
            try check("listen", Glibc.listen(socket.descriptor, backlog) == 0 ? 0 : errno)
        } catch {
            file.removeIfUnchanged()
            throw error
        }
        return ListeningSockets(sockets: [socket], endpoint: .unix(path: path), file: file)
    }

    private static func removeStale(_ path: String, _ address: SocketAddress) throws(LinkError) {
        guard let file = FileIdentity(path: path) else { return }
        guard file.isSocket else { throw .transport(call: "bind", errno: EADDRINUSE) }
        let probe = try Socket.open(family: AF_UNIX)
        guard probe.connect(to: address) == ECONNREFUSED else { throw .transport(call: "bind", errno: EADDRINUSE) }
        file.removeIfUnchanged()
    }

    /// Removes the socket file, unless it is another one by now.
    func removeFile() { file?.removeIfUnchanged() }
}

/// Which file stood at a path.
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
