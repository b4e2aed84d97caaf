// Spoken words and invitations, as values: every vector both ways, and who is let in when.

import BLIPNet
import TestSupport
import Testing

@testable import ChatCore

@Suite("Spoken words") struct MeetWordsTests {
    private func vectors() throws -> ReachVectors.Meet { try ReachVectors.load(ReachVectors.Meet.self, "meet.json") }

    @Test("the words of the program are those of the list, and four letters tell them apart")
    func list() throws {
        let words = String(decoding: try ReachVectors.read("words.txt"), as: UTF8.self).split(separator: "\n")
        #expect(MeetWordList.all == words.map(String.init) && words.count == 2048)
        #expect(Set(words.map { $0.prefix(4) }).count == 2048)
    }

    @Test("what is typed means the words that the vectors say, or none")
    func reading() throws {
        let rows = try vectors().normalForm
        #expect(rows.count >= 9)
        for row in rows { #expect(MeetWords(row.typed)?.description == row.words, "\(row.typed)") }
    }

    @Test("mailbox, onion key and proofs follow from the words as in the vectors, in each direction")
    func secrets() throws {
        let codes = try vectors().codes
        #expect(codes.count >= 3)
        for code in codes {
            let words = try #require(MeetWords(code.words.joined(separator: " ")))
            #expect(words.indexes == code.indexes && "\(words)" == code.words.joined(separator: "-"))
            let secret = try #require(MeetSecret(words))
            #expect(secret.mailboxSeed == ReachVectors.bytes(code.mailboxSeed))
            #expect(secret.proof.key == ReachVectors.bytes(code.proofKey))
            #expect(secret.onionSeed == ReachVectors.bytes(code.onionSeed))
            #expect(secret.mailboxSeed + secret.proof.key + secret.onionSeed == ReachVectors.bytes(code.scrypt))
            #expect(secret.mailbox?.text == code.mailbox)
            // The name leads back to the public key: its check sum holds.
            #expect(secret.onion == Route(code.onion) && secret.onion?.routeClass == .onion)
            #expect(OnionService(seed: ReachVectors.bytes(code.onionSeed))?.host == code.onion)
            let exporter = ReachVectors.bytes(code.exporter)
            for (role, expected) in [(MeetProof.Role.guest, code.proofGuest), (.host, code.proofHost)] {
                #expect(Base64.encode(secret.proof.proof(of: role, exporter: exporter)) == expected)
            }
        }
    }

    @Test("words made by chance are read again; completion offers what begins so")
    func chance() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<100 {
            let words = MeetWords(using: &random)
            #expect(MeetWords("\(words)") == words && MeetWords.isMeant(by: "\(words)"))
        }
        #expect(MeetWords.completions(of: "Tig") == ["tiger"])
        #expect(MeetWords.completions(of: "orb") == ["orbit"] && MeetWords.completions(of: "qq").isEmpty)
    }

    @Test("a relay may stand behind the words; addresses are no words")
    func places() throws {
        let said = try #require(SpokenInvitation("tiger lemon orbit cable@relay.example.org"))
        #expect(said.place == MeetPlace(host: "relay.example.org", port: 22067))
        #expect("\(said)" == "tiger-lemon-orbit-cable@relay.example.org")
        #expect(SpokenInvitation("tiger-lemon-orbit-cable@[2001:db8::1]:443")?.place?.port == 443)
        #expect(SpokenInvitation("tiger-lemon-orbit-cable")?.place == nil)
        for text in ["tiger-lemon-orbit@relay", "tiger-lemon-orbit-cable@", "tiger-lemon-orbit-cable@a/b", "@relay"] {
            #expect(SpokenInvitation(text) == nil, "\(text)")
        }
        #expect(!MeetWords.isMeant(by: "blip://a") && !MeetWords.isMeant(by: "sio://a") && !MeetWords.isMeant(by: ""))
        #expect(MeetWords.isMeant(by: "tiger lemno@relay.example.org"))
    }
}

/// Invitations behind a reference, for `#expect`.
private final class Invitations {
    var open = OpenInvitations()

    func judge(_ proof: [UInt8], exporter: [UInt8], counts: Bool, now: Timestamp) -> OpenInvitations.Verdict {
        open.judge(proof, exporter: exporter, counts: counts, now: now)
    }
}

@Suite("Invitations that are open") struct OpenInvitationsTests {
    private let exporter = [UInt8](repeating: 9, count: 32)
    private let start = Timestamp(milliseconds: 1_000_000)

    private func proof(_ known: MeetProof, _ role: MeetProof.Role = .guest) -> [UInt8] {
        known.proof(of: role, exporter: exporter)
    }

