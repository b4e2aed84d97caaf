// Questions before what nobody can undo: what counts as yes, and whom an import asks about.

import ChatCore
import ChatHost
import Testing

@testable import blipchat

@Suite("Confirmation")
struct ConfirmationTests {
    @Test("only y and yes mean yes; the end of the input does not")
    func yes() {
        for line in ["y", "Y", " yes ", "YES\r"] { #expect(Confirmation.isYes(line), "\(line)") }
        for line in [nil, "", "n", "yeah", "y e s!", "sure"] as [String?] { #expect(!Confirmation.isYes(line)) }
    }

    @Test("an import is asked about where it adds contacts to those that are there")
    func importQuestion() throws {
        let known = [
            Peer(
                id: ContactID(1), peerID: nil, name: "bob", addresses: [], trust: .unverified,
                added: Timestamp(milliseconds: 0))
        ]
        let question = try #require(HistoryImporter.question(adding: ["eve"], to: known, from: "x.json"))
        #expect(question.consequence.contains("1 contact (eve)"))
        let many = try #require(
            HistoryImporter.question(adding: (1...7).map { "n\($0)" }, to: known, from: "x.json"))
        #expect(many.question.contains("7 contacts") && many.question.contains("and 2 more"))
        #expect(HistoryImporter.question(adding: [], to: known, from: "x.json") == nil)
        #expect(HistoryImporter.question(adding: ["eve"], to: [], from: "x.json") == nil)
    }
}
