// What the user probably meant.

import Testing

@testable import ChatWords

@Suite("Nearest names") struct NearestNameTests {
    @Test("counts edits like a person: swapped neighbours are one slip")
    func distances() {
        func distance(_ left: String, _ right: String) -> Int {
            NearestName.distance(Array(left.unicodeScalars), Array(right.unicodeScalars))
        }
        #expect(distance("qiut", "quit") == 1)
        #expect(distance("", "abc") == 3 && distance("abc", "") == 3)
        #expect(distance("kitten", "sitting") == 3)
    }

    @Test("the nearest in any case of letters, the first of equals, none that is too far")
    func nearest() {
        #expect(NearestName.to("sned", among: ["send", "search"]) == "send")
        #expect(NearestName.to("SNED", among: ["Send"]) == "Send")
        #expect(NearestName.to("bat", among: ["cat", "hat"]) == "cat")
        #expect(NearestName.to("x", among: ["send", "search"]) == nil)
    }

    @Test("in the chat short words may have two slips")
    func tolerance() {
        #expect(NearestName.to("halps", among: ["help"]) == nil)
        #expect(NearestName.to("halps", among: ["help"], tolerance: .generous) == "help")
        #expect(NearestName.to("abc", among: ["xyc"], tolerance: .generous) == nil)
    }
}
