// Docs/scripting.md has every exit code of the program, and every type of record that its source can make.

import BLIPNet
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
            .stateDamaged, .tooLarge, .fileNotSent, .other("x"),
        ]
        let files: [TransferReason] = [
            .waitingForPeer, .waitingForReceiver, .waitingForTurn, .pausedByPeer, .pausedByReceiver, .receiversDisk,
            .senderBusy, .senderCannotRead, .receiverStopped, .partialReplaced, .sourceChanged, .sourceGone,
            .keyChanged, .digestDiffers, .sentAgain, .cancelledByPeer, .declinedByPeer, .historyRestored,
            .incompleteInExport, .tooLargeForRoom(limit: 1),
            .stateDamaged, .noSpace(needed: 1, free: 1, folder: "/"), .diskNearlyFull(free: 1, folder: "/"),
            .waitingForRoom(folder: "/"), .disk(call: "open", errno: 1, path: "/"), .refused(code: 404), .other("x"),
        ]
        let leftOut: [LeftOutFile.Reason] = [
            .tooDeep(limit: 1), .pathTooLong(limit: 1), .nameIsNoText, .unreadable(errno: 1), .ours,
        ]
        expect(messages.map(\.stored) + files.map(\.stored) + leftOut.map(\.code))
    }

    @Test("has each code of why a contact, a relay, Tor or the router is of no use, each with a word of its own")
    func reasonsOfLinks() {
        let links: [LinkReason] = [
            .blockedByPeer, .noAddress, .keyChanged, .ownKey, .putOff, .blocked, .noHello, .unproved,
            .somebodyElse(endpoint: "h:1"), .answersInstead(name: "a b"), .sameKey(name: "a"),
            .notRunning, .historyDamaged, .leftRoom, .refusedByRoom(reason: "r"), .notSocketIO(reason: "r"),
            .otherKeyOfServer("k"), .untrusted(reason: "r"), .closedByUs, .closedByPeer(code: 1000, reason: "r"),
            .disconnected, .peerViolated(layer: "TLS", reason: "r"), .timedOut(what: "w"),
            .system(call: "connect", errno: 1), .unresolvable(host: "h", reason: "r"), .notBLIP(reason: "r"),
            .proxyFailed(reason: "r"), .bodyFailed(reason: "r"), .limitExceeded(what: "w"),
        ]
        let relays: [RelayReason] = [
            .silent, .gone, .otherKey, .full, .wantsToken, .notThere, .idTaken, .elsewhere, .peerSilent,
            .violated(reason: "r"),
        ]
        let onions: [OnionReason] = [
            .off, .onlyTor, .notInstalled, .programKept, .starting(percent: 1), .ended(reason: "r"), .silent, .otherTor,
            .noCookie, .refused(reason: "r"), .violated(reason: "r"), .notThere, .refusedThere, .wantsKey, .badName,
            .unreachable,
        ]
        let mappings: [MappingFailure] = [
            .noGateway, .silent, .refused(code: 1), .noPublicAddress("10.0.0.1"), .noProgram, .programKept, .notNeeded,
        ]
        var codes = links.map(\.code)
        codes += relays.map { LinkReason.relay(host: "h", $0).code }
        codes += onions.map { LinkReason.onion($0).code }
        codes += mappings.map(\.code)
        expect(codes)
        #expect(Set(codes.map { $0.prefix { $0 != " " } }).count == codes.count)
    }

    /// The page has them, each with as many values as the code has.
    private func expect(_ codes: [String]) {
        for code in codes {
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
