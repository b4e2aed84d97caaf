// The lines of line mode about contacts that were decided about elsewhere: at another screen of the same home, or by a command.

import ChatCore
import ChatWords

/// The contacts as line mode last reported them.
struct PeerNews {
    /// Requests that our user has just made here are reported in their own words; their traces come within this time.
    private static let ownTime = Duration.seconds(5)

    /// `nil` before they were read for the first time.
    private var told: [ContactID: Peer]?
    private var ownUntil = Duration.zero

    /// The lines about what has changed; `action` has just led to `state`.
    mutating func lines(after action: AppAction, in state: AppState) -> [SafeText] {
        switch action {
        case .line(let text) where text.hasPrefix("/"): ownUntil = state.surface.moment.uptime + Self.ownTime
        case .input(.key): ownUntil = state.surface.moment.uptime + Self.ownTime
        case .done(let errand, _) where Self.decides(errand): ownUntil = state.surface.moment.uptime + Self.ownTime
        // When the conversations are due again, this answer is older than what has been done since.
        case .answer(.conversations) where !state.due.conversations.isDirty: return compare(state)
        default: break
        }
        return []
    }

    /// Whether an errand decides about a contact.
    private static func decides(_ errand: Errand) -> Bool {
        switch errand {
        case .approve, .rename, .remove: return true
        case .several(let errands): return errands.contains(where: decides)
        default: break
        }
        switch errand.call {
        case .addContact, .setBlocked, .blockRequest, .setVerified, .acceptNewKey, .setMuted: return true
        default: return false
        }
    }

    private mutating func compare(_ state: AppState) -> [SafeText] {
        let now = Dictionary(state.world.chats.map { ($0.id, $0.peer) }) { first, _ in first }
        defer { told = now }
        guard let told, state.surface.moment.uptime >= ownUntil else { return [] }
        var lines = state.world.chats.flatMap { chat in
            Self.words(from: told[chat.id], to: chat.peer, at: state.surface.moment.wall)
        }
        for peer in told.values.sorted(by: { $0.name < $1.name }) where now[peer.id] == nil {
            lines.append("Deleted \(Self.name(peer)) and your history with them")
        }
        return lines.map { SafeText($0, as: .line) }
    }

    private static func name(_ peer: Peer) -> String { SafeText(peer.name, as: .name).text }

    private static func words(from old: Peer?, to new: Peer, at now: Timestamp) -> [String] {
        let name = name(new)
        guard let old else { return ["\(name) is now a contact (\(RoomWords.standing(of: new)))"] }
        var words: [String] = []
        if old.name != new.name { words.append("\(Self.name(old)) is now called \(name)") }
        if old.isBlocked != new.isBlocked { words.append("\(name) \(new.isBlocked ? "is blocked" : "may call again")") }
        let wasPinned = old.peerID != nil
        if wasPinned, old.peerID != new.peerID {
            words.append("\(name) has a new key, \(Sentences.word(for: new.trust))")
        } else if old.trust != new.trust, new.trust == .verified {
            words.append("\(name) is verified")
        }
        let (wasMuted, isMuted) = (old.isMuted(at: now), new.isMuted(at: now))
        // The clock already says that the time is over.
        if wasMuted != isMuted, old.mutedUntil != new.mutedUntil {
            words.append("\(name) is \(isMuted ? "muted" : "no longer muted")")
        }
        return words
    }
}
