// Cuts what a relay sends into messages. No I/O.

/// Takes the bytes in pieces of any size. It holds at most the largest message and one read.
package struct RelayReader: Sendable {
    private var buffer: [UInt8] = []
    private var violation: RelayViolation?

    package init() {}

    /// Takes the next bytes.
    package mutating func append(_ bytes: [UInt8]) {
        if violation == nil { buffer += bytes }
    }

    /// The next whole message; `nil` until more has come. After an error it throws that again.
    package mutating func next() throws(RelayViolation) -> RelayMessage? {
        if let violation { throw violation }
        do throws(RelayViolation) { return try takeMessage() } catch {
            violation = error
            buffer = []
            throw error
        }
    }

    private mutating func takeMessage() throws(RelayViolation) -> RelayMessage? {
        guard buffer.count >= RelayMessage.headerBytes else { return nil }
        guard number(at: 0) == RelayMessage.magic else { throw RelayViolation(reason: "another magic number") }
        let length = number(at: 8)
        guard length <= RelayMessage.maxPayloadBytes else { throw RelayViolation(reason: "\(length) bytes") }
        let end = RelayMessage.headerBytes + Int(length)
        guard buffer.count >= end else { return nil }
        let message = try RelayMessage(type: number(at: 4), payload: buffer[RelayMessage.headerBytes..<end])
        buffer.removeFirst(end)
        return message
    }

    /// The bytes after the last message: on the connection of a session, the other side has sent them.
    package var rest: [UInt8] { buffer }

    private func number(at index: Int) -> UInt32 {
        buffer[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
