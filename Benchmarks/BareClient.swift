// The client of the bare-socket baselines, and what it tells their server.

internal import BLIPNet
internal import Glibc
internal import Workbench

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

    init(port: UInt16) { self.port = port }

    private func open(_ letter: UInt8, count: Int = 0) throws -> BareSocket {
        let socket = try BareSocket.connect(port: port)
        try BareRequest.bytes(letter, count: count).withUnsafeBytes { try socket.writeAll($0) }
        return socket
    }

    /// `depth` messages are written with one call each, then as many answers are read.
    func echoes(depth: Int, for duration: Duration) throws -> Rate {
        let socket = try open(BareRequest.echo)
        let message = [UInt8](repeating: 1, count: 32)
        var answer = [UInt8](repeating: 0, count: 32)
        let start = clock.now
        var count = 0
        while clock.now - start < duration {
            for _ in 0..<depth { try message.withUnsafeBytes { try socket.writeAll($0) } }
            for _ in 0..<depth { try answer.withUnsafeMutableBytes { try socket.readAll(into: $0) } }
            count += depth
        }
        return Rate(count: count, elapsed: clock.now - start)
    }

    func echoLatencies(samples: Int) throws -> Latencies {
        let socket = try open(BareRequest.echo)
        let message = [UInt8](repeating: 1, count: 32)
        var answer = [UInt8](repeating: 0, count: 32)
        return Latencies(
            try (0..<samples).map { _ in
                let start = clock.now
                try message.withUnsafeBytes { try socket.writeAll($0) }
                try answer.withUnsafeMutableBytes { try socket.readAll(into: $0) }
                return clock.now - start
            })
    }

    /// Writes `byteCount` bytes and waits for the word that they have arrived.
    func push(_ byteCount: Int) throws -> Rate {
        let socket = try open(BareRequest.sink, count: byteCount)
        let block = [UInt8](repeating: 0, count: Self.writeSize)
        var done = [UInt8](repeating: 0, count: 1)
        let start = clock.now
        for _ in 0..<(byteCount / block.count) { try block.withUnsafeBytes { try socket.writeAll($0) } }
        try done.withUnsafeMutableBytes { try socket.readAll(into: $0) }
        return Rate(count: byteCount, elapsed: clock.now - start)
    }
}