    private func words(_ text: String) throws -> MeetWords { try #require(MeetWords(text)) }

    private func invitations() throws -> (Invitations, OpenInvitations.Entry, MeetProof) {
        let all = Invitations()
        let entry = all.open.open(token: [UInt8](repeating: 1, count: 16), lasting: nil, now: start)
        let spoken = MeetProof(key: [2])
        let opened = all.open.speak(try words("zoo zoo zoo zoo"), spoken, of: entry.number, lasting: nil, now: start)
        #expect(opened?.until == start.advanced(by: .seconds(600)))
        return (all, entry, spoken)
    }

    @Test("the words or the link let one person in, once; who comes later hears that it was used")
    func once() throws {
        for isSpoken in [true, false] {
            let (open, entry, spoken) = try invitations()
            let link = MeetProof(token: entry.token)
            let (used, other) = isSpoken ? (spoken, link) : (link, spoken)
            #expect(open.open.waits(for: try words("zoo zoo zoo zoo")))
            let verdict = open.judge(proof(used), exporter: exporter, counts: true, now: start)
            #expect(verdict == .invited(number: entry.number, used))
            for again in [used, other] {
                #expect(open.judge(proof(again), exporter: exporter, counts: true, now: start) == .used)
            }
            #expect(!open.open.waits(for: try words("zoo zoo zoo zoo")))
        }
    }

    @Test("three wrong proofs end the words, and not the link; contacts do not guess")
    func wrong() throws {
        let (open, entry, spoken) = try invitations()
        for _ in 0..<5 {
            #expect(open.judge([1], exporter: exporter, counts: false, now: start) == .unknown(ended: []))
        }
        // Its own proof sent back, or one of another session, is a wrong one.
        #expect(open.judge(proof(spoken, .host), exporter: exporter, counts: true, now: start) == .unknown(ended: []))
        let elsewhere = spoken.proof(of: .guest, exporter: exporter.reversed() + [1])
        #expect(open.judge(elsewhere, exporter: exporter, counts: true, now: start) == .unknown(ended: []))
        #expect(open.judge([], exporter: exporter, counts: true, now: start) == .unknown(ended: [entry.number]))
        #expect(open.judge(proof(spoken), exporter: exporter, counts: true, now: start) == .unknown(ended: []))
        let link = MeetProof(token: entry.token)
        #expect(
            open.judge(proof(link), exporter: exporter, counts: true, now: start)
                == .invited(number: entry.number, link))
    }

    @Test("words last ten minutes, links a day; an old link is no guess")
    func late() throws {
        let (open, entry, spoken) = try invitations()
        let link = MeetProof(token: entry.token)
        let later = start.advanced(by: .seconds(600))
        #expect(open.judge(proof(spoken), exporter: exporter, counts: true, now: later) == .unknown(ended: []))
        let tomorrow = start.advanced(by: OpenInvitations.lifetime)
        for _ in 0..<4 {
            #expect(open.judge(proof(link), exporter: exporter, counts: true, now: tomorrow) == .over)
        }
        open.open.forgetOld(now: tomorrow.advanced(by: OpenInvitations.memory))
        #expect(open.open.entries.isEmpty)
        // However long is asked for: an hour and a week.
        let long = open.open.open(token: [], lasting: .seconds(90 * 86_400), now: start)
        #expect(long.until == start.advanced(by: OpenInvitations.longest))
        let opened = open.open.speak(
            try words("zoo zoo zoo zoo"), spoken, of: long.number, lasting: .seconds(7200), now: start)
        #expect(opened?.until == start.advanced(by: .seconds(3600)))
    }

    @Test("four words are open at once; a fifth ends the oldest ones")
    func four() throws {
        let open = Invitations()
        var numbers: [Int] = []
        for index in 0..<5 {
            let entry = open.open.open(token: [UInt8(index)], lasting: nil, now: start)
            numbers.append(entry.number)
            let opened = open.open.speak(
                try words("zoo zoo zoo zoo"), MeetProof(key: [UInt8(index)]), of: entry.number, lasting: nil, now: start
            )
            #expect(opened?.ended == (index < 4 ? [] : [numbers[0]]))
        }
        let first = open.judge(proof(MeetProof(key: [0])), exporter: exporter, counts: false, now: start)
        #expect(first == .unknown(ended: []))
        #expect(
            open.judge(proof(MeetProof(key: [4])), exporter: exporter, counts: true, now: start)
                == .invited(number: numbers[4], MeetProof(key: [4])))
    }
}
