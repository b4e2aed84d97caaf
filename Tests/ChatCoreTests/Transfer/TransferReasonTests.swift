// Reasons as codes: what is stored is read back as it was, and what is unknown is kept word for word.

import ChatCore
import Testing

@Suite struct TransferReasonTests {
    @Test(
        "what is stored is read back",
        arguments: [
            TransferReason.waitingForTurn, .sentAgain, .stateDamaged,
            .noSpace(needed: .max, free: 0, folder: "/a b/ c"),
            .diskNearlyFull(free: 12, folder: ""), .waitingForRoom(folder: "no-space 1 2 x"),
            .disk(call: "write", errno: 28, path: "/home/bob/a b"), .refused(code: -7), .other("anything at all"),
            .other(""),
        ])
    func roundTrip(reason: TransferReason) { #expect(TransferReason(stored: reason.stored) == reason) }

    @Test("codes do not change: histories and exports have them")
    func codes() {
        #expect(TransferReason.receiversDisk.stored == "receivers-disk")
        #expect(TransferReason.noSpace(needed: 2, free: 1, folder: "/x").stored == "no-space 2 1 /x")
        #expect(DeliveryFailure.takenBack.stored == "taken-back")
    }

    @Test(
        "what is damaged or of a later version is shown as it is",
        arguments: ["", "no-space 1 x /y", "no-space 1", "disk write /y", "refused x", "of-2031 5"])
    func unknown(text: String) { #expect(TransferReason(stored: text) == .other(text)) }

    @Test(
        "why a message failed is read back", arguments: [DeliveryFailure.idTaken, .placeLost, .other("other people")])
    func failure(_ failure: DeliveryFailure) { #expect(DeliveryFailure(stored: failure.stored) == failure) }
}
