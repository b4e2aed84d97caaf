// What contacts are called, and what goes along with a name.

import BLIPNet
import Synchronization
import Testing

@testable import ChatCore

/// Settings by name, as a file would have them.
private final class NoteBook: NamedSettings {
    private let state: Mutex<(names: Set<String>, log: [String], refuses: Bool)>

    init(_ names: Set<String>) { state = Mutex((names, [], false)) }

    var names: Set<String> { state.withLock { $0.names } }
    var log: [String] { state.withLock { $0.log } }
    func refuse() { state.withLock { $0.refuses = true } }

    func copy(_ old: String, to new: String) async throws(NamedSettingsError) -> Bool {
        let result: Result<Bool, NamedSettingsError> = state.withLock { state in
            if state.refuses { return .failure(NamedSettingsError(reason: "config.toml: no space")) }
            state.log.append("copy \(old) \(new)")
            guard state.names.contains(old) else { return .success(false) }
            state.names.insert(new)
            return .success(true)
        }
        return try result.get()
    }

    func remove(_ name: String) async {
        state.withLock { state in
            state.log.append("remove \(name)")
            // As in config.toml: without regard to case.
            state.names = state.names.filter { ContactNames.folded($0) != ContactNames.folded(name) }
        }
    }
}

@Suite("Names of contacts") struct NamingTests {
    @Test("what belongs to a name has the new one before the contact has it, and the old one until it has")
    func order() async throws {
        let book = NoteBook(["carol"])
        let alice = try await TestPeer("alice", namedSettings: book) {
            $0.retention = RetentionRules(standard: .days(1), byName: ["carol": .forever])
            $0.contactRules = ContactRules(byName: ["carol": .init(sendsReceipts: false)])
        }.start()
        let carol = try await alice.client.ask(.addContact(PeerAddress(host: "127.0.0.1", port: 1), name: "carol"))
        try await alice.client.ask(.renameContact(carol.id, to: "Caroline"))
        #expect(book.log == ["copy carol Caroline", "remove carol"] && book.names == ["Caroline"])
        let rules = await alice.client.configuration
        #expect(rules.retention.retention(named: "Caroline", own: nil) == .forever)
        #expect(rules.retention.retention(named: "carol", own: nil) == .days(1))
        #expect(await !alice.client.sendsReceipts(to: carol.id))
        // The same name as people see it: nothing has to move.
        try await alice.client.ask(.renameContact(carol.id, to: "caroline"))
        #expect(book.log.count == 2)
        #expect(await !alice.client.sendsReceipts(to: carol.id))
        try await alice.client.ask(.removeContact(carol.id))
        #expect(book.names.isEmpty)
        await alice.stop()
    }

    @Test("a name that somebody else has takes nothing from them, and settings that cannot move keep the name")
    func refused() async throws {
        let book = NoteBook(["bob", "carol"])
        let alice = try await TestPeer("alice", namedSettings: book).start()
        _ = try await alice.client.ask(.addContact(PeerAddress(host: "127.0.0.1", port: 1), name: "bob"))
        let carol = try await alice.client.ask(.addContact(PeerAddress(host: "127.0.0.1", port: 2), name: "carol"))
        await #expect(throws: ChatError.store(.nameTaken("bob"))) {
            try await alice.client.ask(.renameContact(carol.id, to: "BOB"))
        }
        #expect(book.log.isEmpty)
        book.refuse()
        await #expect(throws: ChatError.cannotKeepSettings(reason: "config.toml: no space")) {
            try await alice.client.ask(.renameContact(carol.id, to: "Caroline"))
        }
        #expect(try await alice.contact("carol").id == carol.id)
        await alice.stop()
    }

    @Test("who was added without a name is called as they introduce themselves, once; a name of ours stays")
    func introduced() async throws {
        let book = NoteBook(["127.0.0.1"])
        let alice = try await TestPeer("alice", namedSettings: book).start()
        let bob = try await TestPeer("bob") { $0.acceptsRequests = true }.start()
        var nameless = try await bob.address
        nameless.name = nil
        let added = try await alice.client.ask(.addContact(nameless, name: nil))
        #expect(added.name == "127.0.0.1" && added.isNameProvisional)
        try await eventually("bob has introduced himself") {
            try await alice.client.ask(.conversations).first?.peer.name == "bob"
        }
        #expect(try await !alice.contact("bob").isNameProvisional)
        #expect(book.names == ["bob"])
        // He calls himself something else later: that is his matter.
        try await bob.restart { $0.name = "Robert" }
        try await eventually("they are linked again") { try await alice.isOnline("bob") }
        #expect(try await alice.client.ask(.conversations).map(\.peer.name) == ["bob"])

        let carol = try await TestPeer("carol") { $0.acceptsRequests = true }.start()
        let named = try await alice.client.ask(.addContact(try await carol.address, name: "Caro"))
        try await eventually("they are linked") { try await alice.isOnline("Caro") }
        #expect(!named.isNameProvisional)
        // Somebody who introduces himself as another contact does not become them.
        let twin = try await TestPeer("BOB") { $0.acceptsRequests = true }.start()
        var address = try await twin.address
        address.name = nil
        let third = try await alice.client.ask(.addContact(address, name: nil))
        try await eventually("the other Bob has introduced himself") {
            try await alice.client.ask(.conversations).first { $0.peer.id == third.id }?.peer.name == "BOB 2"
        }
        for peer in [alice, bob, carol, twin] { await peer.stop() }
    }
}

extension ChatClient {
    fileprivate func sendsReceipts(to contact: ContactID) -> Bool {
        configuration.sendsReceipts(to: links[contact]?.peer)
    }
}
