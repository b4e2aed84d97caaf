// A TCP socket with nothing around it: what a proxy needs that must be able to break connections.

internal import BLIPNet
internal import Glibc

/// A descriptor that is closed with the value. Non-blocking.
final class RawSocket: Sendable {
    let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// The bytes of a `sockaddr`.
    struct Address: Sendable {
        var bytes: [UInt8]
        var family: Int32

        func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result?) -> Result? {
            bytes.withUnsafeBytes { raw in
                raw.bindMemory(to: sockaddr.self).baseAddress.flatMap { body($0, socklen_t(raw.count)) }
            }
        }
    }

    /// The first address of a host; blocks for the resolver when it is a name.
    static func address(of endpoint: Endpoint) throws(FaultProxyError) -> Address {
        guard case .host(let host, let port) = endpoint else { throw FaultProxyError("getaddrinfo", EAFNOSUPPORT) }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0, let first = list?.pointee, let address = first.ai_addr else {
            throw FaultProxyError("getaddrinfo", code == EAI_SYSTEM ? errno : EADDRNOTAVAIL)
        }
        return Address(
            bytes: Array(UnsafeRawBufferPointer(start: address, count: Int(first.ai_addrlen))),
            family: first.ai_family)
    }

    private static func open(_ family: Int32) -> RawSocket? {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        return descriptor < 0 ? nil : RawSocket(descriptor)
    }

    static func listen(on address: Address) throws(FaultProxyError) -> RawSocket {
        guard let socket = open(address.family) else { throw FaultProxyError("socket", errno) }
        socket.set(SOL_SOCKET, SO_REUSEADDR, 1)
        guard address.withPointer({ bind(socket.descriptor, $0, $1) }) == 0 else {
            throw FaultProxyError("bind", errno)
        }
        guard Glibc.listen(socket.descriptor, 1024) == 0 else { throw FaultProxyError("listen", errno) }
        return socket
    }

    /// Begins to connect; `writable` or an error follow. `nil` when not even that is possible.
    static func connect(to address: Address) -> RawSocket? {
        guard let socket = open(address.family) else { return nil }
        socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        let code = address.withPointer { Glibc.connect(socket.descriptor, $0, $1) }
        return code == 0 || errno == EINPROGRESS ? socket : nil
    }

    /// The next caller, `nil` when none waits.
    func accept() -> RawSocket? {
        let caller = Glibc.accept(descriptor, nil, nil)
        guard caller >= 0 else { return nil }
        let socket = RawSocket(caller)
        _ = fcntl(caller, F_SETFL, O_NONBLOCK)
        _ = fcntl(caller, F_SETFD, FD_CLOEXEC)
        socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        return socket
    }

    var localPort: UInt16? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard code == 0 else { return nil }
        // The port is at the same place for both families.
        return withUnsafeBytes(of: storage) { UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    /// Whether a connection that was begun has failed.
    var hasFailed: Bool {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) != 0 || code != 0
    }

    /// Closing sends RST, and what was not sent is dropped.
    func breakWhenClosed() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    private func set(_ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
