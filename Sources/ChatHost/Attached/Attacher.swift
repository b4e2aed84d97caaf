// The kinds of attachers to the chat of another process, and what becomes of each when that process ends.

package import ChatCore
package import ChatSettings

/// Starts the chat in this process, as the ended one was as far as that is known; `nil` while another has the home.
package typealias Succession = @Sendable (LocalIdentity) async -> ChatInstance?

package enum Attacher: Sendable {
    /// A screen or line mode. Calls fail while no process runs the chat; when one does, the front end hears that it has
    /// to read everything again. A chat that ran in another screen continues here by the succession, of which the front
    /// end hears nothing for `patience`.
    case frontEnd(Succession?, patience: Duration)
    /// A command that continues with the process that runs the chat next when this one says farewell; else it ends.
    case command(ChatFinder)
    /// It asks the process that runs now, and nobody else, and nothing that concerns contacts. `patience`: how long that
    /// process may be silent; `limit`: how long all of it may take, for questions that are worth no more.
    case visitor(patience: Duration, limit: Duration? = nil)

    var isFrontEnd: Bool { if case .frontEnd = self { true } else { false } }

    var greeting: SessionGreeting {
        switch self {
        case .frontEnd: SessionGreeting(continues: true)
        case .command(let finder): SessionGreeting(isQuiet: !finder.concernsPeers)
        case .visitor: SessionGreeting(isQuiet: true)
        }
    }

    /// Whether a chat is of any use.
    func takes(_ chat: RunningChat) -> Bool {
        switch self {
        case .frontEnd: chat.isForFrontEnds
        case .command(let finder): chat.isForFrontEnds || !finder.needsLongChat
        case .visitor: true
        }
    }

    /// How long the greeting may take.
    var greetingTime: Duration { if case .visitor(let patience, _) = self { patience } else { .seconds(10) } }

    /// An answer takes no longer than this, but for what waits for others; the same again, and the process is silent.
    var answerTime: Duration {
        switch self {
        case .frontEnd: .seconds(2)
        case .command: .seconds(30)
        case .visitor(let patience, _): patience / 2
        }
    }

    /// How long calls wait while the chat moves; `nil`: until it is known where.
    var patience: Duration? { if case .frontEnd(_, let patience) = self { patience } else { nil } }
}

extension RunningChat {
    /// It is not over in a moment.
    var isForFrontEnds: Bool { until != .moment }
}

extension CommandError {
    /// The process that ran the chat has ended without a farewell, or is silent.
    package static let instanceGone = CommandError(
        .network, "running blipchat", "stopped answering",
        advice: "check with blipchat status whether it is still running, then try again")
}
