// The messages that `send WHO - --lines` has sent and not seen delivered yet.

import ChatCore
import ChatSettings

/// Messages in the order in which they were sent, of which the command waits for the first.
struct SentLines {
    /// How long a line that comes meanwhile is kept waiting.
    static let moment = Duration.milliseconds(200)
    /// So many may be on their way: the outbox holds ten times as many.
    private static let most = 1000

    /// How long the command waits for each; `nil`: not at all.
    private let timeout: Duration?
    private var messages: ArraySlice<MessageID> = []
    /// Since when the first of them is the first.
    private var begin = ContinuousClock.now
    /// Why one was not delivered. The command waits for none after it.
    private(set) var failure: CommandError?

    init(timeout: Duration?) { self.timeout = timeout }

    var isWaiting: Bool { !messages.isEmpty }
    var areTooMany: Bool { messages.count > Self.most }

    /// The message that the command waits for, how long still, and how long in all.
    var first: (id: MessageID, left: Duration, whole: Duration)? {
        guard let timeout, let id = messages.first else { return nil }
        return (id, max(.zero, timeout - (ContinuousClock.now - begin)), timeout)
    }

    mutating func add(_ id: MessageID) {
        guard timeout != nil, failure == nil else { return }
        if messages.isEmpty { begin = .now }
        messages.append(id)
    }

    mutating func firstIsDone() {
        messages.removeFirst()
        begin = .now
    }

    /// The command keeps waiting for it unless its time is over, or something other than time is wrong with it.
    mutating func firstIsNotDone(_ error: CommandError) {
        if error.exit == .queued, let first, first.left > .zero { return }
        end(with: error)
    }

    /// From now on the command waits for no message.
    mutating func end(with error: CommandError) {
        failure = error
        messages = []
    }
}
