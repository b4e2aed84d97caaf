// Who is called, who may call, and whose link a connection becomes.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Contacts and links") struct LinksTests {
    private let alice = ContactID(1)
    private let bob = ContactID(2)
    private let carol = ContactID(3)
    private let now = MonotonicTime(nanoseconds: 1)
    private let own: PeerID
    private let keys: [PeerID]
    private let made: Links

    init() throws {
        let fresh = try (0..<4).map { _ in PeerID(try TLSIdentity.generate().fingerprint) }
        own = fresh[0]
        keys = Array(fresh[1...])
        var limits = NetworkLimits()
        limits.knownConnections = 1
        limits.unknownConnections = 2
        limits.unknownConnectionsPerAddress = 1
        var links = Links(ownID: own, limits: limits, policy: ReconnectPolicy())
        for (contact, key) in zip([alice, bob], keys) { links.know(Self.peer(contact, key)) }
        made = links
    }

    private static func peer(_ contact: ContactID, _ key: PeerID?) -> Peer {
        Peer(
            id: contact, peerID: key, name: "contact \(contact.rawValue)",
            addresses: [PeerAddress(host: "10.0.0.\(contact.rawValue)", port: 1, peerID: key)], trust: .unverified,
            added: Timestamp(milliseconds: 0))
    }

    private func link(_ links: inout Links, with key: PeerID, from host: String = "10.1.0.1") -> ActiveLink {
        links.make(
            SimulatedConnection(to: key, at: host, isOutgoing: false, began: nil),
            RequestRouter(limits: ChatLimits(), memory: WaitingMemory(bytes: 0)), key, now: now)
    }

    private func called(_ links: inout Links, with key: PeerID, from host: String = "10.1.0.1") -> Links.Call {
        let link = link(&links, with: key, from: host)
        return links.called(by: link)
    }

    @Test("a contact is called when there is somewhere to call, nothing under way, and room")
    func dial() {
        var links = made
        #expect(links.dial(alice) == .now(1))
        #expect(links.dial(alice) == .no)
        #expect(links.dial(carol) == .no)
        let link = link(&links, with: keys[0])
        #expect(links.called(by: link) == .links(alice))
        _ = links.adopt(link, for: alice, now: now)
        #expect(links.session(ofCall: 1, to: alice) == nil, "they have called meanwhile")
        #expect(links.dial(bob) == .later)
        links[bob]?.isPutOff = true
        #expect(links.dial(bob) == .no)
        #expect(links.nextCall(of: bob, now: now, wall: Timestamp(milliseconds: 0)) == nil)
    }

    @Test("an answered call becomes a link, unless the key is ours or that of somebody else")
    func answered() {
        let links = made
        #expect(links.answered(alice, by: keys[0]) == .links(pins: false))
        #expect(links.answered(carol, by: keys[2]) == .forgotten)
        for key in [own, keys[1]] {
            guard case .closes = links.answered(alice, by: key) else {
                Issue.record("it is not theirs")
                return
            }
        }
        #expect(links.ownerElsewhere(keys[1]) == .answersInstead(name: "contact 2"))
        #expect(links.ownerElsewhere(keys[2]) == nil)
    }

    @Test("the first key that answers is pinned, but for a contact whom our user has blocked meanwhile")
    func pinned() {
        var links = made
        links.know(Self.peer(carol, nil))
        #expect(links.answered(carol, by: keys[2]) == .links(pins: true))
        links[carol]?.peer.isBlocked = true
        guard case .closes = links.answered(carol, by: keys[2]) else {
            Issue.record("they are blocked")
            return
        }
    }

    @Test("callers whom we do not know have few places, and fewer from one network; a known key has its own")
    func strangers() {
        var links = made
        let first = link(&links, with: keys[2])
        #expect(links.called(by: first) == .stranger)
        #expect(called(&links, with: keys[2]) == .full)
        #expect(called(&links, with: keys[2], from: "10.2.0.1") == .stranger)
        #expect(called(&links, with: keys[2], from: "10.3.0.1") == .full)
        #expect(called(&links, with: keys[0]) == .links(alice))
        #expect(links.endStranger(first.number) == true)
        #expect(links.endStranger(first.number) == false)
        #expect(called(&links, with: keys[2]) == .stranger)
        #expect(called(&links, with: own) == .closes(telling: "own address"))
    }

    @Test("REACH 6: unknown callers of a relay count as one address, those of the onion service, too")
    func oneAddress() {
        func called(_ links: inout Links, from host: String, relay: Endpoint?, isOnion: Bool = false) -> Links.Call {
            let connection = SimulatedConnection(
                to: keys[2], at: host, isOutgoing: false, began: nil, relay: relay, isOnion: isOnion)
            let link = links.make(
                connection, RequestRouter(limits: ChatLimits(), memory: WaitingMemory(bytes: 0)), keys[2], now: now)
            return links.called(by: link)
        }
        for relay in [Endpoint.host("relay.example.org", port: 22067), nil] {
            var links = made
            let first = called(&links, from: "10.1.0.1", relay: relay, isOnion: relay == nil)
            let second = called(&links, from: "10.2.0.1", relay: relay, isOnion: relay == nil)
            let direct = called(&links, from: "10.2.0.1", relay: nil)
            #expect(first == .stranger && second == .full && direct == .stranger)
        }
    }

    @Test("both sides have to accept before a link is online, and late news of an old link change nothing")
    func online() {
        var links = made
        let (old, new) = (link(&links, with: keys[0]), link(&links, with: keys[0]))
        for link in [old, new] { _ = links.adopt(link, for: alice, now: now) }
        #expect(!links.isPresent(old.number, of: alice) && links.isPresent(new.number, of: alice))
        let steps = [
            links.update(alice, new.number) { $0.admitsPeer = true },
            links.update(alice, old.number) { $0.isAdmittedByPeer = true },
            links.update(alice, new.number) { $0.isAdmittedByPeer = true },
            links.update(alice, new.number) { $0.isAdmittedByPeer = true },
        ]
        #expect(steps == [false, false, true, false])
        #expect(links.isOnline(new) && !links.isOnline(old))
    }

    @Test("of what waited on a link that has ended, only what is stored counts, and not from a changed key")
    func remainder() {
        var links = made
        let link = link(&links, with: keys[0])
        #expect(links.counts(isStored: true, from: alice, on: link))
        #expect(!links.counts(isStored: false, from: alice, on: link))
        #expect(!links.counts(isStored: true, from: bob, on: link))
        _ = links.adopt(link, for: alice, now: now)
        #expect(links.counts(isStored: false, from: alice, on: link))
        links[alice]?.peer.trust = .keyChanged
        #expect(links.counts(isStored: true, from: alice, on: link))
        #expect(links[alice]?.linkEnded(link.number, reason: nil, now: now) == true)
        #expect(!links.counts(isStored: true, from: alice, on: link))
    }

    @Test("our user's wish for links is for all who are not put off, or for all when everybody is")
    func wanted() {
        var links = made
        #expect(links.wanted() == [alice, bob])
        links[alice]?.isPutOff = true
        #expect(links.wanted() == [bob])
        links[bob]?.isPutOff = true
        #expect(links.wanted() == [alice, bob])
    }

    @Test("contacts are found by key, by address and by the name as people see it")
    func find() {
        var links = made
        #expect(links.session(of: keys[1])?.peer.id == bob)
        #expect(links.peer(at: PeerAddress(host: "10.0.0.2", port: 1, peerID: nil))?.id == bob)
        #expect(throws: ChatError.store(.nameTaken("contact 2"))) {
            try made.checkFree("CONTACT 2") { $0.id == alice }
        }
        #expect(throws: Never.self) { try made.checkFree("contact 2") { $0.id == bob } }
        #expect(links.forget(bob)?.peer.id == bob)
        #expect(links.contacts == [alice])
    }
}
