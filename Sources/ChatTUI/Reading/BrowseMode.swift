// Browse mode: one message of the open chat is under the cursor, and letters act on it (PRODUCT, "Browse mode").

import ChatCore
import ChatWords

/// The state of browse mode, which is on while `Place.browse` is there; only the user starts and ends it.
struct BrowseMode: Sendable, Equatable {
    /// A message of the open chat with its place, so that the cursor stays there when the message goes away.
    struct Place: Sendable, Equatable {
        fileprivate(set) var key: MessageKey
        fileprivate(set) var position: HistoryPosition
        var id: MessageID { key.id }

        init(_ message: ChatMessage) {
            key = message.key
            position = message.position
        }
    }

    private(set) var selected: Place
    /// The first place of the cursor, when the view was at the bottom then.
    let cameFromBottom: Place?
    /// Where `v` was pressed: everything from here to the cursor is selected.
    private(set) var rangeStart: Place?
    private(set) var search: Search?
    /// The letters that were typed in a row.
    var typed = TypedRun()
    /// Steps of the cursor that wait for a page which is being loaded; negative is towards older messages.
    var owedSteps = Owed()
    /// The cursor goes to this end of the history as soon as its page is there.
    private(set) var pendingEnd: End?

    enum End: Sendable, Equatable { case oldest, newest }

    /// The search that `n` and `N` repeat.
    struct Search: Sendable, Equatable {
        let words: String
        fileprivate(set) var isTowardsOlder: Bool
        /// Newest first; `nil` while the search runs.
        fileprivate(set) var hits: [Place]?
        let generation: Int

        init(words: String, isTowardsOlder: Bool, generation: Int) {
            self.words = words
            self.isTowardsOlder = isTowardsOlder
            self.generation = generation
        }
    }

    /// The cursor on `message`; `returnsToBottom`: the view follows the newest message again when the cursor has not moved.
    init(selected message: ChatMessage, returnsToBottom: Bool) {
        selected = Place(message)
        cameFromBottom = returnsToBottom ? selected : nil
    }

    /// The positions of the selection, both ends included.
    var range: ClosedRange<HistoryPosition> {
        let other = rangeStart?.position ?? selected.position
        return min(other, selected.position)...max(other, selected.position)
    }
}

// MARK: The cursor

extension BrowseMode {
    mutating func move(to message: ChatMessage) { selected = Place(message) }

    /// The cursor goes to a message wherever it is; steps that wait for a page are not wanted any more.
    mutating func jump(to key: MessageKey, at position: HistoryPosition) {
        selected.key = key
        selected.position = position
        owedSteps.drop()
        pendingEnd = nil
    }

    /// Where it was when browse mode began, if the view was at the bottom then.
    mutating func returnToStart() { if let cameFromBottom { selected = cameFromBottom } }

    /// `v`: a range begins at the cursor, or ends.
    mutating func toggleRange() { rangeStart = rangeStart == nil ? selected : nil }

    mutating func dropRange() { rangeStart = nil }

    /// The cursor goes to this end when its page has come.
    mutating func wait(for end: End) { pendingEnd = end }

    mutating func takePendingEnd() -> End? {
        defer { pendingEnd = nil }
        return pendingEnd
    }
}

// MARK: The search

extension BrowseMode {
    mutating func begin(_ search: Search) { self.search = search }

    /// `/` and `?` without words: the same search, in this direction.
    mutating func turnSearch(towardsOlder: Bool) { search?.isTowardsOlder = towardsOlder }

    /// `false`: another search has begun since.
    mutating func receive(hits: [ChatMessage], generation: Int) -> Bool {
        guard search?.generation == generation else { return false }
        search?.hits = hits.map(Place.init)
        return true
    }
}

/// Something final that the user has asked for once, and that happens when they ask again.
struct Confirmation: Sendable, Equatable {
    enum Subject: Sendable, Equatable {
        /// An address or a file that is not opened without a question.
        case open(String)
        case delete([MessageKey])
        case forward([MessageKey], to: ContactID)
    }

    var subject: Subject
    /// Uptime.
    var asked: Duration

    /// Whether asking for it again confirms it: while the question can still be read, and, for something that cannot be
    /// undone, not before it could be read (`dd`, as vi's users type it, or a key that is held down).
    func isArmed(at now: Duration) -> Bool {
        let earliest =
            switch subject {
            case .delete, .forward: asked + .milliseconds(400)
            case .open: asked
            }
        return now >= earliest && now < asked + .seconds(8)
    }
}
