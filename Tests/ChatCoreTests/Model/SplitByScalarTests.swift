// Names may begin with a combining mark, which is one Character with the separator before it.

import TestSupport
import Testing

@testable import ChatCore

@Suite("Splitting at ASCII characters") struct SplitByScalarTests {
    private static let mark = "\u{301}x"

    @Test("finds a separator before a combining mark, which split(separator:) does not")
    func mark() {
        #expect("n=\(Self.mark)".split(separator: "=").count == 1)
        #expect("n=\(Self.mark)".split(scalar: "=") == ["n", Substring(Self.mark)])
        #expect("a/\(Self.mark)//b".split(scalar: "/") == ["a", Substring(Self.mark), "b"])
        #expect("a=b=c".split(scalar: "=", maxSplits: 1) == ["a", "b=c"])
        #expect("=a".split(scalar: "=", omittingEmptySubsequences: false) == ["", "a"])
    }

    @Test("reads such a name as a neighbour's, a folder's and in a reason")
    func names() throws {
        var texts = NeighbourTexts()
        texts.name = Self.mark
        #expect(NeighbourTexts(texts.texts.map { Array($0.utf8) })?.name == Self.mark)
        let place = FolderPlace(
            set: MessageID(at: Timestamp(milliseconds: 5)), path: "a/\(Self.mark)", files: 1, bytes: 1)
        let made = FolderSet.foldersMade(for: place, downTo: "/x/a/\(Self.mark)")
        #expect(made == ["/x/a/\(Self.mark)", "/x/a"])
        let set = FolderSet(text: "2 10 \(Self.mark)/b")
        #expect(set?.path == "\(Self.mark)/b")
        #expect(set.map { FolderSet(text: $0.text) } == set)
        let reason = TransferReason.waitingForRoom(folder: Self.mark)
        #expect(TransferReason(stored: reason.stored) == reason)
    }
}
