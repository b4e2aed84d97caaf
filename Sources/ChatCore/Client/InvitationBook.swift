// Invitations that our user has given away, and those that they have got: kept in the settings of the history, because a link
// lasts for days (REACH 5, "Meeting").

import BLIPNet

/// Belongs to one actor.
final class InvitationBook {
    /// One that nobody has used.
    private struct Open {
        let token: [UInt8]
        let until: Timestamp
    }

    private let core: ClientCore
    private var open: [Open] = []
    /// What proves to a contact that they have invited us, until they have accepted us.
    private var received: [PeerID: [UInt8]] = [:]

    private static let openSetting = "reach.invitations"
    private static let receivedSetting = "reach.invited"
    /// How long a link can be used, and the longest that may be asked for.
    static let lifetime = Duration.seconds(86_400)
    static let longest = Duration.seconds(7 * 86_400)
    /// The oldest ones are given up for newer ones.
    private static let most = 32

    init(core: ClientCore) { self.core = core }

    /// Reads what earlier runs have left.
    func read() async {
        let openText = await setting(Self.openSetting)
        let receivedText = await setting(Self.receivedSetting)
        open = Self.lines(openText).compactMap { first, second in
            guard let token = Base32.decode(first), let until = Int64(second) else { return nil }
            return Open(token: token, until: Timestamp(milliseconds: until))
        }
        for (first, second) in Self.lines(receivedText) {
            if let peer = PeerID(first), let token = Base32.decode(second) { received[peer] = token }
        }
    }

    private func setting(_ key: String) async -> String {
        let stored = await core.records.quietly { () async throws(StoreError) in try await core.store.setting(key) }
        return stored.flatMap { $0 } ?? ""
    }

    private static func lines(_ text: String) -> [(String, String)] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 ? (String(words[0]), String(words[1])) : nil
        }
    }

    // MARK: Inviting

    /// A new invitation, which one person can use.
    func make(lasting lifetime: Duration) async throws(ChatError) -> (token: [UInt8], until: Timestamp) {
        let token = RandomSource.system.bytes(PeerAddress.onceBytes)
        let milliseconds = min(max(lifetime, .zero), Self.longest).components.seconds * 1000
        let until = Timestamp(milliseconds: core.now().milliseconds + milliseconds)
        forgetOld()
        open = open.suffix(Self.most - 1) + [Open(token: token, until: until)]
        let text = openText
        try await core.records.stored { () async throws(StoreError) in
            try await core.store.setSetting(Self.openSetting, to: text)
        }
        return (token, until)
    }

    /// Whether `proof`, said on a session with this exporter, is that of somebody whom we have invited. The invitation is used
    /// up then.
    func use(_ proof: [UInt8]?, exporter: [UInt8]?) async -> Bool {
        guard let proof, let exporter else { return false }
        forgetOld()
        guard
            let index = open.firstIndex(where: {
                MeetProof(token: $0.token).accepts(proof, of: .guest, exporter: exporter)
            })
        else { return false }
        open.remove(at: index)
        await keep(openText, under: Self.openSetting)
        return true
    }

    private func forgetOld() {
        let now = core.now()
        open.removeAll { $0.until <= now }
    }

    private var openText: String {
        open.map { "\(Base32.encode($0.token)) \($0.until.milliseconds)" }.joined(separator: "\n")
    }

    // MARK: Being invited

    /// Our user has got an invitation of `peer`.
    func receive(_ token: [UInt8], of peer: PeerID) async {
        received[peer] = token
        await keepReceived()
    }

    /// What proves it to them; `nil` when there is nothing to prove.
    func proof(to peer: PeerID, exporter: [UInt8]?) -> [UInt8]? {
        guard let token = received[peer], let exporter else { return nil }
        return MeetProof(token: token).proof(of: .guest, exporter: exporter)
    }

    /// They have accepted us.
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
