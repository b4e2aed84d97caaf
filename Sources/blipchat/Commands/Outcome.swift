// The fate of a message or a file, as the result of a command.

import ChatCore
import ChatSettings
import ChatWords

/// The end of something that a command waits for; there is none while it is not decided.
typealias Outcome = Result<ExitCode, CommandError>

extension Outcome {
    /// Of a message to `who`.
    static func of(_ state: DeliveryState, _ who: String) -> Outcome? {
        switch state {
        case .pending, .sent: nil
        case .delivered, .read: .success(.done)
        case .failed(let reason): .failure(CommandError(.refused, who, reason.words))
        }
    }

    static func of(_ transfer: FileTransfer) -> Outcome? {
        let name = transfer.name
        switch transfer.state {
        case .offered, .accepted, .running, .paused: return nil
        case .complete: return .success(.done)
        case .declined where transfer.direction == .incoming:
            return .failure(CommandError(.negative, name, "you declined the file"))
        case .declined:
            return .failure(CommandError(.refused, name, "the peer declined the file", advice: "ask them why"))
        case .cancelled:
            // Only what the peer says comes with a reason.
            let refusal = transfer.reason.map { CommandError(.refused, name, $0.words) }
            return .failure(refusal ?? CommandError(.negative, name, "you cancelled the transfer"))
        case .failed: return .failure(CommandError(exitCode(of: transfer), name, transfer.reason?.words ?? "failed"))
        }
    }

    private static func exitCode(of transfer: FileTransfer) -> ExitCode {
        switch transfer.reason {
        case .sourceChanged, .sourceGone:
            transfer.direction == .outgoing ? .localIO : .refused
        case .digestDiffers: .integrity
        default: .network
        }
    }
}
