// The payload of a message for somebody who uses its connection while looking at it.

/// Shares the memory of the connection's buffer. To be let go of before the connection receives anything further:
/// otherwise the buffer is copied.
struct SharedPayload {
    let bytes: ByteQueue
    let count: Int

    func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}

extension WebSocketConnection {
    /// The payload of the last `.message` event.
    var sharedPayload: SharedPayload { decoder.sharedPayload(in: input) }
}
