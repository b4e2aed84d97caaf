// Contacts and contact requests.

import ChatCore
import Testing

@testable import Storage

@Suite("Contacts")
struct ContactsTests {
    @Test("come back as they were stored")
    func roundTrip() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        var peer = try await database.addContact(
            NewContact(
                peerID: peerID(3), name: "Zoë \u{202E}",
                addresses: [try PeerAddress(parsing: "blip://[::1]:99?name=Z%20z")],
                trust: .verified, added: .init(milliseconds: 12)))
        #expect(try await database.contacts() == [peer])
        peer.name = "Zoë"
        peer.trust = .keyChanged
        peer.isBlocked = true
        peer.lastSeen = .init(milliseconds: 99)
        peer.verifiedAt = .init(milliseconds: 98)
        peer.mutedUntil = .endless
        peer.acceptsFilesUpTo = 1 << 40
        peer.newPeerID = peerID(4)
        peer.formerPeerIDs = [peerID(5), peerID(6)].compactMap(\.self)
        #expect(peer.formerPeerIDs.count == 2)
        peer.addresses = []
        try await database.updateContact(peer)
        #expect(try await database.contacts() == [peer])
        #expect(try await database.conversations().map(\.peer) == [peer])
        #expect(try await database.conversations().map(\.unreadCount) == [0])
    }

    @Test("an address keeps where it comes from; given by the user it is not learned any more")
    func learnedAddresses() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        var plain = PeerAddress(host: "fe80::1%eth0", port: 1, peerID: peerID(3))
        var named = PeerAddress(host: "10.0.0.1", port: 2, peerID: peerID(3), name: "a?b&from=hello")
        plain.origin = .heard
        named.origin = .heard
        let given = PeerAddress(host: "10.0.0.2", port: 3, name: "from=hello")
        var peer = try await database.addContact(
            NewContact(peerID: peerID(3), name: "bob", addresses: [given], added: .init(milliseconds: 1)))
        peer.addresses = [plain, named, given]
        try await database.updateContact(peer)
        #expect(try await database.contacts().first?.addresses == [plain, named, given])
        plain.origin = .user
        let again = try await database.addContact(
            NewContact(peerID: peerID(3), name: "bob", addresses: [plain], added: .init(milliseconds: 1)))
        #expect(again.addresses == [plain, named, given])
    }

    @Test("REACH 6: of the addresses that the user has given the latest eight are kept, beside those that were told")
    func manyAddresses() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        var told = PeerAddress(host: "10.0.0.1", port: 1, peerID: peerID(3))
        told.origin = .told
        var peer = try await database.addContact(
            NewContact(peerID: peerID(3), name: "bob", addresses: [told], added: .init(milliseconds: 1)))
        for port in 2...12 as ClosedRange<UInt16> {
            let given = PeerAddress(host: "10.0.0.2", port: port, peerID: peerID(3))
            peer = try await database.addContact(
                NewContact(peerID: peerID(3), name: "bob", addresses: [given], added: .init(milliseconds: 1)))
        }
        #expect(peer.addresses.map(\.port) == [12, 11, 10, 9, 8, 7, 6, 5, 1])
        // One address with more ways than that keeps all of them.
        let long = (20..<29).map { PeerAddress(host: "10.0.0.3", port: $0, peerID: peerID(3)) }
        let all = try await database.addContact(
            NewContact(peerID: peerID(3), name: "bob", addresses: long, added: .init(milliseconds: 1)))
        #expect(all.addresses.map(\.port) == Array(20..<29) + [1])
    }

    @Test("have names that differ in more than case")
    func refusesTakenNames() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        _ = try await database.contact("Ärger")
        let other = try await database.contact("other")
        await #expect(throws: StoreError.nameTaken("Ärger")) { try await database.contact("äRGER") }
        var changed = try #require(try await database.contacts().first { $0.id == other })
        changed.name = "ÄRGER"
        let renamed = changed
        await #expect(throws: StoreError.nameTaken("Ärger")) { try await database.updateContact(renamed) }
        // What nobody sees makes no other name: invisible characters, blanks, another normal form.
        for twin in ["ärger\u{200B}", "a\u{308}rger", "Är\u{2060}ger\u{FE0F}", "Ärger\u{3000}", "Ä\u{AD}rger"] {
            await #expect(throws: StoreError.nameTaken("Ärger")) { try await database.contact(twin) }
        }
        // A contact that looks like another since an earlier version can still be changed.
        try await database.writer.perform { connection throws(StoreError) in
            try connection.run(
                "UPDATE contacts SET name = ?, folded_name = ? WHERE id = ?", .text("Ärger\u{200B}"),
                .text("ärger\u{200B}"), .integer(other.rawValue))
        }
        var old = try #require(try await database.contacts().first { $0.id == other })
        old.isBlocked = true
        try await database.updateContact(old)
    }

    @Test("with a known key get the new address instead of a second entry")
    func mergesByKey() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let first = try await database.contact("bob", key: 5)
        let again = try await database.addContact(
            NewContact(
                peerID: peerID(5), name: "robert", addresses: [PeerAddress(host: "10.0.0.9", port: 1)],
                added: .init(milliseconds: 2)))
        #expect(again.id == first)
        #expect(again.name == "bob")
        #expect(again.addresses.map(\.host) == ["10.0.0.9", "127.0.0.1"])
    }

    @Test("take their conversation and its search index with them")
    func removesEverything() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let carol = try await database.contact("carol")
        try await database.say("a secret word", to: bob)
        try await database.say("a secret for carol", to: carol)
        try await database.setDraft("half", for: bob)
        try await database.removeContact(bob)
        #expect(try await database.texts("secret") == ["a secret for carol"])
        #expect(try await database.texts("ecre") == ["a secret for carol"])
        #expect(try await database.page(of: bob, .newest, limit: 5).isEmpty)
        #expect(try await database.outbox(for: bob, limit: 5).isEmpty)
        #expect(try await database.conversations().map(\.peer.name) == ["carol"])
    }

    @Test("that ask are kept once per key and up to a limit")
    func limitsRequests() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        func ask(_ key: UInt8, _ name: String, at time: Int64, limit: Int = 2) async throws -> ContactRequest? {
            try await database.recordContactRequest(
                peerID: try #require(peerID(key)), name: name, address: PeerAddress(host: "h", port: 7),
                origin: "192.0.2.1:5", at: .init(milliseconds: time), limit: limit)
        }
        let first = try #require(try await ask(1, "one", at: 1))
        let second = try #require(try await ask(2, "two", at: 2))
        let refreshed = try #require(try await ask(1, "uno", at: 4))
        #expect(refreshed.id == first.id)
        #expect(try await database.contactRequests().map(\.name) == ["two", "uno"])
        // The newest takes the place of the oldest.
        let third = try #require(try await ask(3, "three", at: 5))
        #expect(try await database.contactRequests() == [refreshed, third])
        try await database.removeContactRequest(refreshed.id)
        #expect(try await database.contactRequests() == [third])
        #expect(second.id != third.id)
        #expect(try await ask(4, "four", at: 6, limit: 0) == nil)
    }

    @Test("from one network under ever new keys push out each other, and nobody else")
    func fullOfOneNetwork() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        func ask(_ key: UInt8, from origin: String) async throws {
            let stored = try await database.recordContactRequest(
                peerID: try #require(peerID(key)), name: "\(key)", address: nil, origin: origin,
                at: .init(milliseconds: Int64(key)), limit: 4)
            #expect(stored != nil)
        }
        try await ask(1, from: "192.0.2.1:5")
        for key in 2...40 as ClosedRange<UInt8> { try await ask(key, from: "198.51.100.7:\(key)") }
        #expect(try await database.contactRequests().map(\.name) == ["1", "38", "39", "40"])
        try await ask(41, from: "[2001:db8::1]:5")
        #expect(try await database.contactRequests().map(\.name) == ["1", "39", "40", "41"])
    }

    @Test("that became a contact while they asked leave no request behind")
    func contactsDoNotAsk() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let key = try #require(peerID(1))
        func ask() async throws -> ContactRequest? {
            try await database.recordContactRequest(
                peerID: key, name: "one", address: nil, origin: "192.0.2.1:5", at: .init(milliseconds: 1), limit: 2)
        }
        let request = try #require(try await ask())
        let contact = try await database.addContact(
            NewContact(peerID: key, name: "one", addresses: [], isBlocked: true, added: .init(milliseconds: 2)))
        try await database.removeContactRequest(request.id)
        #expect(try await ask() == nil)
        #expect(try await database.contactRequests().isEmpty)
        try await database.removeContact(contact.id)
        #expect(try await ask() != nil)
    }
}
