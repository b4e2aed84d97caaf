// Contacts, contact requests and keys between real clients (RELIABILITY D12, D13).

import BLIPNet
import Synchronization
import Testing

@testable import ChatCore

@Suite("People and their keys") struct PeopleScenarioTests {
    @Test("an unknown caller becomes a request; after the approval both are online and the line arrives")
    func approval() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        let contact = try await alice.client.ask(.addContact(bob.address, name: nil))
        #expect(contact.name == "bob")
        try await alice.say("may I?", to: "bob")
        try await eventually("bob has the request") { try await bob.client.ask(.contactRequests).count == 1 }
        try await eventually("alice knows that she waits") {
            await alice.client.linkState(of: contact.id) == .awaitingApproval
        }
        let request = try #require(try await bob.client.ask(.contactRequests).first)
        #expect(request.peerID == alice.id && request.name == "alice")
        #expect(try await bob.client.ask(.conversations).isEmpty)
        #expect(try await alice.history(with: "bob").first?.state == .pending)

        _ = try await bob.client.ask(.approveRequest(request.id, name: nil))
        try await ChatClient.waitOnline(alice, bob)
        try await eventually("the line arrives") { try await bob.texts(with: "alice") == ["may I?"] }
        #expect(try await bob.client.ask(.contactRequests).isEmpty)
        #expect(bob.log.contains { if case .requestsChanged(let all) = $0 { all.count == 1 } else { false } })
        await alice.stop()
        await bob.stop()
    }

    @Test("a caller who does not listen is served when they call again")
    func approvalOfCallerOnly() async throws {
        let bob = try await TestPeer("bob").start()
        let alice = try await TestPeer("alice") { $0.listen = nil }.start()
        _ = try await alice.client.ask(.addContact(bob.address, name: nil))
        try await alice.say("hello", to: "bob")
        try await eventually("bob has the request") { try await bob.client.ask(.contactRequests).count == 1 }
        let request = try #require(try await bob.client.ask(.contactRequests).first)
        #expect(request.address == nil)
        let other = PeerAddress(host: "127.0.0.1", port: 1)
        _ = try await bob.client.ask(.addContact(other, name: "Carol"))
        await #expect(throws: ChatError.store(.nameTaken("Carol"))) {
            try await bob.client.ask(.approveRequest(request.id, name: "carol"))
        }
        _ = try await bob.client.ask(.approveRequest(request.id, name: "alice"))
        try await eventually("the line arrives") { try await bob.texts(with: "alice") == ["hello"] }
        await alice.stop()
        await bob.stop()
    }

    @Test("a request that is refused does not come back, however often they call; an address still adds them")
    func refusal() async throws {
        let bob = try await TestPeer("bob").start()
        let erin = try await TestPeer("erin").start()
        let contact = try await erin.client.ask(.addContact(bob.address, name: nil))
        try await eventually("bob has the request") { try await bob.client.ask(.contactRequests).count == 1 }
        try await bob.client.ask(.rejectRequest(try #require(try await bob.client.ask(.contactRequests).first).id))
        for _ in 0..<2 {
            let calls = erin.tap.requests("hello").count
            try await erin.client.ask(.reconnect(contact.id))
            try await eventually("erin has called again") { erin.tap.requests("hello").count > calls }
            try await eventually("she is told the same as before") {
                await erin.client.linkState(of: contact.id) == .awaitingApproval
            }
            #expect(try await bob.client.ask(.contactRequests).isEmpty)
        }
        _ = try await bob.client.ask(.addContact(erin.address, name: nil))
        try await ChatClient.waitOnline(bob, erin)
        await erin.stop()
        await bob.stop()
    }

    @Test("a request that is blocked makes a blocked contact, who is never online and not told of an acceptance")
    func blockingARequest() async throws {
        let bob = try await TestPeer("bob").start()
        let mallory = try await TestPeer("mallory").start()
        let contact = try await mallory.client.ask(.addContact(bob.address, name: nil))
        try await mallory.say("let me in", to: "bob")
        try await eventually("bob has the request") { try await bob.client.ask(.contactRequests).count == 1 }
        let request = try #require(try await bob.client.ask(.contactRequests).first)

        let peer = try await bob.client.ask(.blockRequest(request.id))
        #expect(peer.isBlocked && peer.peerID == mallory.id && peer.name == "mallory")
        #expect(try await bob.store.contacts().map(\.isBlocked) == [true])
        #expect(try await bob.client.ask(.contactRequests).isEmpty)
        try await mallory.client.ask(.reconnect(contact.id))
        try await eventually("mallory is refused") {
            await mallory.client.linkState(of: contact.id) == .offline(reason: LinkReason.blockedByPeer)
        }
        #expect(!mallory.log.contains { if case .linkChanged(_, .online) = $0 { true } else { false } })
        #expect(!bob.log.contains { if case .linkChanged(_, .online) = $0 { true } else { false } })
        #expect(try await bob.history(with: "mallory").isEmpty)
        #expect(await bob.client.linkState(of: peer.id) == .offline(reason: nil))
        await #expect(throws: ChatError.noSuchRequest) { try await bob.client.ask(.blockRequest(request.id)) }
        await bob.stop()
        await mallory.stop()
    }

    @Test("with acceptsRequests unknown callers are served at once, under unique names")
    func acceptingAll() async throws {
        let bot = try await TestPeer("bot") { $0.acceptsRequests = true }.start()
        let first = try await TestPeer("sam").start()
        let second = try await TestPeer("Sam").start()
        for peer in [first, second] {
            _ = try await peer.client.ask(.addContact(bot.address, name: nil))
            try await peer.say("from \(peer.name)", to: "bot")
            try await eventually("\(peer.name) is delivered") {
                try await peer.history(with: "bot").allSatisfy { $0.state == .delivered }
            }
        }
        let names = try await bot.client.ask(.conversations).map(\.peer.name).sorted()
        #expect(names == ["Sam 2", "sam"])
        for peer in [bot, first, second] { await peer.stop() }
    }

    @Test("another key at an address that came without one stops sending, until the pinned one is proved")
    func wrongKey() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await Self.befriendByFirstKey(alice, bob)
        // His user has given him her address: what only her hello says he would forget at his end.
        _ = try await bob.client.ask(.addContact(alice.address, name: nil))
        let address = try await bob.address
        try await bob.restart(starting: false)
        let mallory = try await TestPeer("bob", listen: .host("127.0.0.1", port: address.port)) {
            $0.acceptsRequests = true
        }.start()
        let contact = try await alice.contactID("bob")
        try await eventually("alice is told") { alice.log.contains { $0 == .notice(.keyChanged(contact)) } }
        let secret = try await alice.say("secret", to: "bob")
        let stored = try await alice.contact("bob")
        #expect(stored.trust == .keyChanged)
        #expect(stored.peerID == bob.id && stored.newPeerID == mallory.id)
        try await alice.client.ask(.reconnect(contact))
        #expect(try await alice.state(of: secret.id) == .pending)
        // Not even a request: mallory has not seen who called.
        #expect(try await mallory.client.ask(.conversations).isEmpty)
        #expect(try await mallory.client.ask(.contactRequests).isEmpty)

        // The real Bob calls from elsewhere, over a link on which his key is proved: that ends it, on the disk, too.
        try await bob.restart { $0.listen = .host("127.0.0.1", port: 0) }
        try await eventually("what waited goes out") { try await alice.state(of: secret.id) == .delivered }
        #expect(try await bob.texts(with: "alice") == ["secret"])
        try await eventually("nothing is to be decided any more") {
            let stored = try await alice.store.contacts().first { $0.name == "bob" }
            return stored?.trust == .unverified && stored?.newPeerID == nil && stored?.peerID == bob.id
        }
        for peer in [alice, bob, mallory] { await peer.stop() }
    }

    @Test("the alarm ends as well when our own call meets the pinned key again, and who was verified is so again")
    func alarmEndsByOurCall() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await Self.befriendByFirstKey(alice, bob)
        let contact = try await alice.contactID("bob")
        try await alice.client.ask(.setVerified(contact))
        let port = try await bob.address.port
        try await bob.restart(starting: false)
        for var peer in try await bob.store.contacts() {
            // He never calls.
            peer.addresses = []
            try await bob.store.updateContact(peer)
        }
        let mallory = try await TestPeer("bob", listen: .host("127.0.0.1", port: port)).start()
        try await eventually("alice is told") { alice.log.contains { $0 == .notice(.keyChanged(contact)) } }
        try await alice.restart()
        let waiting = try await alice.say("are you there?", to: "bob")
        #expect(try await alice.contact("bob").trust == .keyChanged)
        await mallory.stop()
        try await bob.start()
        try await eventually("it goes out") { try await alice.state(of: waiting.id) == .delivered }
        #expect(try await alice.contact("bob").trust == .verified)
        await alice.stop()
        await bob.stop()
    }

    @Test("another key at an address that came with one is somebody else: no alarm, and it learns nothing")
    func somebodyElse() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        // His user has given him her address: what only her hello says he would forget at his end.
        _ = try await bob.client.ask(.addContact(alice.address, name: nil))
        let address = try await bob.address
        let contact = try await alice.contactID("bob")
        try await bob.restart(starting: false)
        let mallory = try await TestPeer("bob", listen: .host("127.0.0.1", port: address.port)) {
            $0.acceptsRequests = true
        }.start()
        let reason = LinkReason.somebodyElse(endpoint: "127.0.0.1:\(address.port)")
        try await eventually("alice reads who answers") {
            await alice.client.linkState(of: contact) == .offline(reason: reason)
        }
        let line = try await alice.say("for bob", to: "bob")
        try await alice.restart()
        try await eventually("after a restart, too") {
            await alice.client.linkState(of: contact) == .offline(reason: reason)
        }
        #expect(try await alice.contact("bob").trust == .unverified)
        #expect(try await alice.contact("bob").newPeerID == nil)
        #expect(try await mallory.client.ask(.conversations).isEmpty)
        await #expect(throws: ChatError.noSuchKey) {
            try await alice.client.ask(.acceptNewKey(mallory.id, of: contact, verified: true))
        }
        // The real one calls from another port.
        try await bob.restart { $0.listen = .host("127.0.0.1", port: 0) }
        try await eventually("the line goes to him") { try await alice.state(of: line.id) == .delivered }
        for peer in [alice, bob, mallory] { await peer.stop() }
    }

    @Test("an alarm of an earlier version about a contact whose key came with the address is over at the start")
    func oldAlarm() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        try await alice.restart(starting: false)
        var stored = try #require(try await alice.store.contacts().first)
        stored.trust = .keyChanged
        stored.newPeerID = PeerID(try TLSIdentity.generate().fingerprint)
        try await alice.store.updateContact(stored)
        await bob.stop()
        try await alice.start()
        #expect(try await alice.client.ask(.conversations).first?.peer.peerID == bob.id)
        try await eventually("nothing is to be decided") {
            let stored = try await alice.store.contacts().first
            return stored?.trust == .unverified && stored?.newPeerID == nil
        }
        await alice.stop()
    }

    /// As `befriend`, but the first has only host and port of the second: the key that answers is pinned.
    private static func befriendByFirstKey(_ first: TestPeer, _ second: TestPeer) async throws {
        let nowhere = PeerAddress(host: "127.0.0.1", port: 1, peerID: first.id)
        _ = try await second.client.ask(.addContact(nowhere, name: first.name))
        let address = try await second.address
        _ = try await first.client.ask(
            .addContact(PeerAddress(host: address.host, port: address.port), name: second.name))
        try await ChatClient.waitOnline(first, second)
    }

    @Test(
        "a new key is written down, and becomes the contact's when our user says so and not before",
        arguments: [true, false])
    func newKey(verified: Bool) async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await Self.befriendByFirstKey(alice, bob)
        let before = try await bob.say("from the old machine", to: "alice")
        try await eventually("it arrives") { try await bob.state(of: before.id) == .delivered }
        let path = try alice.makeFile("notes.txt", size: 1000)
        let offered = try await alice.client.ask(
            .sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await eventually("it is offered") { try await alice.state(of: offered.id) == .delivered }
        let port = try await bob.address.port
        await bob.stop()
        let newBob = try await TestPeer("bob", listen: .host("127.0.0.1", port: port)) {
            $0.acceptsRequests = true
        }.start()
        let contact = try await alice.contactID("bob")
        try await eventually("the key is known") { try await alice.contact("bob").newPeerID == newBob.id }
        let waiting = try await alice.say("for the new machine", to: "bob")
        let late = try await alice.client.ask(.sendFile(at: path, named: "late.txt", caption: "", to: contact))

        // The decision outlives a restart.
        try await alice.restart()
        #expect(try await alice.contact("bob").trust == .keyChanged)
        #expect(try await alice.contact("bob").newPeerID == newBob.id)
        await #expect(throws: ChatError.noSuchKey) {
            try await alice.client.ask(.acceptNewKey(bob.id, of: contact, verified: true))
        }
        #expect(try await alice.state(of: waiting.id) == .pending)
        #expect(try await newBob.client.ask(.conversations).isEmpty)

        try await alice.client.ask(.acceptNewKey(newBob.id, of: contact, verified: verified))
        let changed = try await alice.contact("bob")
        #expect(changed.peerID == newBob.id && changed.formerPeerIDs == [bob.id] && changed.newPeerID == nil)
        #expect(changed.trust == (verified ? .verified : .unverified) && (changed.verifiedAt != nil) == verified)
        #expect(changed.addresses.allSatisfy { $0.peerID == nil || $0.peerID == newBob.id })
        try await eventually("what waited goes out") { try await alice.state(of: waiting.id) == .delivered }
        #expect(try await alice.texts(with: "bob") == ["from the old machine", "for the new machine"])
        // What was offered to the old key is no offer to the new one; what had to wait is.
        try await eventually("the other file is offered") { try await alice.state(of: late.id) == .delivered }
        let transfers = try await alice.client.ask(.transfers(unfinishedOnly: false))
        #expect(transfers.first { $0.id == offered.id }?.state == .failed)
        #expect(transfers.first { $0.id == offered.id }?.reason == TransferReason.keyChanged)
        #expect(transfers.first { $0.id == late.id }?.state == .offered)
        // It was decided once; the old key is not asked for again.
        await #expect(throws: ChatError.noSuchKey) {
            try await alice.client.ask(.acceptNewKey(newBob.id, of: contact, verified: true))
        }
        await alice.stop()
        await newBob.stop()
    }

    @Test("the request of a contact's new key makes no other contact; who is blocked is refused with the new key")
    func requestOfNewKey() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await Self.befriendByFirstKey(alice, bob)
        let contact = try await alice.contactID("bob")
        let port = try await bob.address.port
        await bob.stop()
        let newBob = try await TestPeer("bob", listen: .host("127.0.0.1", port: port)).start()
        try await eventually("the key is known") { try await alice.contact("bob").newPeerID == newBob.id }
        _ = try await newBob.client.ask(.addContact(try await alice.address, name: nil))
        try await eventually("alice has the request") { try await alice.client.ask(.contactRequests).count == 1 }
        let request = try #require(try await alice.client.ask(.contactRequests).first)
        #expect(request.peerID == newBob.id)
        await #expect(throws: ChatError.newKeyOf("bob")) {
            try await alice.client.ask(.approveRequest(request.id, name: nil))
        }
        #expect(try await alice.client.ask(.conversations).count == 1)
        try await alice.client.ask(.setBlocked(contact, true))
        #expect(try await alice.client.ask(.contactRequests).isEmpty)
        await alice.stop()
        await newBob.stop()
    }

    @Test("another key at one address is no changed key as long as another address leads to the contact")
    func strangerAtOneAddress() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        let stranger = try await TestPeer("stranger").start()
        try await ChatClient.befriend(alice, bob)
        let port = try await stranger.address.port
        let contact = try await alice.contactID("bob")
        try await alice.client.ask(.disconnect(contact))
        try await eventually("they are apart") { try await !alice.isOnline("bob") }
        // As if bob had called from there once. It is asked first.
        _ = try await alice.client.ask(
            .addContact(
                PeerAddress(host: "127.0.0.1", port: port, peerID: bob.id), name: nil))
        let ports = try await alice.contact("bob").addresses.map(\.port)
        #expect(ports == [port, try await bob.address.port])
        try await ChatClient.waitOnline(alice, bob)
        #expect(try await alice.contact("bob").trust == .unverified)
        #expect(!alice.log.contains { $0 == .notice(.keyChanged(contact)) })
        // Nobody else is left: it is said, and is no changed key, for the address came with his.
        await bob.stop()
        let words = LinkReason.somebodyElse(endpoint: "127.0.0.1:\(port)")
        try await eventually("alice reads who answers") {
            await alice.client.linkState(of: contact) == .offline(reason: words)
        }
        #expect(try await alice.contact("bob").trust == .unverified)
        await alice.stop()
        await stranger.stop()
    }

    @Test("what is changed about a contact at the same time is all kept")
    func changesAtOnce() async throws {
        let alice = try await TestPeer("alice").start()
        let peer = try await alice.client.ask(
            .addContact(
                PeerAddress(host: "127.0.0.1", port: 1, peerID: PeerID(TLSIdentity.generate().fingerprint)), name: "bob"
            ))
        let client = alice.client
        for round in 0..<10 as Range<Int64> {
            try await withThrowingTaskGroup { group in
                group.addTask { try await client.ask(.renameContact(peer.id, to: "bob \(round)")) }
                group.addTask { try await client.ask(.setMuted(peer.id, until: Timestamp(milliseconds: round))) }
                group.addTask { try await client.ask(.setAutomaticAcceptance(UInt64(round), from: peer.id)) }
                group.addTask { try await client.ask(.setBlocked(peer.id, round.isMultiple(of: 2))) }
                try await group.waitForAll()
            }
            let stored = try #require(try await alice.store.contacts().first)
            #expect(stored.name == "bob \(round)")
            #expect(stored.mutedUntil == Timestamp(milliseconds: round))
            #expect(stored.acceptsFilesUpTo == UInt64(round))
            #expect(stored.isBlocked == round.isMultiple(of: 2))
            #expect(await alice.client.links[peer.id]?.peer == stored)
        }
        await alice.stop()
    }

    @Test("an address that has passed to another contact or to ourselves is no changed key")
    func passedAddress() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        let carol = try await TestPeer("carol").start()
        try await ChatClient.befriend(alice, carol)
        for (owner, words) in [(carol, LinkReason.answersInstead(name: "carol")), (alice, LinkReason.ownKey)] {
            let passed = PeerAddress(host: "127.0.0.1", port: try await owner.address.port, peerID: bob.id, name: "bob")
            let contact = try await alice.client.ask(.addContact(passed, name: nil)).id
            try await eventually("alice reads: \(words)") {
                await alice.client.linkState(of: contact) == .offline(reason: words)
            }
            #expect(try await alice.contact("bob").trust == .unverified)
            #expect(!alice.log.contains { $0 == .notice(.keyChanged(contact)) })
            try await alice.client.ask(.removeContact(contact))
        }
        for peer in [alice, bob, carol] { await peer.stop() }
    }

    @Test("an address without a key pins the first one that answers")
    func trustOnFirstUse() async throws {
        let bob = try await TestPeer("bob") { $0.acceptsRequests = true }.start()
        let alice = try await TestPeer("alice").start()
        let address = try await bob.address
        _ = try await alice.client.ask(.addContact(PeerAddress(host: address.host, port: address.port), name: "bob"))
        try await eventually("they are online") { try await alice.isOnline("bob") }
        let contact = try await alice.contact("bob")
        #expect(contact.peerID == bob.id)
        #expect(contact.trust == .unverified)
        let number = try await alice.client.ask(.safetyNumber(for: contact.id))
        #expect(number == (try await bob.client.ask(.safetyNumber(for: bob.contactID("alice")))))
        try await alice.client.ask(.setVerified(contact.id))
        #expect(try await alice.contact("bob").trust == .verified)
        await alice.stop()
        await bob.stop()
    }

    @Test("blocked people get nothing through, and cannot see why")
    func blocking() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        try await bob.client.ask(.setBlocked(bob.contactID("alice"), true))
        try await eventually("alice is cut off") { try await !alice.isOnline("bob") }
        let message = try await alice.say("still there?", to: "bob")
        try await eventually("alice was refused") {
            let state = await alice.client.linkState(of: try await alice.contactID("bob"))
            return state == .offline(reason: LinkReason.blockedByPeer)
        }
        #expect(try await alice.state(of: message.id) == .pending)
        #expect(try await bob.texts(with: "alice").isEmpty)
        try await bob.client.ask(.setBlocked(bob.contactID("alice"), false))
        try await eventually("after unblocking it arrives") {
            try await bob.texts(with: "alice") == ["still there?"]
        }
        await alice.stop()
        await bob.stop()
    }

    @Test("our own address is refused")
    func ownAddress() async throws {
        let alice = try await TestPeer("alice").start()
        let own = try await alice.address
        await #expect(throws: ChatError.ownAddress) { try await alice.client.ask(.addContact(own, name: nil)) }
        let bare = PeerAddress(host: "localhost", port: own.port)
        await #expect(throws: ChatError.ownAddress) { try await alice.client.ask(.addContact(bare, name: nil)) }
        await alice.stop()
    }

    @Test("a peer who has moved is known by their key when they call; where they listen is kept once a call has met it")
    func moved() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        // His user has given him her address: what only her hello says he would forget at his end.
        _ = try await bob.client.ask(.addContact(alice.address, name: nil))
        let old = try await bob.address.port
        // Bob goes to another port, and alice cannot know.
        let new = try freePort()
        try await bob.restart { $0.listen = .host("127.0.0.1", port: new) }
        #expect(new != old)
        try await ChatClient.waitOnline(alice, bob)
        #expect(try await alice.contact("bob").peerID == bob.id)
        #expect(try await alice.client.ask(.conversations).count == 1)
        let contact = try await alice.contactID("bob")
        // Nobody has called him there.
        #expect(try await alice.store.contacts().first?.addresses.map(\.port) == [old])
        // Now alice is the one who calls, when he is there again: bob comes back without calling anybody.
        try await alice.client.ask(.disconnect(contact))
        try await bob.restart(starting: false)
        for var peer in try await bob.store.contacts() {
            peer.addresses = []
            try await bob.store.updateContact(peer)
        }
        try await bob.start()
        try await alice.client.ask(.reconnect(contact))
        try await ChatClient.waitOnline(alice, bob)
        try await eventually("it is kept, ahead of where he was") {
            try await alice.store.contacts().first?.addresses.map(\.port) == [new, old]
        }
        #expect(try await alice.store.contacts().first?.addresses.map(\.isLearned) == [true, false])
        try await alice.restart()
        try await ChatClient.waitOnline(alice, bob)
        let line = try await alice.say("found you", to: "bob")
        try await eventually("it arrives") { try await alice.state(of: line.id) == .delivered }

        // A stale address can be taken out.
        await #expect(throws: ChatError.noSuchAddress) {
            try await alice.client.ask(.removeAddress(PeerAddress(host: "192.0.2.1", port: old), of: contact))
        }
        try await alice.client.ask(.removeAddress(PeerAddress(host: "127.0.0.1", port: old), of: contact))
        #expect(try await alice.store.contacts().first?.addresses.map(\.port) == [new])
        await alice.stop()
        await bob.stop()
    }

    @Test("a contact that names port after port does not make us call them over and over, nor after a restart")
    func portAfterPort() async throws {
        let alice = try await TestPeer("alice").start()
        let mallory = try TLSIdentity.generate()
        let nowhere = PeerAddress(host: "127.0.0.1", port: 1, peerID: PeerID(mallory.fingerprint))
        _ = try await alice.client.ask(.addContact(nowhere, name: "mallory"))
        let doors = try (0..<12).map { _ in try CountingDoor() }
        let port = try await alice.address.port
        for door in doors {
            var options = LinkOptions(identity: mallory)
            options.application = LinkConnecting.application
            let link = try await PeerLink.connect(
                to: .host("127.0.0.1", port: port), options: options, handler: Accepting())
            let hello: BLIPProperties = ["Name": "mallory", "Client": "x", "Listen": "\(door.port)"]
            let reply = try await link.request(
                BLIPRequest(profile: "hello", properties: hello, body: .empty, urgent: true))
            #expect(reply.error == nil)
            link.close()
            _ = await link.waitUntilClosed()
        }
        let contact = try await alice.contactID("mallory")
        // Rounds until they are forgotten: then no call to them is under way.
        try await eventually("they are forgotten") {
            try await alice.client.ask(.reconnect(contact))
            return await alice.client.links[contact]?.calls.hasCandidate == false
        }
        try await eventually("the doors have counted all calls") {
            doors.reduce(0) { $0 + $1.count } >= CallBook.callsOfCandidate
        }
        let calls = doors.reduce(0) { $0 + $1.count }
        // One more may have been under way when the last one ended.
        #expect((CallBook.callsOfCandidate...CallBook.callsOfCandidate + 1).contains(calls))
        try await alice.restart()
        try await eventually("the stored address is called") {
            if case .offline(reason: .some) = await alice.client.linkState(of: contact) { true } else { false }
        }
        #expect(doors.reduce(0) { $0 + $1.count } == calls)
        #expect(try await alice.store.contacts().first?.addresses == [nowhere])
        await alice.stop()
    }

    @Test("a stranger gets no answer to anything but hello, and leaves one request, cut to its limits")
    func stranger() async throws {
        let bob = try await TestPeer("bob").start()
        let identity = try TLSIdentity.generate()
        var options = LinkOptions(identity: identity)
        options.application = LinkConnecting.application
        options.closeTimeout = .seconds(5)
        let port = try await bob.address.port
        for attempt in 0..<3 {
            let link = try await PeerLink.connect(
                to: .host("127.0.0.1", port: port), options: options, handler: Deaf())
            let id = MessageID(at: Timestamp(milliseconds: 1_000))
            let properties: BLIPProperties = ["Id": id.text, "Seq": "1", "Sent": "1000"]
            for profile in ["message", "file-offer", "file-get", "read", "typing", "nonsense"] {
                let request = BLIPRequest(
                    profile: profile, properties: properties, body: .bytes(Array("hi".utf8)), urgent: true)
                let response = try await link.submit(request).value()
                #expect(response.error?.code == 403, "\(profile) \(attempt)")
            }
            let hello: BLIPProperties = ["Name": String(repeating: "é", count: 29) + "\u{1B}[31m", "Client": "x"]
            let response = try await link.submit(
                BLIPRequest(profile: "hello", properties: hello, body: .empty, urgent: true)
            ).value()
            #expect(response.error == nil && response.properties["Contact"] == "pending")
            _ = await link.waitUntilClosed()
        }
        let requests = try await bob.client.ask(.contactRequests)
        #expect(requests.count == 1)
        #expect(requests.first.map { $0.name.utf8.count <= 64 } == true)
        #expect(try await bob.client.ask(.conversations).isEmpty)
        #expect(try await bob.client.ask(.transfers(unfinishedOnly: false)).isEmpty)
        await bob.stop()
    }

    @Test("a contact's messages are taken right behind their hello, and not without one")
    func behindHello() async throws {
        let bob = try await TestPeer("bob").start()
        let identity = try TLSIdentity.generate()
        let nowhere = PeerAddress(host: "127.0.0.1", port: 1, peerID: PeerID(identity.fingerprint))
        let contact = try await bob.client.ask(.addContact(nowhere, name: "alice")).id
        var options = LinkOptions(identity: identity)
        options.application = LinkConnecting.application
        let link = try await PeerLink.connect(
            to: .host("127.0.0.1", port: try await bob.address.port), options: options, handler: Admitting())
        try await eventually("it is their link") { await bob.client.links[contact]?.link != nil }
        func message(_ number: Int) -> BLIPRequest {
            let id = MessageID(at: Timestamp(milliseconds: Int64(number)))
            return BLIPRequest(
                profile: "message", properties: ["Id": id.text, "Seq": "\(number)", "Sent": "1000"],
                body: .bytes(Array("line \(number)".utf8)), urgent: true)
        }
        #expect(try await link.request(message(1)).error?.code == 403)
        let hello: BLIPProperties = ["Name": "alice", "Client": "x"]
        let greeted = link.submit(BLIPRequest(profile: "hello", properties: hello, body: .empty, urgent: true))
        let said = (1...3).map { link.submit(message($0)) }
        #expect(try await greeted.value().properties["Contact"] == "accepted")
        for pending in said { #expect(try await pending.value().error == nil) }
        #expect(try await bob.texts(with: "alice") == ["line 1", "line 2", "line 3"])
        link.close()
        await bob.stop()
    }

    @Test("what is refused before our hello is answered has not failed: the hello may have been refused")
    func refusedBeforeHello() async throws {
        let alice = try await TestPeer("alice").start()
        let identity = try TLSIdentity.generate()
        let nowhere = PeerAddress(host: "127.0.0.1", port: 1, peerID: PeerID(identity.fingerprint))
        let contact = try await alice.client.ask(.addContact(nowhere, name: "bob")).id
        let message = try await alice.say("first", to: "bob")
        _ = try await alice.store.advanceState(of: message.id, in: contact, to: .delivered)
        _ = try await alice.client.ask(.edit(message, to: "changed"))
        var options = LinkOptions(identity: identity)
        options.application = LinkConnecting.application
        let link = try await PeerLink.connect(
            to: .host("127.0.0.1", port: try await alice.address.port), options: options, handler: Refusing())
        let hello: BLIPProperties = ["Name": "bob", "Client": "x", "Features": "early"]
        let request = BLIPRequest(profile: "hello", properties: hello, body: .empty, urgent: true)
        #expect(try await link.request(request).properties["Contact"] == "accepted")
        try await eventually("they have refused it") { await alice.client.links[contact]?.outbox.isHeld == true }
        let state = try await alice.history(with: "bob").first?.operationState
        #expect(state == .sent || state == .pending, "\(String(describing: state))")
        link.close()
        await alice.stop()
    }

    @Test("the 33rd request takes the place of another, and its caller cannot tell")
    func storedRequests() async throws {
        let bob = try await TestPeer("bob") {
            $0.limits.storedContactRequests = 3
            $0.limits.contactRequestsPerDay = 100
        }.start()
        #expect(ChatLimits().storedContactRequests == 32 && ChatLimits().contactRequestsPerDay == 10)
        let address = try await bob.address
        for number in 1...4 {
            let caller = try await TestPeer("caller \(number)") { $0.listen = nil }.start()
            let contact = try await caller.client.ask(.addContact(address, name: "bob"))
            try await eventually("caller \(number) waits") {
                await caller.client.linkState(of: contact.id) == .awaitingApproval
            }
            await caller.stop()
        }
        #expect(try await bob.client.ask(.contactRequests).map(\.name) == ["caller 2", "caller 3", "caller 4"])
        await bob.stop()
    }

    /// A link of a key that bob does not know, from a program that packs as much into a frame as it likes.
    private func packingLink(to bob: TestPeer) async throws -> PeerLink {
        var options = LinkOptions(identity: try TLSIdentity.generate())
        options.application = LinkConnecting.application
        options.blip.frameOut = 65_536
        return try await PeerLink.connect(
            to: .host("127.0.0.1", port: try await bob.address.port), options: options, handler: Admitting())
    }

    private func hello(_ body: Int = 0) -> BLIPRequest {
        let properties: BLIPProperties = ["Name": "mallory", "Client": "x"]
        return BLIPRequest(
            profile: "hello", properties: properties, body: .bytes([UInt8](repeating: 0x61, count: body)), urgent: true,
            compressed: true)
    }

    @Test("a stranger who has us unpack more than 64 KiB before hello is closed")
    func strangersBomb() async throws {
        let bob = try await TestPeer("bob") { $0.acceptsRequests = true }.start()
        let link = try await packingLink(to: bob)
        await #expect(throws: LinkError.self) { _ = try await link.request(hello(2 << 20)) }
        guard case .closedByPeer(code: 1009, _) = await link.waitUntilClosed() else {
            Issue.record("closed otherwise: \(await link.waitUntilClosed())")
            return
        }
        #expect(try await bob.client.ask(.contactRequests).isEmpty)
        #expect(try await bob.client.ask(.conversations).isEmpty)
        await bob.stop()
    }

    @Test("who is accepted may send more than that, packed")
    func packedTexts() async throws {
        let bob = try await TestPeer("bob") { $0.acceptsRequests = true }.start()
        let link = try await packingLink(to: bob)
        let reply = try await link.request(hello())
        #expect(reply.error == nil && reply.properties["Contact"] == "accepted")
        for number in 1...8 {
            let id = MessageID(at: Timestamp(milliseconds: Int64(number)))
            let response = try await link.request(
                BLIPRequest(
                    profile: "message", properties: ["Id": id.text, "Seq": "\(number)", "Sent": "1000"],
                    body: .bytes([UInt8](repeating: 0x61, count: 60_000)), urgent: true, compressed: true))
            #expect(response.error == nil, "\(number)")
        }
        link.close()
        await bob.stop()
    }

    @Test("requests beyond the day's quota of an address are not kept, and the caller cannot tell")
    func quota() async throws {
        let bob = try await TestPeer("bob") { $0.limits.contactRequestsPerDay = 2 }.start()
        var callers: [TestPeer] = []
        for number in 1...3 {
            let caller = try await TestPeer("caller \(number)") { $0.listen = nil }.start()
            let contact = try await caller.client.ask(.addContact(bob.address, name: "bob"))
            try await eventually("caller \(number) waits") {
                await caller.client.linkState(of: contact.id) == .awaitingApproval
            }
            callers.append(caller)
        }
        #expect(try await bob.client.ask(.contactRequests).map(\.name).sorted() == ["caller 1", "caller 2"])
        for peer in callers + [bob] { await peer.stop() }
    }
}

