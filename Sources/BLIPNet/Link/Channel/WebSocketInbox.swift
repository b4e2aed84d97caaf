// Messages that have come in and not been taken, or the receivers that wait for one: never both.

/// The queue between the event loop and `WebSocketChannel.receive`.
struct WebSocketInbox {
    typealias Receiver = CheckedContinuation<Result<WebSocketMessage?, LinkError>, Never>

    private var messages = FIFO<WebSocketMessage>()
    private var receivers = FIFO<(number: UInt64, receiver: Receiver?)>()
    private var lastNumber: UInt64 = 0
    /// Payload of the messages that wait, each with what it costs to keep it.
    private(set) var byteCount = 0

    /// So that a flood of empty messages counts as well.
    private static let costOfMessage = 64

    /// Gives a message to the receiver that has waited longest, or keeps it.
    mutating func put(_ message: WebSocketMessage) {
        if let receiver = takeReceiver() {
            receiver.resume(returning: .success(message))
        } else {
            byteCount += message.byteCount + Self.costOfMessage
            messages.append(message)
        }
    }

    mutating func take() -> WebSocketMessage? {
        guard let message = messages.popFirst() else { return nil }
        byteCount -= message.byteCount + Self.costOfMessage
        return message
    }

    /// A number by which a receiver can be cancelled.
    mutating func reserveNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// A receiver waits.
    mutating func wait(_ number: UInt64, _ receiver: Receiver) { receivers.append((number, receiver)) }

    /// A receiver that is cancelled gets `nil`.
    mutating func cancelWaiter(_ number: UInt64) {
        for position in 0..<receivers.count where receivers[position]?.number == number {
            receivers[position]?.receiver?.resume(returning: .success(nil))
            receivers.replace(at: position, with: (number, nil))
            return
        }
    }

    /// No message comes any more.
    mutating func finish(_ result: Result<WebSocketMessage?, LinkError>) {
        while let receiver = takeReceiver() { receiver.resume(returning: result) }
    }

    private mutating func takeReceiver() -> Receiver? {
        while let entry = receivers.popFirst() {
            if let receiver = entry.receiver { return receiver }
        }
        return nil
    }
}
