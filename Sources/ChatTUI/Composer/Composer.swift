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
    private(set) var completion: Completion?
    var spelling = SpellCheck()
    /// Insert or normal mode, where the user wants vi's keys.
    var vi = ViMode()
    /// A key sequence that has begun; the next key continues it.
    private(set) var begun = BegunKeys.nothing
    /// Enter was pressed once on a draft that was pasted, and asked.
    private(set) var hasAskedPaste = false
    /// The last action has put characters into the input, and changed nothing else that is seen.
    private(set) var hasOnlyTyped = false
    private(set) var running = RunningLine.none

    init(history: InputHistory = InputHistory()) { self.history = history }
}

/// Where the line comes from whose command runs.
enum RunningLine: Sendable, Equatable {
    case none
    /// The input: it is put back there where nothing can be done with its text.
    case entered(String)
    /// A key that is bound to it.
    case bound

    var entered: String? { if case .entered(let line) = self { line } else { nil } }
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

// MARK: The line

extension Composer {
    /// Another line takes the place of the one in the input.
    mutating func write(_ line: InputLine) { input = line }

    mutating func clear() { input = InputLine() }

    /// An action begins, which may do nothing but put characters into the input.
    mutating func begin(onlyTyping: Bool) { hasOnlyTyped = onlyTyping }

    /// The command of a line runs, or has run.
    mutating func run(_ line: RunningLine) { running = line }

    /// Candidates are offered, or waited for.
    mutating func offer(_ completion: Completion) { self.completion = completion }

    mutating func dropCompletion() { completion = nil }

    /// The candidates that question `generation` has asked for cannot be had.
    mutating func dropCompletion(of generation: Int) { if completion?.generation == generation { completion = nil } }

    /// Enter was pressed on a draft that was pasted: once more sends it.
    mutating func askAboutPaste() { hasAskedPaste = true }

    /// `false`: nothing was asked.
    @discardableResult mutating func withdrawPasteQuestion() -> Bool {
        defer { hasAskedPaste = false }
        return hasAskedPaste
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
