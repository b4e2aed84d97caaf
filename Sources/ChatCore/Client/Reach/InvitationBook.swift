// Invitations that our user has given away, and those that they have got. Links last for days, so they are kept in the
// settings of the history; spoken words are not (REACH 5, "Meeting").

import BLIPNet

/// Belongs to one actor.
final class InvitationBook {
    private let core: ClientCore
    private let meetings: Meetings
    private var given = OpenInvitations()
    /// The tokens that prove to contacts that they have invited us, until they have accepted us.
    private var received: [PeerID: [UInt8]] = [:]

    private static let openSetting = "reach.invitations"
    private static let receivedSetting = "reach.invited"

    init(core: ClientCore, meetings: Meetings) {
        self.core = core
        self.meetings = meetings
    }

    /// Reads what earlier runs have left.
    func read() async {
        for words in Self.lines(await setting(Self.openSetting)) where words.count >= 2 {
            guard let token = Base32.decode(words[0]), let until = Int64(words[1]) else { continue }
            given.remember(
                token: token, until: Timestamp(milliseconds: until), isUsed: words.dropFirst(2).first == Self.used)
        }
        for words in Self.lines(await setting(Self.receivedSetting)) where words.count == 2 {
            if let peer = PeerID(words[0]), let token = Base32.decode(words[1]) { received[peer] = token }
        }
    }

    private func setting(_ key: String) async -> String {
        let stored = await core.records.quietly { () async throws(StoreError) in try await core.store.setting(key) }
        return stored.flatMap { $0 } ?? ""
    }

    /// The word written after a link with which somebody has come.
    private static let used = "used"

    private static func lines(_ text: String) -> [[String]] {
        text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    // MARK: Inviting

    /// A new invitation, which one person can use.
    func make(lasting lifetime: Duration?) async throws(ChatError) -> OpenInvitations.Entry {
        let token = RandomSource.system.bytes(PeerAddress.onceBytes)
        given.forgetOld(now: core.now())
        let entry = given.open(token: token, lasting: lifetime, now: core.now())
        let text = givenText
        try await core.records.stored { () async throws(StoreError) in
            try await core.store.setSetting(Self.openSetting, to: text)
        }
        return entry
    }

    /// Makes words for an invitation; we wait for them at these relays, in this network, and perhaps by Tor. `nil`:
    /// there is no memory for them, or the invitation was used meanwhile.
    func speak(
        _ entry: OpenInvitations.Entry, at places: [MeetPlace], byTor: Bool, lasting lifetime: Duration?
    ) async -> (words: MeetWords, until: Timestamp)? {
        var random = SystemRandomNumberGenerator()
        let words = MeetWords(using: &random)
        guard let secret = await MeetSecret.made(of: words) else { return nil }
        let now = core.now()
        guard let opened = given.speak(words, secret.proof, of: entry.number, lasting: lifetime, now: now) else {
            return nil
        }
        for number in opened.ended { meetings.close(number) }
        let left = Duration.milliseconds(opened.until.milliseconds - now.milliseconds)
        meetings.open(entry.number, secret, at: places, byTor: byTor, for: left)
        return (words, opened.until)
    }

    /// Whether our user waits for whoever says these words.
    func waits(for words: MeetWords) -> Bool { given.waits(for: words) }

    /// The verdict on a caller's proof.
    enum Standing: Equatable {
        /// They have said none.
        case none
        case invited(host: [UInt8])
        case used
        case over
        case unknown

        var isInvited: Bool { if case .invited = self { true } else { false } }

        /// The part of our reply that informs them of it.
        var reply: HelloReply.Meeting? {
            switch self {
            case .invited(let proof): .proof(proof)
            case .used: .used
            case .none, .over, .unknown: nil
            }
        }
    }

    /// Weighs what a caller has said. `isStranger`: who is no contact may be guessing.
    func judge(_ proof: [UInt8]?, on link: ActiveLink, isStranger: Bool) async -> Standing {
        // At the mailbox of words, to say nothing is to know nothing.
        guard let proof = proof ?? (link.invitation == nil ? nil : []), let exporter = link.connection.info.exporter
        else { return .none }
        switch given.judge(proof, exporter: exporter, counts: isStranger, now: core.now()) {
        case .invited(let number, let known):
            if link.invitation == number {
                meetings.use(number, by: link.connection)
            } else {
                meetings.close(number)
            }
            await keep(givenText, under: Self.openSetting)
            return .invited(host: known.proof(of: .host, exporter: exporter))
        case .used: return .used
        case .over: return .over
        case .unknown(let ended):
            for number in ended { meetings.close(number) }
            if !ended.isEmpty { core.hub.publish(.notice(.wordsEnded)) }
            return .unknown
        }
    }

    private var givenText: String {
        given.entries.map { entry in
            "\(Base32.encode(entry.token)) \(entry.until.milliseconds)" + (entry.isUsed ? " \(Self.used)" : "")
        }.joined(separator: "\n")
    }

    // MARK: Being invited

    /// Our user has got an invitation of `peer`.
    func receive(_ token: [UInt8], of peer: PeerID) async {
        received[peer] = token
        await keepReceived()
    }

    /// Our proof to `peer` that they have invited us; `nil` when there is nothing to prove.
    func proof(to peer: PeerID, exporter: [UInt8]?) -> [UInt8]? {
        guard let token = received[peer], let exporter else { return nil }
        return MeetProof(token: token).proof(of: .guest, exporter: exporter)
    }

    /// The meaning of the other side's answer to our proof.
    enum Outcome {
        case nothing
        case met
        case used
        /// They say that they have invited us, and do not know the invitation.
        case refused
    }

    func answered(_ meeting: HelloReply.Meeting, by peer: PeerID, exporter: [UInt8]?) async -> Outcome {
        guard let token = received[peer], let exporter else { return .nothing }
        switch meeting {
        case .proof(let proof):
            return MeetProof(token: token).accepts(proof, of: .host, exporter: exporter) ? .met : .refused
        case .used:
            await accepted(by: peer)
            return .used
        }
    }

    /// There is nothing to prove to them any more.
    func accepted(by peer: PeerID) async {
        guard received.removeValue(forKey: peer) != nil else { return }
        await keepReceived()
    }

    private func keepReceived() async {
        let lines = received.map { "\($0.key) \(Base32.encode($0.value))" }.sorted()
        await keep(lines.joined(separator: "\n"), under: Self.receivedSetting)
    }

    private func keep(_ text: String, under key: String) async {
        _ = await core.records.quietly { () async throws(StoreError) in try await core.store.setSetting(key, to: text) }
    }
}
