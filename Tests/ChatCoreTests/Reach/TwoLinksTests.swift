// Two links of one contact along ways of different kinds: the better one stays (REACH 4).

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Two links along different ways") struct TwoLinksTests {
    private let now = MonotonicTime(nanoseconds: 1)
    private let own: PeerID
    private let peer: PeerID
    private let contact = ContactID(1)

    init() throws {
        own = PeerID(try TLSIdentity.generate().fingerprint)
        peer = PeerID(try TLSIdentity.generate().fingerprint)
    }

    private func links() -> Links {
        var links = Links(ownID: own, limits: NetworkLimits(), policy: ReconnectPolicy())
        links.know(
            Peer(
                id: contact, peerID: peer, name: "bob", addresses: [], trust: .unverified,
                added: Timestamp(milliseconds: 0)))
        return links
    }

    private func link(_ links: inout Links, byRelay: Bool, isOutgoing: Bool = false) -> ActiveLink {
        let relay = byRelay ? Endpoint.host("relay.example.org", port: 22067) : nil
        let connection = SimulatedConnection(
            to: peer, at: "10.1.0.1", isOutgoing: isOutgoing, began: nil, relay: relay)
        return links.make(
            connection, RequestRouter(limits: ChatLimits(), memory: WaitingMemory(bytes: 0)), peer, now: now)
    }

    @Test("a direct link takes the place of a relayed one at once, whoever has made it")
    func better() {
        for isOutgoing in [true, false] {
            var links = links()
            let relayed = link(&links, byRelay: true, isOutgoing: !isOutgoing)
            guard case .stays(replaced: nil)? = links.adopt(relayed, for: contact, now: now) else {
                Issue.record("it is the first one")
                return
            }
            let direct = link(&links, byRelay: false, isOutgoing: isOutgoing)
            guard case .stays(let replaced?)? = links.adopt(direct, for: contact, now: now) else {
                Issue.record("the better one does not stay")
                return
            }
            #expect(replaced.number == relayed.number && links.isPresent(direct.number, of: contact))
        }
    }

    @Test("a relayed link waits for a sign of life of a direct one, and takes its place only when there is none")
    func worse() {
        var links = links()
        let direct = link(&links, byRelay: false)
        _ = links.adopt(direct, for: contact, now: now)
        let relayed = link(&links, byRelay: true)
        guard case .waits(let present)? = links.adopt(relayed, for: contact, now: now + .seconds(60)) else {
            Issue.record("it does not wait")
            return
        }
        #expect(present.number == direct.number && links.isPresent(direct.number, of: contact))
        let isReplaced = links.replace(direct.number, by: relayed, for: contact)
        #expect(isReplaced)
        #expect(links.isPresent(relayed.number, of: contact))
        let isReplacedAgain = links.replace(direct.number, by: direct, for: contact)
        #expect(!isReplacedAgain, "it is not the present one any more")
    }

    @Test("of two relayed ones the rules of two direct ones hold")
    func equal() {
        var links = links()
        let first = link(&links, byRelay: true)
        _ = links.adopt(first, for: contact, now: now)
        let second = link(&links, byRelay: true)
        guard case .stays(let replaced?)? = links.adopt(second, for: contact, now: now) else {
            Issue.record("the later one does not stay")
            return
        }
        #expect(replaced.number == first.number)
    }
}
