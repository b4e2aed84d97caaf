// Acknowledgements that wait to be sent, ahead of all messages.

/// The peer's message `number` has been taken up to `byteCount` bytes.
struct Acknowledgement: Equatable {
    var number: UInt64
    var isOfResponse: Bool
    /// Bytes after the frame headers, as on the wire.
    var byteCount: UInt64
}

/// ACKs in the order in which they became due. A later ACK of the same message replaces one that still waits, so the
/// queue is no longer than there are open messages.
struct AckQueue {
    private var waiting = FIFO<Acknowledgement>()

    var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ ack: Acknowledgement) {
        for position in 0..<waiting.count {
            if let other = waiting[position], other.number == ack.number, other.isOfResponse == ack.isOfResponse {
                waiting.replace(at: position, with: ack)
                return
            }
        }
        waiting.append(ack)
    }

    mutating func popFirst() -> Acknowledgement? { waiting.popFirst() }

    mutating func removeAll() { waiting.removeAll() }
}
