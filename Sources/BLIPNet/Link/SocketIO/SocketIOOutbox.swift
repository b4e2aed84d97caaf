// Messages between the event loop and the task that sends them on a WebSocket.

internal import Synchronization

/// A queue with one reader. A caller that puts messages in looks at `byteCount` first.
final class SocketIOOutbox: Sendable {
    private struct State {
        var messages = FIFO<WebSocketMessage>()
        var byteCount = 0
        var isFinished = false
        var reader: CheckedContinuation<WebSocketMessage?, Never>?
    }

    private let state = Mutex(State())

    /// Bytes of the messages that are not sent, that of the reader among them.
    var byteCount: Int { state.withLock { $0.byteCount } }

    func put(_ message: WebSocketMessage) {
        let reader = state.withLock { state -> CheckedContinuation<WebSocketMessage?, Never>? in
            guard !state.isFinished else { return nil }
            state.byteCount += message.byteCount
            if let reader = state.reader.take() { return reader }
            state.messages.append(message)
            return nil
        }
        reader?.resume(returning: message)
    }

    /// The next message, in order; `nil` once the queue is finished and empty.
    func next() async -> WebSocketMessage? {
        await withCheckedContinuation { reader in
            let message = state.withLock { state -> WebSocketMessage?? in
                if let message = state.messages.popFirst() { return .some(message) }
                if state.isFinished { return .some(nil) }
                state.reader = reader
                return nil
            }
            if let message { reader.resume(returning: message) }
        }
    }

    /// Sends what comes, until the end, and closes the channel. `hasRoom` is called when there is room where there was none.
    func drain(into channel: WebSocketChannel, window: Int, hasRoom: @Sendable () -> Void) async {
        while let message = await next() {
            do throws(LinkError) { try await channel.send(message) } catch { break }
            if sent(message, window: window) { hasRoom() }
        }
        channel.close()
    }

    /// A message is sent; `true` when that has made room where there was none.
    private func sent(_ message: WebSocketMessage, window: Int) -> Bool {
        state.withLock { state in
            let wasFull = state.byteCount >= window
            state.byteCount -= message.byteCount
            return wasFull && state.byteCount < window
        }
    }

    /// Nothing more comes.
    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }
        reader?.resume(returning: nil)
    }
}
