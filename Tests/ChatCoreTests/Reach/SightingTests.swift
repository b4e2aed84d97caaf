// What neighbours show, as values: every vector both ways, and whatever a hostile neighbour sends.

import BLIPNet
import Testing

import struct TestSupport.SeededGenerator

@testable import ChatCore

/// Sightings behind a reference, for `#expect`.
private final class Network {
    private(set) var sightings = Sightings()

    func found(_ key: NeighbourKey, host: String, port: UInt16, texts: [[UInt8]], now: Timestamp) -> Bool {
        sightings.found(key, host: host, port: port, texts: texts, now: now)
    }

    func gone(_ key: NeighbourKey) -> Bool { sightings.gone(key) }
}

@Suite("People in this network") struct SightingTests {
    private let now = Timestamp(milliseconds: 1_795_729_009_000)
    private var bob: PeerID { get throws { PeerID(try TLSIdentity.generate().fingerprint) } }

    private func key(_ instance: String, isIPv6: Bool = false) -> NeighbourKey {
        NeighbourKey(instance: instance, interface: 2, isIPv6: isIPv6)
    }

    private func bytes(_ texts: NeighbourTexts) -> [[UInt8]] { texts.texts.map { Array($0.utf8) } }

    private func texts(_ peer: PeerID, hour: Int64? = nil) -> NeighbourTexts {
        var texts = NeighbourTexts()
        texts.tag = LANTag(of: peer, hour: hour ?? LANTag.hour(of: now))
        return texts
    }

    @Test("tags of the hour and marks of words are those of the vectors, and are read again")
    func vectors() throws {
        let vectors = try ReachVectors.load(ReachVectors.LAN.self, "lan.json")
        let peer = try #require(PeerID(vectors.peerId))
        #expect(vectors.tags.count >= 6)
        for row in vectors.tags {
            #expect(LANTag.hour(of: Timestamp(milliseconds: row.unixTime * 1000 + 999)) == row.hour)
            let tag = LANTag(of: peer, hour: row.hour)
            #expect("\(tag)" == row.t && LANTag(row.t) == tag)
        }
        let mailbox = try #require(RelayID(text: vectors.meeting.mailbox))
        #expect("\(LANTag(mailbox: mailbox))" == vectors.meeting.m)
        #expect(LANTag.hour(of: Timestamp(milliseconds: -1)) == -1)
    }

    @Test("what is shown is read again; other versions, garbage and too much are not")
    func reading() throws {
        let peer = try bob
        var shown = texts(peer)
        shown.marks = [try #require(LANTag("1c13b75040242d6d")), try #require(LANTag("00000000000000ff"))]
        shown.id = peer
        shown.name = "Bob = Ü"
        #expect(NeighbourTexts(bytes(shown)) == shown)
        #expect(NeighbourTexts([]) == nil && NeighbourTexts([Array("v=2".utf8)]) == nil)
        #expect(NeighbourTexts([Array("v=1".utf8), [UInt8](repeating: 0x61, count: 510)]) == nil)
        let strange = ["V=1", "t", "t=xyz", "t=00000000000000ff", "m=zz,,,", "id=short", "n=\u{202E}evil\u{1B}[2J"]
        let read = try #require(NeighbourTexts(strange.map { Array($0.utf8) } + [[0xFF, 0xFE]]))
        // Of a key that comes twice the first one counts.
        #expect(read.tag == nil && read.marks.isEmpty && read.id == nil)
        #expect(read.name?.unicodeScalars.contains { $0.value < 0x20 } == false)
        for text in ["", "0", "00000000000000F0", "00000000000000000", "000000000000000g"] {
            #expect(LANTag(text) == nil)
        }
    }

    @Test("a contact is recognised in this hour and beside it, at two places at most; strangers are not")
    func recognised() throws {
        let network = Network()
        let (bob, carol) = (try bob, try self.bob)
        let hour = LANTag.hour(of: now)
        #expect(network.found(key("a"), host: "10.0.1.3", port: 4985, texts: bytes(texts(bob)), now: now))
        #expect(!network.found(key("a"), host: "10.0.1.3", port: 4985, texts: bytes(texts(bob)), now: now))
        for (name, host) in [("b", "10.0.1.4"), ("c", "10.0.1.5"), ("d", "10.0.1.3")] {
            let old = bytes(texts(bob, hour: hour - 1))
            #expect(network.found(key(name), host: host, port: 4985, texts: old, now: now))
        }
        #expect(network.found(key("e"), host: "10.0.1.9", port: 1, texts: bytes(texts(carol)), now: now))
        let tags = Sightings.tags(of: [bob], at: hour)
        let found = network.sightings.sightings(of: tags)
        #expect(found.count == 1 && found[bob]?.count == Sightings.mostOfOne)
        #expect(network.sightings.sightings(of: Sightings.tags(of: [bob], at: hour + 3)).isEmpty)
        let report = network.sightings.report(state: .looking, tags: tags, contacts: [], shownUntil: nil)
        // Nobody told us what they are called.
        #expect(report.neighbours.isEmpty && report.strangers == 5)
        #expect(network.gone(key("a")) && !network.gone(key("a")))
    }

    @Test("nobody aims us elsewhere: names, loopback, public and multicast addresses are no neighbours")
    func places() throws {
        let network = Network()
        let shown = bytes(texts(try bob))
        for host in [
            "bob.local", "127.0.0.1", "8.8.8.8", "224.0.0.1", "255.255.255.255", "0.0.0.0", "::1", "fe80::1", "ff02::1",
            "::ffff:10.0.0.1", "",
        ] {
            #expect(!network.found(key(host), host: host, port: 4985, texts: shown, now: now), "\(host)")
        }
        #expect(!network.found(key("0"), host: "10.0.0.1", port: 0, texts: shown, now: now))
        for host in ["10.1.2.3", "192.168.1.1", "169.254.7.7", "100.64.0.1", "fd00::1", "2001:db8::7"] {
            #expect(network.found(key(host), host: host, port: 4985, texts: shown, now: now), "\(host)")
        }
        // One that becomes strange is not kept as it was.
        #expect(network.found(key("10.1.2.3"), host: "8.8.8.8", port: 4985, texts: shown, now: now))
        #expect(network.sightings.neighbours[key("10.1.2.3")] == nil)
    }

    @Test("ten thousand services fill no memory, and those who were there stay")
    func flood() throws {
        let network = Network()
        let bob = try bob
        #expect(network.found(key("bob"), host: "10.0.1.3", port: 4985, texts: bytes(texts(bob)), now: now))
        for number in 0..<10_000 {
            let shown = [Array("v=1".utf8), Array("m=\(String(repeating: "0", count: 12))\(1000 + number)".utf8)]
            _ = network.found(key("\(number)"), host: "10.0.2.\(number % 250)", port: 4985, texts: shown, now: now)
        }
        #expect(network.sightings.neighbours.count == Sightings.most)
        #expect(network.sightings.sightings(of: Sightings.tags(of: [bob], at: LANTag.hour(of: now)))[bob]?.count == 1)
    }

    @Test("random bytes are read without a trap", arguments: 0..<4 as Range<UInt64>)
    func garbage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let texts = (0..<Int.random(in: 0..<8, using: &random)).map { _ in
                Array((["", "v=1", "t=", "m=", "n=", "id="].randomElement(using: &random) ?? "").utf8)
                    + (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                        UInt8.random(in: .min ... .max, using: &random)
                    }
            }
            let read = NeighbourTexts(texts)
            #expect(read.map { $0.marks.count <= OpenInvitations.mostSpoken } ?? true)
        }
    }
}
