// The bare-TLS baseline: the bytes of the bare-socket one in TLS records, without WebSocket and BLIP.

internal import BLIPNet
internal import Glibc
internal import Workbench

/// The client of the bare-TLS baseline: the same bytes in TLS records, without WebSocket and BLIP.
struct BareTLSClient {
    private let port: UInt16
    private let identity: TLSIdentity

    init(port: UInt16, identity: TLSIdentity) {
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

    init(socket: BareSocket, role: TLSRole, identity: TLSIdentity) throws {
        self.socket = socket
        session = try TLSSession(role: role, identity: identity)
    }

    func handshake() throws {
        try flush()
        while !session.isEstablished {
            try receive()
            try flush()
        }
    }

    func write(_ bytes: [UInt8]) throws {
        let written = bytes.withUnsafeBytes { bytes in Result { try session.write(bytes) } }
        try written.get()
        try flush()
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
        guard count > 0 else { throw BareSocket.Ended() }
        let received = buffer.withUnsafeBytes { bytes in
            Result { try session.receive(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
        }
        try received.get()
        while try session.read(into: &input, max: 1 << 16) > 0 {}
    }

    private func flush() throws {
        while session.nextOutgoing(into: &output) {}
        try output.withUnsafeBytes { try socket.writeAll($0) }
        output.removeAll()
    }
}
