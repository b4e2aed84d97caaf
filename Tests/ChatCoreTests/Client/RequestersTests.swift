// Whose contact requests are kept, and for how long a refusal lasts.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Contact requests of this run") struct RequestersTests {
    private let key: PeerID
    private let other: PeerID

    init() throws {
        key = PeerID(try TLSIdentity.generate().fingerprint)
        other = PeerID(try TLSIdentity.generate().fingerprint)
    }

    private func at(_ days: Int64) -> Timestamp { Timestamp(milliseconds: days * Requesters.refusalLasts) }

    @Test("a refused request does not come back for a day, unless the refusal is taken back")
    func refusal() {
        var requesters = Requesters(perDay: 1)
        requesters.refuse(key, now: at(1))
        #expect(requesters.isRefused(key, now: at(1)))
        #expect(requesters.admit(key, from: "10.0.0.0", isKnown: true, now: at(1)) == false)
        #expect(!requesters.isRefused(other, now: at(1)))
        #expect(!requesters.isRefused(key, now: at(2)))
        requesters.refuse(other, now: at(2))
        requesters.takeBackRefusal(of: other)
        #expect(!requesters.isRefused(other, now: at(2)))
    }

    @Test("a network may leave so many new requests a day; those that are kept already may always be renewed")
    func quota() {
        var requesters = Requesters(perDay: 1)
        #expect(requesters.admit(key, from: "10.0.0.0", isKnown: false, now: at(1)) == true)
        #expect(requesters.admit(other, from: "10.0.0.0", isKnown: false, now: at(1)) == false)
        #expect(requesters.admit(key, from: "10.0.0.0", isKnown: true, now: at(1)) == true)
    }
}
