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
        let now = start
        #expect(!book.takes(2, from: contact, now: now), "it begins with the first")
        for round in 1...3 { #expect(book.takes(round, from: contact, now: now)) }
        #expect(!book.takes(3, from: contact, now: now) && !book.takes(2, from: contact, now: now))
        #expect(!book.takes(1, from: contact, now: now + .seconds(9)))
        #expect(book.takes(1, from: ContactID(2), now: now), "others are others")
        #expect(book.takes(1, from: contact, now: now + .seconds(10)))
        #expect(!book.takes(3, from: contact, now: now + .seconds(10)))
    }

    @Test("their word begins what was agreed on, on that link, in that round, once, and not too late")
    func word() {
        var book = PunchBook()
        #expect(book.go(1, from: contact, on: number(1), now: start) == nil)
        for (round, link, wait) in [(2, 1, 0), (1, 2, 0), (1, 1, 30)] {
            book.agree(agreement(), with: contact)
            #expect(book.go(round, from: contact, on: number(link), now: start + .seconds(wait)) == nil)
        }
        book.agree(agreement(), with: contact)
        #expect(book.go(1, from: contact, on: number(1), now: start) == agreement())
        #expect(book.go(1, from: contact, on: number(1), now: start) == nil)
    }

    @Test("one try with a contact at a time")
    func running() {
        var book = PunchBook()
        #expect(book.begin(contact) && !book.begin(contact) && book.begin(ContactID(2)))
        book.end(contact)
        #expect(book.begin(contact))
    }
}
