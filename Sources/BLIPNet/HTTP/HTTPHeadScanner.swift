// Finds the end of an HTTP head while its bytes arrive, looking at each byte once.

/// Refuses at the first byte that cannot be in a head, so that a peer that speaks another protocol (TLS, SSH) learns it
/// at once instead of after the deadline.
struct HTTPHeadScanner: Sendable {
    private var maxByteCount: Int
    /// The bytes that the head must begin with.
    private let start: [UInt8]
    /// Bytes looked at so far.
    private var position = 0
    private var previous: UInt8 = 0
    private var lineLength = 0

    /// `start` is `HTTP/` for a response, and nothing for a request, which begins with any token.
    init(maxByteCount: Int, start: String = "") {
        self.maxByteCount = maxByteCount
        self.start = Array(start.utf8)
    }

    /// Continues with another head after the one that was found, within the rest of the limit.
    mutating func startOver() {
        maxByteCount -= position
        position = 0
        previous = 0
        lineLength = 0
    }

    /// Looks at what is new in `bytes`, which begin at the start of the head every time.
    /// Returns the length of the head, the empty line included, once it is there.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(HTTPHeadError) -> Int? {
        let end = min(bytes.count, maxByteCount)
        while position < end {
            let byte = bytes[position]
            guard position >= start.count || byte == start[position], position > 0 || HTTPSyntax.isTokenByte(byte)
            else { throw .malformed("this is not HTTP") }
            position += 1
            switch byte {
            case UInt8(ascii: "\n"):
                guard previous == UInt8(ascii: "\r") else { throw .malformed("line feed without carriage return") }
                if lineLength == 0 { return position }
                lineLength = 0
            case UInt8(ascii: "\r"):
                guard previous != UInt8(ascii: "\r") else { throw .malformed("bare carriage return") }
            default:
                guard previous != UInt8(ascii: "\r") else { throw .malformed("bare carriage return") }
                guard HTTPSyntax.isValueByte(byte) else { throw .malformed("control character in the head") }
                lineLength += 1
            }
            previous = byte
        }
        if bytes.count >= maxByteCount { throw .tooLarge }
        return nil
    }
}
