// Docs/scripting.md has every exit code of the program, and every type of record that its source can make.

import ChatCore
import ChatSettings
import TestSupport
import Testing

@testable import blipchat

@Suite("Docs/scripting.md") struct ScriptDocumentTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    private let page = TestFile.text("\(root)/Docs/scripting.md")

    @Test("has each exit code, and no other")
    func exitCodes() {
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
        let codes = rows.compactMap { Int32($0.split(separator: "|")[0].filter { $0 != " " }) }
        #expect(codes == ExitCode.allCases.map(\.rawValue).sorted())
    }

    @Test("has each code of a reason")
    func reasons() {
        let messages: [DeliveryFailure] = [
            .takenBack, .sentAgain, .idTaken, .notAllowed, .unknownKind, .unreadable, .waitingInExport, .placeLost,
            .stateDamaged, .other("x"),
        ]
        let files: [TransferReason] = [
            .waitingForPeer, .waitingForReceiver, .waitingForTurn, .pausedByPeer, .pausedByReceiver, .receiversDisk,
            .senderBusy, .senderCannotRead, .receiverStopped, .partialReplaced, .sourceChanged, .sourceGone,
            .keyChanged, .digestDiffers, .sentAgain, .cancelledByPeer, .declinedByPeer, .historyRestored,
            .incompleteInExport,
            .stateDamaged, .noSpace(needed: 1, free: 1, folder: "/"), .diskNearlyFull(free: 1, folder: "/"),
            .waitingForRoom(folder: "/"), .disk(call: "open", errno: 1, path: "/"), .refused(code: 404), .other("x"),
        ]
        let leftOut: [LeftOutFile.Reason] = [
            .tooDeep(limit: 1), .pathTooLong(limit: 1), .nameIsNoText, .unreadable(errno: 1), .ours,
        ]
        for code in messages.map(\.stored) + files.map(\.stored) + leftOut.map(\.code) {
            let parts = code.split(separator: " ", maxSplits: 1)
            #expect(page.contains("`\(parts[0])\(parts.count == 1 ? "`" : " ")"), "\(code)")
        }
    }

    @Test("has each event of a message")
    func events() throws {
        let paragraph = try #require(page.split(separator: "\n").first { $0.hasPrefix("`event` is") })
        let rest = try #require(page.firstRange(of: paragraph)).upperBound
        let text = paragraph + page[rest...].prefix { $0 != "#" }
        for event in MessageNews.Event.allCases { #expect(text.contains("`\(event.rawValue)`"), "\(event)") }
    }
}
