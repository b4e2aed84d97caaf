// How often messages announce themselves to the user: a flood rings once, and comes as one notification with a count.

import ChatCore
import ChatWords

/// Our recent announcements, by contact.
struct Announcements: Sendable, Equatable {
    /// Between two rings.
    static let ringPause = Duration.seconds(2)
    /// Between two notifications about one contact.
    static let tellPause = Duration.seconds(10)

    private struct Entry: Sendable, Equatable {
        /// Uptime.
        var told: Duration
        /// Messages since then that we have not announced yet.
        var waiting = 0
    }

    private var lastRing: Duration?
    private var entries: [ContactID: Entry] = [:]

    /// Whether it may ring now.
    mutating func takeRing(at now: Duration) -> Bool {
        if let lastRing, now - lastRing < Self.ringPause { return false }
        lastRing = now
        return true
    }

    /// Whether to announce a message by itself now; otherwise it is counted.
    mutating func takeMessage(of contact: ContactID, at now: Duration) -> Bool {
        if let entry = entries[contact], now - entry.told < Self.tellPause {
            entries[contact]?.waiting += 1
            return false
        }
        entries[contact] = Entry(told: now)
        return true
    }

    /// The contacts for whom to announce a count of messages now.
    mutating func takeDue(at now: Duration) -> [(contact: ContactID, count: Int)] {
        var due: [(contact: ContactID, count: Int)] = []
        for (contact, entry) in entries where now - entry.told >= Self.tellPause {
            entries[contact] = entry.waiting > 0 ? Entry(told: now) : nil
            if entry.waiting > 0 { due.append((contact, entry.waiting)) }
        }
        return due.sorted { $0.contact < $1.contact }
    }

    /// When (uptime) there is something to announce.
    var deadline: Duration? {
        entries.values.lazy.filter { $0.waiting > 0 }.map { $0.told + Self.tellPause }.min()
    }
}
