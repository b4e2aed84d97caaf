// Fans news out to the front ends that watch; owned by ChatClient, read by the screen, `watch` and the socket.

/// Any number of independent event streams. Events are for showing only: a front end that reads nothing for 10,000
/// events loses the oldest and finds everything in the store (DESIGN 4: AsyncStream has no back-pressure).
struct EventHub {
    private var subscribers: [Int: AsyncStream<ChatEvent>.Continuation] = [:]
    private var nextNumber = 0

    /// A stream from now on, after `first`. `ended` is called, on any thread, when its reader has gone.
    mutating func subscribe(
        beginningWith first: [ChatEvent] = [], ended: @escaping @Sendable (Int) -> Void
    ) -> AsyncStream<ChatEvent> {
        let number = nextNumber
        nextNumber += 1
        let (stream, continuation) = AsyncStream.makeStream(
            of: ChatEvent.self, bufferingPolicy: .bufferingNewest(10_000))
        continuation.onTermination = { _ in ended(number) }
        for event in first { continuation.yield(event) }
        subscribers[number] = continuation
        return stream
    }

    mutating func unsubscribe(_ number: Int) { subscribers[number] = nil }

    func publish(_ event: ChatEvent) {
        for continuation in subscribers.values { continuation.yield(event) }
    }

    /// Ends all streams.
    mutating func finish() {
        for continuation in subscribers.values { continuation.finish() }
        subscribers = [:]
    }
}
