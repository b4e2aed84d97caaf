// The messages of a channel as an asynchronous sequence.

extension WebSocketChannel {
    /// The incoming messages, for `for try await`. Ends like `receive`; it takes from the same queue.
    public nonisolated var messages: Messages { Messages(channel: self) }

    public struct Messages: AsyncSequence, Sendable {
        public typealias Failure = LinkError
        let channel: WebSocketChannel

        public struct AsyncIterator: AsyncIteratorProtocol {
            let channel: WebSocketChannel

            public mutating func next() async throws(LinkError) -> WebSocketMessage? { try await channel.receive() }

            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(LinkError) -> WebSocketMessage? {
                try await channel.receive()
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel: channel) }
    }
}
