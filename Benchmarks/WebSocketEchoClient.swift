// The client of the WebSocket benchmark: cheap, blocking and the same for every server. The handshake is the product's;
// afterwards the same frame is written again and again, and what comes back is compared byte by byte.

internal import BLIPNet
internal import Dispatch
internal import Glibc
internal import Synchronization

/// One connection to a WebSocket echo server.
final class WebSocketEchoClient {
    private let socket: BareSocket
    private let payload: [UInt8]
    /// The payload in one masked frame.
    private let frame: [UInt8]
    private var answer: EchoedMessage
    private var buffer = [UInt8](repeating: 0, count: 262_144)

    init(port: UInt16, byteCount: Int) throws {
        socket = try BareSocket.connect(port: port)
        payload = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        answer = EchoedMessage(expected: payload)
        var connection = try Self.handshake(on: socket, port: port)
        var bytes = ByteQueue()
        payload.withUnsafeBytes { _ = connection.send(.binary, $0, into: &bytes) }
        frame = bytes.takeAll()
    }

    private static func handshake(on socket: BareSocket, port: UInt16) throws -> WebSocketConnection {
        var connection = WebSocketConnection.client(
            WebSocketClientOptions(hostHeader: "127.0.0.1:\(port)"), now: .now())
        var bytes = ByteQueue()
        _ = connection.nextOutgoing(into: &bytes)
        try bytes.withUnsafeBytes { try socket.writeAll($0) }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = buffer.withUnsafeMutableBytes { socket.read(into: $0) }
            guard count > 0 else { throw BareSocket.Ended() }
            buffer.withUnsafeBytes { connection.receive(UnsafeRawBufferPointer(rebasing: $0[..<count]), now: .now()) }
            switch connection.nextEvent() {
            case .opened: return connection
            case nil: continue
            case let event?: throw BenchmarkFailure("the WebSocket handshake failed: \(event)")
            }
        }
    }

    /// One message after the other; returns how many.
    func sequential(for duration: Duration) throws -> Int {
        let (first, end) = (answer.count, ContinuousClock.now + duration)
        while ContinuousClock.now < end {
            try frame.withUnsafeBytes { try socket.writeAll($0) }
            try receive(upTo: answer.count + 1)
        }
        return answer.count - first
    }

    /// `batch` messages with each write, `depth` of them under way at most; returns how many.
    func pipelined(for duration: Duration, depth: Int, batch: Int) throws -> Int {
        let (first, end) = (answer.count, ContinuousClock.now + duration)
        let writer = BatchWriter(socket: socket, frames: Array((0..<batch).map { _ in frame }.joined()))
        var allowed = 0
        func allow() {
            writer.allow()
            allowed += batch
        }
        for _ in 0..<(depth / batch) { allow() }
        var received = 0
        while received < allowed {
            received += batch
            try receive(upTo: first + received)
            if ContinuousClock.now < end { allow() }
        }
        writer.end()
        return received
    }

    /// Reads until so many messages have come back in all.
    private func receive(upTo goal: Int) throws {
        while answer.count < goal {
            let count = buffer.withUnsafeMutableBytes { socket.read(into: $0) }
            guard count > 0 else { throw BareSocket.Ended() }
            let isRight = buffer.withUnsafeBytes { answer.take(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            guard isRight else { throw BenchmarkFailure("message \(answer.count) came back changed") }
        }
    }
}

/// Writes on a thread of its own, so that nobody waits for somebody who waits for him.
private final class BatchWriter: Sendable {
    private let room = DispatchSemaphore(value: 0)
    private let isOver = Atomic<Bool>(false)

    init(socket: BareSocket, frames: [UInt8]) {
        DispatchQueue(label: "websocket-writer").async { [self] in
            while true {
                room.wait()
                if isOver.load(ordering: .relaxed) { return }
                // The reader sees the end of the connection and reports it.
                do { try frames.withUnsafeBytes { try socket.writeAll($0) } } catch { return }
            }
        }
    }

    /// One batch more may be under way.
    func allow() { room.signal() }

    func end() {
        isOver.store(true, ordering: .relaxed)
        room.signal()
    }
}

/// Server frames as they come back: whole messages or pieces of them, in any cut.
private struct EchoedMessage {
    private let expected: [UInt8]
    /// Messages that have come back.
    private(set) var count = 0
    private var header: [UInt8] = []
    private var isFinal = false
    /// Bytes that are missing of the frame.
    private var left = 0
    /// Bytes of the message that have come.
    private var offset = 0

    init(expected: [UInt8]) { self.expected = expected }

    /// Whether everything is as it was sent.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while let first = rest.first {
            if left == 0 {
                header.append(first)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
                guard let length = frameLength else { continue }
                isFinal = header[0] & 0x80 != 0
                left = length
                header.removeAll(keepingCapacity: true)
            }
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(left))
            guard offset + part.count <= expected.count else { return false }
            let isSame = expected.withUnsafeBytes { all in
                guard let left = all.baseAddress, let right = part.baseAddress else { return true }
                return memcmp(left + offset, right, part.count) == 0
            }
            guard isSame else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
            left -= part.count
            offset += part.count
            if left == 0, isFinal {
                guard offset == expected.count else { return false }
                offset = 0
                count += 1
            }
        }
        return true
    }

    /// The payload's length, once the header is complete (RFC 6455 section 5.2); server frames have no mask.
    private var frameLength: Int? {
        guard header.count >= 2 else { return nil }
        let size =
            switch header[1] {
            case 126: 4;
            case 127: 10;
            default: 2
            }
        guard header.count == size else { return nil }
        return size == 2 ? Int(header[1]) : header[2...].reduce(0) { $0 << 8 | Int($1) }
    }
}
