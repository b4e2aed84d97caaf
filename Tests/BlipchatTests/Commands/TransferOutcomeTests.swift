// What a script learns of a transfer's end: the exit codes of send-file and receive.

import ChatCore
import ChatSettings
import Testing

@testable import blipchat

@Suite struct TransferOutcomeTests {
    private func code(
        _ state: FileTransfer.State, _ reason: TransferReason? = nil, _ direction: MessageDirection = .outgoing
    ) -> ExitCode? {
        let transfer = FileTransfer(
            id: MessageID(at: Timestamp(milliseconds: 1)), number: TransferNumber(1), contact: ContactID(1),
            direction: direction, name: "x", size: 1, modified: Timestamp(milliseconds: 0), state: state,
            reason: reason, offered: Timestamp(milliseconds: 1))
        switch Outcome.of(transfer) {
        case .success(let code)?: return code
        case .failure(let error)?: return error.exit
        case nil: return nil
        }
    }

    @Test("each end has its code; what goes on has none")
    func codes() {
        #expect(code(.complete) == .done)
        #expect(code(.declined) == .refused)
        #expect(code(.cancelled, TransferReason.cancelledByPeer) == .refused)
        #expect(code(.cancelled) == .negative, "by our own user")
        #expect(code(.declined, nil, .incoming) == .negative, "by our own user")
        for direction in [MessageDirection.outgoing, .incoming] {
            #expect(code(.failed, TransferReason.digestDiffers, direction) == .integrity)
            #expect(code(.failed, .refused(code: 500), direction) == .network)
        }
        #expect(ExitCode.integrity.rawValue == 6)
        for reason in [TransferReason.sourceChanged, TransferReason.sourceGone] {
            #expect(code(.failed, reason) == .localIO)
            #expect(code(.failed, reason, .incoming) == .refused)
        }
        for state in [FileTransfer.State.offered, .accepted, .running, .paused] { #expect(code(state) == nil) }
    }
}
