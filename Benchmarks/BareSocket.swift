// A blocking socket without any protocol of ours: what the baselines and the WebSocket client are made of.

internal import Glibc

/// A system call of the benchmark failed.
struct SystemCallFailure: Error {
    var call: String
    var number: Int32

    init(_ call: String) {
        self.call = call
        number = errno
    }
}

/// One blocking TCP socket on loopback. Closed when nobody refers to it any more.
final class BareSocket: Sendable {
    let descriptor: Int32

    init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func with<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    static func connect(port: UInt16) throws -> BareSocket {
        let socket = BareSocket(adopting: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = loopback(port)
        guard with(&address, { Glibc.connect(socket.descriptor, $0, $1) }) == 0 else {
            throw SystemCallFailure("connect")
        }
        return socket
    }

    /// A listening socket and its port.
    static func listen() throws -> (BareSocket, UInt16) {
        let socket = BareSocket(adopting: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = loopback(0)
        guard with(&address, { bind(socket.descriptor, $0, $1) }) == 0, Glibc.listen(socket.descriptor, 16) == 0 else {
            throw SystemCallFailure("listen")
        }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard with(&address, { pointer, _ in getsockname(socket.descriptor, pointer, &length) }) == 0 else {
            throw SystemCallFailure("getsockname")
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    func accept() -> BareSocket? {
        let accepted = Glibc.accept(descriptor, nil, nil)
        return accepted >= 0 ? BareSocket(adopting: accepted) : nil
    }

    /// The other side has closed, or the connection broke.
    struct Ended: Error {}

    /// What is there, at most `buffer.count`; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        max(recv(descriptor, buffer.baseAddress, buffer.count, 0), 0)
    }

    /// Exactly `buffer.count` bytes.
    func readAll(into buffer: UnsafeMutableRawBufferPointer) throws(Ended) {
        guard buffer.isEmpty || recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_WAITALL)) == buffer.count
        else { throw Ended() }
    }

    func writeAll(_ bytes: UnsafeRawBufferPointer) throws(Ended) {
        var rest = bytes
        while !rest.isEmpty {
            let count = send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { throw Ended() }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }
}
