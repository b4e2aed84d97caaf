// Invitations that our user has given away: who is let in by which proof, and when it is over. Pure; time is passed in
// (REACH 5, "Meeting").

import BLIPNet

/// The invitations that are open, and those that were used and that somebody may come with again.
struct OpenInvitations {
    /// Four words beside a link.
    struct Spoken: Equatable {
        var words: MeetWords
        var proof: MeetProof
        var until: Timestamp
        var wrongProofs = 0
    }

    /// One that one person can use, with the words or the link.
    struct Entry: Equatable {
        var number: Int
        var token: [UInt8]
        var until: Timestamp
        /// Somebody has come with it. It is kept so long to tell the next one.
        var isUsed = false
        var spoken: Spoken?
    }

    /// The verdict on a proof.
    enum Verdict: Equatable {
        /// They are let in; the other side hears what proves that we know it, too.
        case invited(number: Int, MeetProof)
        case used
        /// Its time is over: an old friend with an old link, and nobody who guesses.
        case over
        /// It fits nothing. `ended`: the words of these invitations are over, because it was the last of too many.
        case unknown(ended: [Int])
    }

    /// Links that are open or remembered; the oldest ones make room for newer ones.
    static let most = 32
    /// Words that are open; the same holds.
    static let mostSpoken = 4
    /// Proofs that fit nothing, while words are open, until these are over.
    static let wrongProofs = 3
    /// How long a link can be used, and the longest time that a user may ask for.
    static let lifetime = Duration.seconds(86_400)
    static let longest = Duration.seconds(7 * 86_400)
    /// The same of words.
    static let spokenLifetime = Duration.seconds(600)
    static let longestSpoken = Duration.seconds(3600)
    /// How long a link that is over is still known as one.
    static let memory = Duration.seconds(7 * 86_400)

    private(set) var entries: [Entry] = []
    private var lastNumber = 0

    /// The invitations whose words we wait for, in their order.
    private var spokenNumbers: [Int] { entries.filter { $0.spoken != nil && !$0.isUsed }.map(\.number) }

    /// Whether our user waits for whoever says these words.
    func waits(for words: MeetWords) -> Bool { entries.contains { !$0.isUsed && $0.spoken?.words == words } }

    /// A stored link, from an earlier run.
    mutating func remember(token: [UInt8], until: Timestamp, isUsed: Bool) {
        lastNumber += 1
        entries.append(Entry(number: lastNumber, token: token, until: until, isUsed: isUsed))
    }

    /// A new invitation.
    mutating func open(token: [UInt8], lasting lifetime: Duration?, now: Timestamp) -> Entry {
        lastNumber += 1
        let entry = Entry(
            number: lastNumber, token: token,
            until: now.advanced(by: min(max(lifetime ?? Self.lifetime, .zero), Self.longest)))
        entries = entries.suffix(Self.most - 1) + [entry]
        return entry
    }

    /// From now on we wait for the words of an invitation. Returns until when, and whose words end because of it; `nil`
    /// when it was used meanwhile.
    mutating func speak(
        _ words: MeetWords, _ proof: MeetProof, of number: Int, lasting lifetime: Duration?, now: Timestamp
    ) -> (until: Timestamp, ended: [Int])? {
        guard let index = entries.firstIndex(where: { $0.number == number && !$0.isUsed }) else { return nil }
        let until = now.advanced(by: min(max(lifetime ?? Self.spokenLifetime, .zero), Self.longestSpoken))
        entries[index].spoken = Spoken(words: words, proof: proof, until: until)
        let ended = Array(spokenNumbers.dropLast(Self.mostSpoken))
        for old in ended { endWords(of: old) }
        return (until, ended)
    }

    mutating func endWords(of number: Int) {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return }
        entries[index].spoken = nil
    }

    /// Forgets what is over.
    mutating func forgetOld(now: Timestamp) {
        entries.removeAll { $0.until.advanced(by: Self.memory) <= now }
        for entry in entries {
            if let spoken = entry.spoken, spoken.until <= now { endWords(of: entry.number) }
        }
    }

    /// Weighs what somebody has said on a session with this exporter. An invitation that lets them in is used up. `counts`: one
    /// that fits nothing is a guess.
    mutating func judge(_ proof: [UInt8], exporter: [UInt8], counts: Bool, now: Timestamp) -> Verdict {
        forgetOld(now: now)
        for index in entries.indices {
            let entry = entries[index]
            let known = [MeetProof(token: entry.token)] + (entry.spoken.map { [$0.proof] } ?? [])
            guard let fitting = known.first(where: { $0.accepts(proof, of: .guest, exporter: exporter) }) else {
                continue
            }
            guard !entry.isUsed else { return .used }
            // The words may be open for longer than the link.
            guard entry.until > now || fitting == entry.spoken?.proof else { return .over }
            entries[index].isUsed = true
            // The words stay as long as they would have, for whoever comes with them a second time.
            return .invited(number: entry.number, fitting)
        }
        var ended: [Int] = []
        for index in entries.indices where counts && !entries[index].isUsed {
            guard var spoken = entries[index].spoken else { continue }
            spoken.wrongProofs += 1
            entries[index].spoken = spoken.wrongProofs < Self.wrongProofs ? spoken : nil
            if spoken.wrongProofs >= Self.wrongProofs { ended.append(entries[index].number) }
        }
        return .unknown(ended: ended)
    }
}
