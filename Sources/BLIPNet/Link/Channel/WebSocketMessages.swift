// The messages of a channel as an asynchronous sequence.

extension WebSocketChannel {
    /// The incoming messages, for `for try await`. Ends like `receive`; it takes from the same queue.
    public nonisolated var messages: Messages { Messages(channel: self) }

    public struct Messages: AsyncSequence, Sendable {
        let channel: WebSocketChannel

        public struct AsyncIterator: AsyncIteratorProtocol {
            let channel: WebSocketChannel

            // The result first, then its error: the error is thrown where the caller is (decision 0014).
            public mutating func next() async throws(LinkError) -> WebSocketMessage? {
                let result = await channel.nextMessage()
                return try result.get()
            }

            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(LinkError) -> WebSocketMessage? {
                let result = await channel.nextMessage()
                return try result.get()
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel: channel) }
    }
}
