// In which order a contact's places are called, what is kept of what contacts say of themselves, and what another key
// means.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Where contacts are called") struct CallBookTests {
    private let now = MonotonicTime(nanoseconds: 1)
    private let key: PeerID
    private let other: PeerID

    init() throws {
        key = PeerID(try TLSIdentity.generate().fingerprint)
        other = PeerID(try TLSIdentity.generate().fingerprint)
    }

    private func place(_ host: String, port: UInt16 = 1, isLearned: Bool = false) -> PeerAddress {
        var address = PeerAddress(host: host, port: port, peerID: key)
        address.origin = isLearned ? .heard : .user
        return address
    }

    @Test("what they name is called first and kept once their key has answered there, in place of the one before")
    func candidate() {
        var book = CallBook()
        let stored = [place("10.0.0.1", isLearned: true), place("10.0.0.2")]
        book.hear(of: place("10.0.0.3"), among: stored, now: now)
        #expect(book.order(stored).map(\.host) == ["10.0.0.3", "10.0.0.1", "10.0.0.2"])
        #expect(book.called(place("10.0.0.2"), met: .pinnedKey, stored: stored, now: now) == nil)
        let kept = book.called(place("10.0.0.3"), met: .pinnedKey, stored: stored, now: now)
        #expect(kept == [place("10.0.0.3", isLearned: true), place("10.0.0.2")])
        #expect(!book.hasCandidate)
    }

    @Test(
        "where nobody answers it is forgotten after some calls, where somebody else does at once, and no other is taken soon"
    )
    func forgotten() {
        for answer in [CallBook.Answer.nobody, .otherKey] {
            var book = CallBook()
            book.hear(of: place("10.0.0.3"), among: [], now: now)
            // Hearing it again brings no new calls.
            for call in 1...(answer == .nobody ? CallBook.callsOfCandidate : 1) {
                #expect(book.hasCandidate, "\(call)")
                book.hear(of: place("10.0.0.3"), among: [], now: now)
                #expect(book.called(place("10.0.0.3"), met: answer, stored: [], now: now) == nil)
            }
            #expect(!book.hasCandidate)
            book.hear(of: place("10.0.0.4"), among: [], now: now + .seconds(599))
            #expect(!book.hasCandidate)
            book.hear(of: place("10.0.0.4"), among: [], now: now + .seconds(600))
            #expect(book.hasCandidate)
        }
    }

    @Test("naming another place after each call, or during it, brings no more calls")
    func placeAfterPlace() {
        for isDuring in [false, true] {
            var book = CallBook()
            book.hear(of: place("10.0.1.0"), among: [], now: now)
            for call in 1...CallBook.callsOfCandidate {
                #expect(book.hasCandidate, "\(call)")
                let next = place("10.0.1.\(call)")
                if isDuring { book.hear(of: next, among: [], now: now) }
                #expect(book.called(place("10.0.1.\(call - 1)"), met: .nobody, stored: [], now: now) == nil)
                if !isDuring { book.hear(of: next, among: [], now: now) }
            }
            #expect(!book.hasCandidate)
        }
    }

    @Test("where somebody else answers is last; a place that is known and named again is first")
    func order() {
        var book = CallBook()
        let stored = [place("10.0.0.1"), place("10.0.0.2"), place("10.0.0.3")]
        _ = book.called(stored[0], met: .otherKey, stored: stored, now: now)
        #expect(book.order(stored).map(\.host) == ["10.0.0.2", "10.0.0.3", "10.0.0.1"])
        book.hear(of: place("10.0.0.3"), among: stored, now: now)
        #expect(!book.hasCandidate)
        #expect(book.order(stored).map(\.host) == ["10.0.0.3", "10.0.0.2", "10.0.0.1"])
        _ = book.called(stored[0], met: .pinnedKey, stored: stored, now: now)
        #expect(book.order(stored).map(\.host) == ["10.0.0.1", "10.0.0.3", "10.0.0.2"])
    }

    @Test("names wait behind numeric addresses, which need no name server")
    func names() {
        var book = CallBook()
        let stored = [place("bob.example.org"), place("::1"), place("10.0.0.2")]
        _ = book.called(stored[0], met: .pinnedKey, stored: stored, now: now)
        #expect(book.order(stored).map(\.host) == ["::1", "10.0.0.2", "bob.example.org"])
    }

    @Test("loopback is called only for whom our user calls there, or where we can be called from nowhere else")
    func loopback() {
        for host in ["127.0.0.1", "127.9.9.9", "::1", "localhost", "::ffff:127.0.0.1"] {
            #expect(!CallBook.mayCall(host, stored: [place("10.0.0.1")], ownHost: "0.0.0.0"))
            #expect(!CallBook.mayCall(host, stored: [place("127.0.0.1", isLearned: true)], ownHost: nil))
            #expect(CallBook.mayCall(host, stored: [place("127.0.0.1", port: 9)], ownHost: "::"))
            #expect(CallBook.mayCall(host, stored: [], ownHost: "127.0.0.1"))
        }
        #expect(CallBook.mayCall("10.0.0.1", stored: [], ownHost: nil))
    }

    @Test("another key is a changed one only where our user had given none")
    func otherKey() {
        let bare = PeerAddress(host: "10.0.0.1", port: 1)
        var failure = CallFailure()
        #expect(failure.reason == LinkReason.noAddress)
        failure.met(other, at: place("10.0.0.1"), owner: nil)
        failure.note(.disconnected, at: 0)
        #expect(failure.presented == nil)
        #expect(failure.reason == .somebodyElse(endpoint: "\(place("10.0.0.1").endpoint)"))
        failure.met(other, at: bare, owner: .answersInstead(name: "carol"))
        #expect(failure.presented == nil)
        failure.met(other, at: bare, owner: nil)
        #expect(failure.presented == other && failure.reason == LinkReason.keyChanged)
    }

    @Test("places at the door are kept for networks of links and addresses, not for those of blocked contacts")
    func networks() {
        func peer(_ id: Int64, _ host: String, isBlocked: Bool = false) -> Peer {
            Peer(
                id: ContactID(id), peerID: key, name: "\(id)", addresses: [place(host)], trust: .unverified,
                isBlocked: isBlocked, added: Timestamp(milliseconds: 1))
        }
        var known = KnownNetworks()
        #expect(known.note("192.0.2.7") == true)
        #expect(known.note("192.0.2.9") == false)
        #expect(known.note("not numeric") == false)
        let peers = [peer(1, "198.51.100.1"), peer(2, "203.0.113.1", isBlocked: true), peer(3, "bob.example.org")]
        #expect(known.networks(with: peers) == ["192.0.2.0/24", "198.51.100.0/24"])
        for number in 0..<(KnownNetworks.maximum * 2) { _ = known.note("10.\(number / 256).\(number % 256).1") }
        #expect(known.networks(with: []).count == KnownNetworks.maximum)
    }
}
