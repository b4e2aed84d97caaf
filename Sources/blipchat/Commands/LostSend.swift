// Decides the fate of a message when the process that was to store it ends, or falls silent, before it has answered.

import ChatCore
import ChatSettings

/// Decides for one message whose id the command has made. A value: what is on the disk and who holds the home is passed in.
struct LostSend {
    enum Step: Equatable {
        /// It is not stored and nobody can store it any more: the same under the same id, through whoever runs next.
        case sendAgain
        /// It is stored: this is what has become of it.
        case stored(DeliveryState)
        /// It is not stored, and was tried twice.
        case notStored
        /// We cannot tell whether it is stored, or somebody may still store it.
        case unknown
    }

    /// The process that held the home when it was asked; `nil` when that is not known.
    let asked: Int32?
    private var isRepeated = false

    init(asked: Int32?) { self.asked = asked }

    /// `holder`: the process that holds the home now, if any; `state`: of the message on the disk, `nil` inside when it is
    /// not there, `nil` outside when the disk cannot be read.
    mutating func next(holder: Int32?, state: DeliveryState??) -> Step {
        guard let state else { return .unknown }
        if let state { return .stored(state) }
        // The process may merely be stopped: when it continues, it may do what the command asked of it.
        guard holder == nil || asked == nil || holder != asked else { return .unknown }
        guard !isRepeated else { return .notStored }
        isRepeated = true
        return .sendAgain
    }

    /// The result of a command whose message is stored.
    static func result(_ state: DeliveryState, _ who: String, _ error: CommandError) -> Outcome {
        if let outcome = Outcome.of(state, who) { return outcome }
        return .failure(
            CommandError(
                .queued, error.subject, "\(error.reason); the message is queued",
                advice: "it goes out when blipchat is running and can reach them"))
    }

    static func notStored(_ error: CommandError) -> CommandError {
        CommandError(error.exit, error.subject, "\(error.reason); the message was not stored", advice: "send it again")
    }

    static func unknown(_ id: MessageID, _ error: CommandError) -> CommandError {
        CommandError(
            error.exit, error.subject, error.reason,
            advice:
                "the message may have been stored anyway: repeat the command with --id \(id.text) to send it only once")
    }
}
