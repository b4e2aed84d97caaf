// Blocking sockets without any protocol of ours: the baselines, and what both sides of them share.

internal import BLIPNet
internal import Glibc
internal import Workbench

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

    /// What is there, at most `buffer.count`; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        max(recv(descriptor, buffer.baseAddress, buffer.count, 0), 0)
    }

    /// Exactly `buffer.count` bytes; `false` at the end.
    func readAll(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        buffer.isEmpty || recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_WAITALL)) == buffer.count
    }

    @discardableResult
    func writeAll(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }
}

/// What a bare connection asks for with its first nine bytes: one letter and, for `sink`, a big-endian byte count.
enum BareRequest {
    static let echo = UInt8(ascii: "e")
    static let sink = UInt8(ascii: "s")

    static func bytes(_ letter: UInt8, count: Int = 0) -> [UInt8] {
        [letter] + withUnsafeBytes(of: UInt64(count).bigEndian, Array.init)
    }

    static func count(_ bytes: [UInt8]) -> Int {
        Int(truncatingIfNeeded: bytes.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}

/// The client of the bare-socket baselines.
struct BareClient {
    private let port: UInt16
    private let clock = ContinuousClock()
    /// As much as a BLIP frame carries.
    static let writeSize = 16_384

    init(port: UInt16) throws { self.port = port }

    private func open(_ letter: UInt8, count: Int = 0) -> BareSocket? {
        guard let socket = try? BareSocket.connect(port: port) else { return nil }
        BareRequest.bytes(letter, count: count).withUnsafeBytes { _ = socket.writeAll($0) }
        return socket
    }

    func sequentialEchoes(for duration: Duration) -> Rate { echoes(depth: 1, for: duration) }

    /// `depth` messages are written with one call each, then as many answers are read.
    func pipelinedEchoes(depth: Int, for duration: Duration) -> Rate { echoes(depth: depth, for: duration) }

    private func echoes(depth: Int, for duration: Duration) -> Rate {
        guard let socket = open(BareRequest.echo) else { return Rate(count: 0, elapsed: duration) }
        let message = [UInt8](repeating: 1, count: 32)
        var answer = [UInt8](repeating: 0, count: 32)
        let start = clock.now
        var count = 0
        while clock.now - start < duration {
            for _ in 0..<depth { message.withUnsafeBytes { _ = socket.writeAll($0) } }
            for _ in 0..<depth { answer.withUnsafeMutableBytes { _ = socket.readAll(into: $0) } }
            count += depth
        }
        return Rate(count: count, elapsed: clock.now - start)
    }

    func echoLatencies(samples: Int) -> Latencies {
        guard let socket = open(BareRequest.echo) else { return Latencies([]) }
        let message = [UInt8](repeating: 1, count: 32)
        var answer = [UInt8](repeating: 0, count: 32)
        return Latencies(
            (0..<samples).map { _ in
                let start = clock.now
                message.withUnsafeBytes { _ = socket.writeAll($0) }
                answer.withUnsafeMutableBytes { _ = socket.readAll(into: $0) }
                return clock.now - start
            })
    }

    /// Writes `byteCount` bytes and waits for the word that they have arrived.
    func push(_ byteCount: Int) -> Rate {
        guard let socket = open(BareRequest.sink, count: byteCount) else {
            return Rate(count: 0, elapsed: .seconds(1))
        }
        let block = [UInt8](repeating: 0, count: Self.writeSize)
        var done = [UInt8](repeating: 0, count: 1)
        let start = clock.now
        for _ in 0..<(byteCount / block.count) { block.withUnsafeBytes { _ = socket.writeAll($0) } }
        done.withUnsafeMutableBytes { _ = socket.readAll(into: $0) }
        return Rate(count: byteCount, elapsed: clock.now - start)
    }
}

/// The client of the bare-TLS baseline: the same bytes in TLS records, without WebSocket and BLIP.
struct BareTLSClient {
    private let port: UInt16
    private let identity: TLSIdentity

    init(port: UInt16, identity: TLSIdentity) throws {
        self.port = port
        self.identity = identity
    }

    func push(_ byteCount: Int) throws -> Rate {
        let connection = try BareTLSConnection(
            socket: BareSocket.connect(port: port), role: .client, identity: identity)
        try connection.handshake()
        try connection.write(BareRequest.bytes(BareRequest.sink, count: byteCount))
        let block = [UInt8](repeating: 0, count: BareClient.writeSize)
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<(byteCount / block.count) { try connection.write(block) }
        _ = try connection.read(atLeast: 1)
        return Rate(count: byteCount, elapsed: clock.now - start)
    }
}

/// TLS over a blocking socket.
final class BareTLSConnection {
    private let socket: BareSocket
    private let session: TLSSession
    private var output = ByteQueue()
    private var input = ByteQueue()
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    struct Ended: Error {}

    init(socket: BareSocket, role: TLSSession.Role, identity: TLSIdentity) throws {
        self.socket = socket
        session = try TLSSession(role: role, identity: identity)
    }

    func handshake() throws {
        flush()
        while !session.isEstablished {
            try receive()
            flush()
        }
    }

    func write(_ bytes: [UInt8]) throws {
        let written = bytes.withUnsafeBytes { bytes in Result { try session.write(bytes) } }
        try written.get()
        flush()
    }

    /// Waits for at least `count` bytes and returns how many there were; they are dropped.
    func read(atLeast count: Int) throws -> Int {
        while input.count < count { try receive() }
        defer { input.removeAll() }
        return input.count
    }

    /// Waits for exactly `count` bytes.
    func take(_ count: Int) throws -> [UInt8] {
        while input.count < count { try receive() }
        defer { input.consume(count) }
        return input.withUnsafeBytes { Array($0[..<count]) }
    }

    private func receive() throws {
        let count = buffer.withUnsafeMutableBytes { socket.read(into: $0) }
        guard count > 0 else { throw Ended() }
        let received = buffer.withUnsafeBytes { bytes in
            Result { try session.receive(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
        }
        try received.get()
        while try session.read(into: &input, max: 1 << 16) > 0 {}
    }

    private func flush() {
        while session.nextOutgoing(into: &output) {}
        _ = output.withUnsafeBytes { socket.writeAll($0) }
        output.removeAll()
    }
}
