// Which entries of a contact's outbox are on the wire. Pure; OutboxSender does the errands.

import BLIPNet

/// Entries go out strictly in order, several at a time. After an answer like "disk full" nothing new goes out for a
/// while, so that later entries do not overtake the refused one for long.
struct OutboxWindow {
    private struct Sent {
        var time: MonotonicTime
        var bytes: Int
    }

    private var inFlight: [Int64: Sent] = [:]
    /// A task is reading the outbox; `isAsked` makes it read once more.
    private(set) var isBusy = false
    private var isAsked = false
    /// Entries answered since the reading of the outbox began: the entries read may still include them.
    private var answeredMeanwhile: Set<Int64> = []
    /// Waiting after a refusal that may pass.
    private(set) var isHeld = false
    /// A task looks whether the answers come.
    private var isWatched = false
    /// How often in a row the peer has had no room.
    private var refusals = 0
    /// A disk that stays full is asked less and less, at least every 64 times the delay.
    private static let mostPatience = 6

    /// Asks for a look at the outbox; `true` when the caller must start one.
    mutating func ask() -> Bool {
        if isBusy {
            isAsked = true
            return false
        }
        guard !isHeld else { return false }
        isBusy = true
        isAsked = false
        return true
    }

    /// The look is over; `true` when somebody asked for another one meanwhile and the caller must look again.
    mutating func finishLook() -> Bool {
        if isAsked, !isHeld {
            isAsked = false
            return true
        }
        isBusy = false
        return false
    }

    /// Of the oldest `entries`, those that are not on the wire, as long as everything on the wire is at most `bytes`
    /// (one entry may always go); from now on they are.
    mutating func admit(_ entries: [OutboxEntry], bytes limit: Int = .max, now: MonotonicTime) -> [OutboxEntry] {
        guard !isHeld else { return [] }
        var total = inFlight.values.reduce(0) { $0 + $1.bytes }
        var fresh: [OutboxEntry] = []
        for entry in entries where inFlight[entry.id] == nil && !answeredMeanwhile.contains(entry.id) {
            guard inFlight.isEmpty || total + entry.bytes <= limit else { break }
            total += entry.bytes
            inFlight[entry.id] = Sent(time: now, bytes: entry.bytes)
            fresh.append(entry)
        }
        return fresh
    }

    /// The outbox is read now; what was answered before is not in it any more.
    mutating func beginReading() { answeredMeanwhile = [] }

    mutating func answered(_ id: Int64) {
        inFlight[id] = nil
        if isBusy { answeredMeanwhile.insert(id) }
    }

    /// Nothing goes out until `release`. Returns how many times the usual delay to wait for that: twice as long after each
    /// refusal in a row.
    mutating func hold(refused isRefused: Bool) -> Int {
        isHeld = true
        guard isRefused else { return 1 }
        defer { refusals = min(refusals + 1, Self.mostPatience) }
        return 1 << refusals
    }

    mutating func release() { isHeld = false }

    /// The peer has taken something: they have room.
    mutating func accepted() { refusals = 0 }

    /// The link is over: everything goes out again on the next one.
    mutating func linkEnded() {
        inFlight = [:]
        isHeld = false
        isWatched = false
        refusals = 0
    }

    /// Whether the caller is to look whether answers come: something waits for one, and nobody looks.
    mutating func beginWatch() -> Bool {
        guard !isWatched, !inFlight.isEmpty else { return false }
        isWatched = true
        return true
    }

    /// Nothing waits any more.
    mutating func endWatch() { isWatched = false }

    /// How many entries wait for an answer.
    var count: Int { inFlight.count }
    /// When the longest waiting entry was sent.
    var oldest: MonotonicTime? { inFlight.values.map(\.time).min() }
}

extension OutboxEntry {
    /// The memory that its request takes, about: its text and the properties that every request has.
    var bytes: Int {
        let text =
            switch operation {
            case .message(let message):
                switch message.content {
                case .text(let text): text.utf8.count
                case .file(let file): file.caption.utf8.count + file.name.utf8.count
                }
            case .operation(let operation):
                if case .edit(let text) = operation.action { text.utf8.count } else { 0 }
            case .fileStatus: 0
            }
        return text + 256
    }
}
