// Agreements about calling at the same moment.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("REACH 4: agreements about calling at the same moment") struct PunchBookTests {
    private let contact = ContactID(1)
    private let start = MonotonicTime.now()

    private func number(_ link: UInt64) -> LinkNumber { LinkNumber(rawValue: link) }

    private func agreement(round: Int = 1, link: UInt64 = 1) -> PunchBook.Agreement {
        PunchBook.Agreement(
            link: number(link), round: round, port: 4000, candidates: [.host("192.0.2.1", port: 5)],
            until: start + PunchBook.patience)
    }

    @Test("what others have seen of us counts for an hour, and not in another network")
    func seen() {
        var book = PunchBook()
        #expect(book.seenHost(now: start) == nil)
        book.noteSeen("192.0.2.7", now: start)
        #expect(book.seenHost(now: start + .seconds(3599)) == "192.0.2.7")
        #expect(book.seenHost(now: start + .seconds(3600)) == nil)
        book.forgetSeen()
        #expect(book.seenHost(now: start) == nil)
    }

    @Test("rounds come in their order, and a contact begins anew once in ten seconds")
    func rounds() {
        var book = PunchBook()
        var taken: [Bool] = []
        func take(_ round: Int, after seconds: Int64 = 0, from contact: ContactID = ContactID(1)) {
            taken.append(book.takes(round, from: contact, now: start + .seconds(seconds)))
        }
        take(2)
        #expect(taken == [false], "it begins with the first")
        taken = []
        for round in 1...3 { take(round) }
        #expect(taken == [true, true, true])
        taken = []
        take(3)
        take(2)
        take(1, after: 9)
        #expect(taken == [false, false, false])
        taken = []
        take(1, from: ContactID(2))
        take(1, after: 10)
        take(3, after: 10)
        #expect(taken == [true, true, false], "others are others")
    }

    @Test("their word begins what was agreed on, on that link, in that round, once, and not too late")
    func word() {
        var book = PunchBook()
        var begun = book.go(1, from: contact, on: number(1), now: start)
        #expect(begun == nil)
        for (round, link, wait) in [(2, 1, 0), (1, 2, 0), (1, 1, 30)] as [(Int, UInt64, Int64)] {
            book.agree(agreement(), with: contact)
            begun = book.go(round, from: contact, on: number(link), now: start + .seconds(wait))
            #expect(begun == nil)
        }
        book.agree(agreement(), with: contact)
        begun = book.go(1, from: contact, on: number(1), now: start)
        #expect(begun == agreement())
        begun = book.go(1, from: contact, on: number(1), now: start)
        #expect(begun == nil)
    }

    @Test("one try with a contact at a time")
    func running() {
        var book = PunchBook()
        var begun = [book.begin(contact), book.begin(contact), book.begin(ContactID(2))]
        #expect(begun == [true, false, true])
        book.end(contact)
        begun = [book.begin(contact)]
        #expect(begun == [true])
    }
}
