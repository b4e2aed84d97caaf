// The chunked transfer coding (RFC 9112 section 7.1), read piece by piece.

/// Takes the chunks apart, strictly: every line ends in CRLF, sizes are plain hexadecimal digits.
struct HTTPChunks: Sendable {
    private enum State {
        case size
        case data(remaining: Int)
        /// The CRLF after a chunk.
        case dataEnd
        case trailer
        case done
    }

    private var state = State.size
    private let maxBodyBytes: Int
    /// Room left for size lines and the trailer: they are not part of the body, and cost memory and time.
    private var trailerRoom: Int

    /// The longest line with a size, its extensions included.
    private static let maxLineBytes = 1024

    init(limits: HTTPLimits) {
        maxBodyBytes = limits.maxBodyBytes
        trailerRoom = limits.maxHeadBytes
    }

    /// Moves what has arrived from `input` to `body`; `true` once the last chunk and the trailer are there.
    mutating func decode(_ input: inout ByteQueue, into body: inout [UInt8]) throws(HTTPResponseError) -> Bool {
        while true {
            switch state {
            case .done: return true
            case .size:
                guard let line = try Self.takeLine(&input, max: Self.maxLineBytes) else { return false }
                let size = try Self.size(line)
                guard size <= maxBodyBytes - body.count else { throw .bodyTooLarge(limit: maxBodyBytes) }
                state = size == 0 ? .trailer : .data(remaining: size)
            case .data(let remaining):
                let count = min(remaining, input.count)
                guard count > 0 else { return false }
                input.move(count, to: &body)
                state = remaining == count ? .dataEnd : .data(remaining: remaining - count)
            case .dataEnd:
                guard let line = try Self.takeLine(&input, max: 2) else { return false }
                guard line.isEmpty else { throw .malformedChunk("a chunk that is longer than its size") }
                state = .size
            case .trailer:
                // Fields after the body: nobody wants them.
                guard let line = try Self.takeLine(&input, max: trailerRoom) else { return false }
                trailerRoom -= line.count + 2
                if line.isEmpty { state = .done }
            }
        }
    }

    /// A line without its CRLF, once it is there.
    private static func takeLine(_ input: inout ByteQueue, max: Int) throws(HTTPResponseError) -> [UInt8]? {
        let end = input.withUnsafeBytes { $0.prefix(max).firstIndex(of: UInt8(ascii: "\n")) }
        guard let end else {
            guard input.count < max else { throw .malformedChunk("a line without an end between the chunks") }
            return nil
        }
        let line = input.withUnsafeBytes { Array($0.prefix(end)) }
        guard line.last == UInt8(ascii: "\r") else { throw .malformedChunk("line feed without carriage return") }
        input.consume(end + 1)
        return line.dropLast()
    }

    /// The chunk size at the start of the line. We ignore chunk extensions, which follow a semicolon.
    private static func size(_ line: [UInt8]) throws(HTTPResponseError) -> Int {
        let end = line.firstIndex(of: UInt8(ascii: ";")) ?? line.count
        let digits = HTTPSyntax.trimmed(line[..<end])
        guard (1...15).contains(digits.count) else { throw .malformedChunk("a chunk without a size") }
        var size = 0
        for digit in digits {
            guard let value = HTTPSyntax.hexValue(digit) else { throw .malformedChunk("a chunk without a size") }
            size = size << 4 | Int(value)
        }
        return size
    }
}