/// A port at which nobody listens.
private func freePort() throws -> UInt16 {
    let listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
    defer { listener.close() }
    guard case .host(_, let port) = listener.localEndpoint else { return 0 }
    return port
}

/// A stranger's side that says yes to everything.
private final class Admitting: BLIPRequestHandler {
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        BLIPResponse(properties: ["Contact": "accepted"])
    }
}

/// Does not answer hello, and refuses everything else.
private final class Refusing: BLIPRequestHandler {
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        request.properties.profile == "hello" ? nil : .failure(.forbidden, "say hello first")
    }
}

/// A stranger's side: answers nothing.
private final class Deaf: BLIPRequestHandler {
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? { nil }
}

/// Accepts us as a contact, and answers nothing else.
private final class Accepting: BLIPRequestHandler {
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        request.properties.profile == "hello" ? BLIPResponse(properties: ["Contact": "accepted"]) : nil
    }
}

/// A port at which calls are counted and hung up.
private final class CountingDoor: Sendable {
    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    private let listener: TCPListener
    private let counter = Counter()
    let port: UInt16
    var count: Int { counter.value.load(ordering: .relaxed) }

    init() throws {
        listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        guard case .host(_, let port) = listener.localEndpoint else { throw CancellationError() }
        self.port = port
        Task { [listener, counter] in
            for await connection in listener {
                counter.value.add(1, ordering: .relaxed)
                connection.close()
            }
        }
    }

    deinit { listener.close() }
}
