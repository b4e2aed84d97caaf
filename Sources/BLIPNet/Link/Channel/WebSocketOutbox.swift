// Messages whose senders wait for room on the way to the peer.

/// The queue between `WebSocketChannel.send` and the event loop.
struct WebSocketOutbox {
    typealias Sender = CheckedContinuation<Result<Void, LinkError>, Never>

    private struct Entry {
        var number: UInt64
        var message: WebSocketMessage
        /// `nil` when the sender no longer waits.
        var sender: Sender?
    }

    private var entries = FIFO<Entry>()
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }

    /// A number by which a sender can be cancelled.
    mutating func reserveNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// A sender waits.
    mutating func append(_ number: UInt64, _ message: WebSocketMessage, _ sender: Sender) {
        entries.append(Entry(number: number, message: message, sender: sender))
    }

    /// The message that has waited longest.
    mutating func take() -> (WebSocketMessage, Sender)? {
        while let entry = entries.popFirst() {
            if let sender = entry.sender { return (entry.message, sender) }
        }
        return nil
    }

    /// The message is not sent, if it still waits.
    mutating func cancel(_ number: UInt64) {
        for position in 0..<entries.count where entries[position]?.number == number {
            entries[position]?.sender?.resume(returning: .failure(.closedLocally))
            entries.replace(at: position, with: Entry(number: number, message: .binary([]), sender: nil))
            return
        }
    }

    /// Nothing can be sent any more.
    mutating func fail(_ error: LinkError) {
        while let (_, sender) = take() { sender.resume(returning: .failure(error)) }
    }
}
