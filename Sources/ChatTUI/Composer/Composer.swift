// What the user types: the input line and all that its keys remember.

import ChatCore

/// The input line, the drafts of the other chats, and what the keys of both remember.
struct Composer: Sendable {
    var input = InputLine()
    /// The half-typed lines of the chats that are not open.
    private(set) var drafts: [ContactID: InputLine] = [:]
    /// The chats whose drafts were changed on this screen.
    private(set) var typedDrafts: Set<ContactID> = []
    var killRing = KillRing()
    /// The last key was a kill in this direction: the next one joins it.
    private(set) var lastKill: KillRing.Direction?
    var history = InputHistory()
    var completion: Completion?
    var spelling = SpellCheck()
    /// Insert or normal mode, where the user wants vi's keys.
    var vi = ViMode()
    /// A key sequence that has begun; the next key continues it.
    private(set) var begun = BegunKeys.nothing
    /// Enter was pressed once on a draft that was pasted, and asked.
    var hasAskedPaste = false
    /// The last action has put characters into the input, and changed nothing else that is seen.
    var hasOnlyTyped = false
    /// The line that runs is that of a key.
    var runsBoundLine = false
    /// The line of the input whose command runs; it is put back there where nothing can be done with its text.
    var enteredLine: String?
}

/// Keys that have begun something that a further one completes.
enum BegunKeys: Sendable, Equatable {
    case nothing
    /// The keys of a sequence (Ctrl-x of Ctrl-x Ctrl-e).
    case sequence([Key])
    /// Ctrl-v: the next key types what it is.
    case literal
}

// MARK: Keys that belong together

extension Composer {
    /// Of an unfinished sequence.
    var pendingKeys: [Key] { if case .sequence(let keys) = begun { keys } else { [] } }

    mutating func begin(_ keys: BegunKeys) { begun = keys }

    /// Whether the next key types what it is; it does so once.
    mutating func takeLiteral() -> Bool {
        guard begun == .literal else { return false }
        begun = .nothing
        return true
    }

    /// The unfinished sequence and `key` after it. It has ended, unless the caller begins it again.
    mutating func takeSequence(endingWith key: Key) -> [Key] {
        defer { dropSequence() }
        return pendingKeys + [key]
    }

    mutating func dropSequence() { if case .sequence = begun { begun = .nothing } }

    /// A kill, which joins the one before it in the same direction.
    mutating func kill(_ text: String, _ direction: KillRing.Direction) {
        killRing.add(text, joining: lastKill == direction ? direction : nil)
        lastKill = text.isEmpty ? nil : direction
    }

    /// The next kill begins a new entry.
    mutating func endKill() { lastKill = nil }

    /// The user has gone elsewhere: the list of completions closes, and the next kill begins a new entry.
    mutating func turnAway() {
        completion = nil
        endKill()
    }
}

// MARK: Drafts of the other chats

extension Composer {
    /// The open chat is that of `contact`, and another one opens. An empty line is no draft.
    mutating func putAway(draftOf contact: ContactID) { drafts[contact] = input.isEmpty ? nil : input }

    /// The chat of `contact` has opened.
    mutating func takeUp(draftOf contact: ContactID) { input = drafts.removeValue(forKey: contact) ?? InputLine() }

    mutating func noteTyping(to contact: ContactID) { typedDrafts.insert(contact) }

    /// Adds a draft to a chat that is not open; `false` if it has one already, which we keep. `isTyped`: on this screen.
    mutating func add(_ line: InputLine, to contact: ContactID, isTyped: Bool) -> Bool {
        guard drafts[contact] == nil else { return false }
        drafts[contact] = line
        if isTyped { noteTyping(to: contact) }
        return true
    }

    /// It has gone out.
    mutating func forget(draftOf contact: ContactID) {
        drafts[contact] = nil
        typedDrafts.remove(contact)
    }
}

extension Composer {
    /// An argument of a command is quoted where it has to be; in a message nobody reads it as one.
    func written(_ value: String, open: Bool) -> String {
        guard input.characters.first == "/", input.characters.dropFirst().first != "/" else {
            return value
        }
        return ArgumentScanner.quoted(value, open: open)
    }

    /// The user edits an earlier line that is shown: the draft that it replaced is kept where deleted text is.
    mutating func leaveHistory() {
        if let kept = history.keptDraft, !kept.isEmpty { killRing.add(kept) }
        history.leave()
    }
}
