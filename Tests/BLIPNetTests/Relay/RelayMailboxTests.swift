// Mailboxes: the certificate for a key, and the keys that follow from an identity.

import TestSupport
import Testing

@testable import BLIPNet

@Suite("Mailboxes with relays") struct RelayMailboxTests {
    @Test("32 bytes make one certificate, whose hash is the mailbox")
    func certificates() throws {
        let vectors = try reachVector(MailboxVectors.self, "mailbox.json").identities
        #expect(vectors.count >= 3)
        for vector in vectors {
            let identity = try TLSIdentity(mailboxSeed: bytes(hex: vector.seed))
            #expect(identity.relayID?.bytes == bytes(hex: vector.mailbox))
            #expect(RelayID(ofCertificate: bytes(hex: vector.certificate)) == identity.relayID)
        }
    }

    @Test("mailboxes follow from the identity's key, another one for each relay, generation and slot")
    func derived() throws {
        let rows = try reachVector(DerivedKeyVectors.self, "derived_keys.json").rows
        var seeds: Set<[UInt8]> = []
        for row in rows {
            guard let relay = row.relay, let slot = row.slot else { continue }
            let identity = try TLSIdentity(mailboxSeed: bytes(hex: row.identitySeed))
            let seed = identity.mailboxSeed(
                at: try #require(RelayID(bytes(hex: relay))), generation: row.generation, slot: slot)
            #expect(seed == bytes(hex: row.mailboxSeed ?? ""))
            seeds.insert(seed ?? [])
        }
        #expect(seeds.count == 12)
    }

    @Test("an ordinary identity has mailboxes as well, the same ones each time")
    func ordinary() throws {
        let identity = try TLSIdentity.generate()
        let relay = RelayID(ofCertificate: [1, 2, 3])
        let first = try identity.mailbox(at: relay, generation: 0, slot: 0)
        let again = try TLSIdentity(pem: identity.pem()).mailbox(at: relay, generation: 0, slot: 0)
        #expect(first.relayID == again.relayID && first.relayID != nil)
        #expect(try identity.mailbox(at: relay, generation: 0, slot: 1).relayID != first.relayID)
    }

    @Test("the names of onion services have a check sum")
    func onions() {
        #expect(!OnionKey.isValid([UInt8](repeating: 0, count: 35)))
        #expect(!OnionKey.isValid([]))
    }
}
