// The events of a server as an asynchronous sequence (SOCKETIO B17).

internal import Synchronization

/// Events that a server has sent, in order, for `for await`. They are kept from the moment at which the sequence was made
/// until somebody takes them. The sequence ends with the task that reads it, and with its client.
///
/// While many events wait to be taken, the client reads no more from the server; a reader that takes none for longer than
/// the server's heartbeat allows loses the connection.
public struct SocketIOEvents: AsyncSequence, Sendable {
    let inbox: SocketIOInbox

    public struct AsyncIterator: AsyncIteratorProtocol {
        let inbox: SocketIOInbox

        public mutating func next() async -> SocketIOEvent? { await inbox.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> SocketIOEvent? { await inbox.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(inbox: inbox) }
}

/// The events that one sequence has for its readers.
final class SocketIOInbox: Sendable {
    /// With so many waiting, nothing more is read from the server.
    private static let maxCount = 256
    private static let maxBytes = 1 << 20

    private struct State {
        var events = FIFO<SocketIOEvent>()
        var byteCount = 0
        var readers: [(number: UInt64, reader: CheckedContinuation<SocketIOEvent?, Never>)] = []
        var lastNumber: UInt64 = 0
        var isFinished = false

        var isFull: Bool { events.count >= maxCount || byteCount >= maxBytes }
    }

    private let namespace: String
    private let name: String?
    private let state = Mutex(State())
    private let hasRoomAgain: @Sendable () -> Void

    init(namespace: String, name: String?, hasRoom: @escaping @Sendable () -> Void) {
        self.namespace = namespace
        self.name = name
        hasRoomAgain = hasRoom
    }

    var isFull: Bool { state.withLock { $0.isFull } }

    /// Keeps the event, if it is one of those that are wanted here.
    func put(_ event: SocketIOEvent) {
        guard HTTPSyntax.equal(event.namespace, namespace), name.map({ HTTPSyntax.equal(event.name, $0) }) ?? true
        else {
            return
        }
        let reader = state.withLock { state -> CheckedContinuation<SocketIOEvent?, Never>? in
            if !state.readers.isEmpty { return state.readers.removeFirst().reader }
            state.events.append(event)
            state.byteCount += event.memory
            return nil
        }
        reader?.resume(returning: event)
    }

    func next() async -> SocketIOEvent? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                if let answer = take(number, reader) { reader.resume(returning: answer) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// The result that the reader gets at once; `nil` when it waits.
    private func take(_ number: UInt64, _ reader: CheckedContinuation<SocketIOEvent?, Never>) -> SocketIOEvent?? {
        var isRoomAgain = false
        let answer = state.withLock { state -> SocketIOEvent?? in
            if Task.isCancelled { return .some(nil) }
            let wasFull = state.isFull
            if let event = state.events.popFirst() {
                state.byteCount -= event.memory
                isRoomAgain = wasFull && !state.isFull
                return .some(event)
            }
            if state.isFinished { return .some(nil) }
            state.readers.append((number, reader))
            return nil
        }
        if isRoomAgain { hasRoomAgain() }
        return answer
    }

    private func cancel(_ number: UInt64) {
        let reader = state.withLock { state -> CheckedContinuation<SocketIOEvent?, Never>? in
            guard let index = state.readers.firstIndex(where: { $0.number == number }) else { return nil }
            return state.readers.remove(at: index).reader
        }
        reader?.resume(returning: nil)
    }

    /// No event comes any more; those that are here can still be taken.
    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.reader.resume(returning: nil) }
    }

    deinit { hasRoomAgain() }
}

extension SocketIOEvent {
    /// About how many bytes it takes while it waits.
    fileprivate var memory: Int { 64 + name.utf8.count + arguments.reduce(0) { $0 + $1.memory } }
}

extension SocketIOValue {
    fileprivate var memory: Int {
        switch self {
        case .null, .bool, .integer, .number: 16
        case .digits(let text), .string(let text): 16 + text.utf8.count
        case .bytes(let bytes): 32 + bytes.count
        case .array(let values): values.reduce(32) { $0 + $1.memory }
        case .object(let members): members.reduce(32) { $0 + $1.name.utf8.count + $1.value.memory }
        }
    }
}
