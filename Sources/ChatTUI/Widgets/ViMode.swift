// vi's two modes for the input (`edit_mode = "vi"`): what the keys of the normal mode do to an InputLine. Pure; AppState
// gives it the characters that are typed, and everything that is no character keeps its meaning.

import ChatWords

/// Insert or normal mode, and the command that is half typed.
struct ViMode: Sendable, Equatable {
    /// Insert mode as a command has begun it, until Esc.
    private struct Insertion: Equatable {
        var start: Int
        /// Characters of the whole text at the start.
        var length: Int
        /// How often the text is to be inserted: `3i`.
        var times: Int
        /// `3o`: each on a line of its own.
        var onLines: Bool
    }

    /// A change as it was typed, for `.`.
    private struct Change: Equatable {
        /// Without the counts.
        var keys: [Character]
        /// The counts together.
        var count: Int?
        /// The text that was typed in insert mode, if it led there.
        var inserted: String?
    }

    private enum Awaited: Equatable {
        case find(forward: Bool, before: Bool)
        case replacement
        /// The second key of `gg`.
        case secondG
        /// `i` and `a` after an operator: the word under the cursor, or the text in quotes or brackets.
        case object(around: Bool)
    }

    /// Anything that AppState has to do besides.
    enum Outcome: Equatable {
        case nothing
        /// Into the kill ring.
        case taken(String)
        /// `j` and `k` beyond the draft: the lines that were typed before.
        case older, newer
    }

    private(set) var isNormal = false
    private var count: Int?
    private var operation: ViOperator?
    private var operationCount = 1
    private var awaited: Awaited?
    private var lastFind: ViMotion?
    /// The keys of the command that is half typed.
    private var keys: [Character] = []
    private var lastChange: Change?
    private var insertion: Insertion?
    /// The command under way changes the text, also when that looks the same afterwards.
    private var isChange = false
    /// Since `R`: typed text takes the place of what is there.
    var replacement: ViReplacement?

    /// Whether a command is half typed.
    var isPending: Bool { operation != nil || awaited != nil || count != nil }

    /// Esc: from insert to normal mode; in normal mode it drops a half-typed command. `false` when there is none.
    mutating func escape(_ line: inout InputLine) -> Bool {
        if isNormal {
            defer { reset() }
            return isPending
        }
        isNormal = true
        finishInsertion(&line)
        replacement = nil
        line.endGroup()
        line.move(to: max(line.lineStart, line.cursor - 1))
        return true
    }

    /// Whether the next key is what `r` puts in the place of the character under the cursor.
    var awaitsReplacement: Bool { awaited == .replacement }

    /// The keys that follow are text.
    mutating func insert() {
        reset()
        isNormal = false
        insertion = nil
        replacement = nil
    }

    /// A key that is no character: a half-typed command is dropped.
    mutating func forget() { reset() }

    /// Insert mode, and nothing is remembered.
    mutating func restart() { self = ViMode() }

    /// A character in normal mode. `register` is what `p` puts in.
    mutating func press(_ key: Character, _ line: inout InputLine, register: String?) -> Outcome {
        if key == ".", operation == nil, awaited == nil { return repeatChange(&line, register) }
        let isCount = awaited == nil && isDigit(key)
        let typed = isCount ? keys : keys + [key]
        let hasCount = count != nil || operationCount > 1
        let total = hasCount ? (count ?? 1) * operationCount : nil
        isChange = false
        let outcome = take(key, &line, register)
        keys = isPending ? typed : []
        if !isPending, isChange || !isNormal { lastChange = Change(keys: typed, count: total) }
        return outcome
    }

    private func isDigit(_ key: Character) -> Bool {
        guard key.isASCII, let digit = key.wholeNumberValue else { return false }
        return digit > 0 || count != nil
    }

    /// `.`: the last change once more; a count takes the place of the one that it had.
    private mutating func repeatChange(_ line: inout InputLine, _ register: String?) -> Outcome {
        let count = count
        reset()
        guard var change = lastChange else { return .nothing }
        if let count { change.count = count }
        var outcome = Outcome.nothing
        for key in Array(change.count.map(String.init) ?? "") + change.keys {
            if case .taken(let text) = take(key, &line, register) { outcome = .taken(text) }
        }
        if !isNormal {
            let text = change.inserted ?? ""
            if replacement != nil { line.overtype(text) } else { line.insert(text) }
            _ = escape(&line)
        }
        lastChange = change
        return outcome
    }

    /// Esc: the typed text as often as the count in front has said.
    private mutating func finishInsertion(_ line: inout InputLine) {
        guard let begun = insertion else { return }
        insertion = nil
        let added = line.characters.count - begun.length
        // A user who has moved the cursor meanwhile has not typed a single text.
        let typed = line.cursor - begun.start
        guard typed >= 0, added == typed || (replacement != nil && (0..<typed).contains(added)) else { return }
        let text = String(line.characters[begun.start..<line.cursor])
        lastChange?.inserted = text
        let times = min(begun.times, InputLine.putLimit / max(1, text.utf8.count))
        guard times > 1, !text.isEmpty else { return }
        line.insert(String(repeating: (begun.onLines ? "\n" : "") + text, count: times - 1))
    }

    private mutating func take(_ key: Character, _ line: inout InputLine, _ register: String?) -> Outcome {
        line.endGroup()
        if let awaited { return finish(awaited, key, &line) }
        if isDigit(key), let digit = key.wholeNumberValue {
            count = min((count ?? 0) * 10 + digit, 9999)
            return .nothing
        }
        if let operation, key == operation.key { return wholeLines(operation, &line) }
        if let motion = motion(key) { return move(motion, &line) }
        switch key {
        case "f", "t", "F", "T":
            awaited = .find(forward: key.isLowercase, before: key.lowercased() == "t")
            return .nothing
        case "g":
            awaited = .secondG
            return .nothing
        default: break
        }
        guard operation == nil else {
            if key == "i" || key == "a" { awaited = .object(around: key == "a") } else { reset() }
            return .nothing
        }
        if let started = ViOperator(key, behindG: false) { return begin(started) }
        if key == "r" {
            awaited = .replacement
            return .nothing
        }
        let times = count ?? 1
        reset()
        return change(key, times, &line, register)
    }

    private mutating func begin(_ started: ViOperator) -> Outcome {
        operation = started
        operationCount = count ?? 1
        count = nil
        return .nothing
    }

    // MARK: Moving

    private func motion(_ key: Character) -> ViMotion? {
        switch key {
        case "h": .left
        case "l", " ": .right
        case "0": .lineStart
        case "^": .firstNonBlank
        case "$": .lineEnd
        // As vi does, changing to the next word leaves the blanks before it.
        case "w", "W": operation == .change ? .wordRest(big: key == "W") : .word(big: key == "W")
        case "b", "B": .wordBack(big: key == "B")
        case "e", "E": .wordEnd(big: key == "E")
        case "j": .lineDown
        case "k": .lineUp
        case "G": (count ?? (operationCount > 1 ? operationCount : nil)).map(ViMotion.line) ?? .textEnd
        case ";": lastFind?.again
        case ",": lastFind?.reversed.again
        default: nil
        }
    }

    private mutating func move(_ motion: ViMotion, _ line: inout InputLine) -> Outcome {
        let times = (count ?? 1) * operationCount
        let operation = operation
        reset()
        let target = line.target(of: motion, count: min(times, 9999))
        guard let operation else {
            if let target {
                line.move(to: target)
                clamp(&line)
            } else if motion == .lineUp {
                return .older
            } else if motion == .lineDown {
                return .newer
            }
            return .nothing
        }
        guard let target else { return .nothing }
        if motion.isLinewise { return apply(operation, linesFrom: line.cursor, to: target, &line) }
        if case .word = motion, target > line.cursor {
            return apply(operation, line.cursor..<line.endOfWords(before: target), &line)
        }
        let end = max(line.cursor, target) + (motion.isInclusive ? 1 : 0)
        return apply(operation, min(line.cursor, target)..<min(end, line.characters.count), &line)
    }

    private mutating func finish(_ awaited: Awaited, _ key: Character, _ line: inout InputLine) -> Outcome {
        self.awaited = nil
        switch awaited {
        case .find(let forward, let before):
            let motion = ViMotion.find(key, forward: forward, before: before)
            lastFind = motion
            return move(motion, &line)
        case .secondG:
            if key == "g" { return move(.textStart, &line) }
            if operation == nil, let started = ViOperator(key, behindG: true) { return begin(started) }
        case .object(let around):
            let times = min((count ?? 1) * operationCount, 9999)
            guard let operation, let range = line.object(key, around: around, count: times) else { break }
            reset()
            return apply(operation, range, &line)
        case .replacement:
            let times = min(count ?? 1, 9999)
            if line.cursor + times <= line.lineEnd {
                let start = line.cursor
                isChange = true
                line.beginGroup()
                _ = line.kill(to: start + times)
                // A line end takes the place of all of them.
                line.insert(String(repeating: key, count: key == "\n" ? 1 : times))
                line.endGroup()
                line.move(to: key == "\n" ? start + 1 : start + times - 1)
            }
        }
        reset()
        return .nothing
    }

    // MARK: Changing

    private mutating func wholeLines(_ operation: ViOperator, _ line: inout InputLine) -> Outcome {
        let times = (count ?? 1) * operationCount
        reset()
        let last = times > 1 ? line.target(of: .lineDown, count: times - 1) ?? line.characters.count : line.cursor
        return apply(operation, linesFrom: line.cursor, to: last, &line)
    }

    private mutating func apply(
        _ operation: ViOperator, linesFrom first: Int, to last: Int, _ line: inout InputLine
    ) -> Outcome {
        let cursor = line.cursor
        line.move(to: min(first, last))
        let start = line.lineStart
        line.move(to: max(first, last))
        let end = line.lineEnd
        line.move(to: cursor)
        switch operation {
        case .upper, .lower, .toggle:
            _ = apply(operation, start..<end, &line)
            return .nothing
        case .yank:
            line.move(to: min(first, last))
            return .taken(String(line.characters[start..<end]) + "\n")
        case .change:
            let text = String(line.characters[start..<end])
            _ = apply(.change, start..<end, &line)
            return .taken(text + "\n")
        case .delete:
            isChange = true
            // The line end goes too: the one after it, or at the end of the text the one before.
            let hasNext = end < line.characters.count
            let range = hasNext ? start..<(end + 1) : max(0, start - 1)..<end
            line.move(to: range.lowerBound)
            let text = line.kill(to: range.upperBound)
            line.move(to: line.target(of: .firstNonBlank, count: 1) ?? line.lineStart)
            clamp(&line)
            return .taken(text.trimmingLineEnds + "\n")
        }
    }

    private mutating func apply(_ operation: ViOperator, _ range: Range<Int>, _ line: inout InputLine) -> Outcome {
        if operation == .yank {
            let text = String(line.characters[range])
            line.move(to: range.lowerBound)
            return text.isEmpty ? .nothing : .taken(text)
        }
        isChange = true
        line.move(to: range.lowerBound)
        if let changed = operation.changed(line.characters[range]) {
            guard !range.isEmpty else { return .nothing }
            line.beginGroup()
            _ = line.kill(to: range.upperBound)
            line.insert(changed)
            line.endGroup()
            line.move(to: range.lowerBound)
            return .nothing
        }
        if operation == .change { line.beginGroup() }
        let text = line.kill(to: range.upperBound)
        if operation == .change { beginInsertion(line, times: 1) } else { clamp(&line) }
        return text.isEmpty ? .nothing : .taken(text)
    }

    /// The commands that are one key.
    private mutating func change(
        _ key: Character, _ times: Int, _ line: inout InputLine, _ register: String?
    ) -> Outcome {
        let cursor = line.cursor
        switch key {
        case "i": insert(&line, at: cursor, times)
        case "a": insert(&line, at: min(cursor + 1, line.lineEnd), times)
        case "I": insert(&line, at: line.target(of: .firstNonBlank, count: 1) ?? cursor, times)
        case "A": insert(&line, at: line.lineEnd, times)
        case "R":
            insert(&line, at: cursor, 1)
            replacement = ViReplacement()
        case "o": openLine(&line, at: line.lineEnd, above: false, times)
        case "O": openLine(&line, at: line.lineStart, above: true, times)
        case "x": return apply(.delete, cursor..<max(cursor, min(cursor + times, line.lineEnd)), &line)
        case "X": return apply(.delete, max(line.lineStart, cursor - times)..<cursor, &line)
        case "D": return apply(.delete, cursor..<line.lineEnd, &line)
        case "C": return apply(.change, cursor..<line.lineEnd, &line)
        case "s": return apply(.change, cursor..<max(cursor, min(cursor + times, line.lineEnd)), &line)
        case "S": return apply(.change, linesFrom: cursor, to: cursor, &line)
        case "Y": return apply(.yank, linesFrom: cursor, to: cursor, &line)
        case "~":
            let end = min(cursor + times, line.lineEnd)
            _ = apply(.toggle, cursor..<max(cursor, end), &line)
            line.move(to: end)
        case "J":
            isChange = true
            line.beginGroup()
            for _ in 0..<max(1, times - 1) { line.joinNext() }
            line.endGroup()
        case "p", "P":
            isChange = true
            if let register { line.put(register, times, after: key == "p") }
        case "u": for _ in 0..<min(times, InputLine.undoLimit) { line.undo() }
        default: break
        }
        if isNormal { clamp(&line) }
        return .nothing
    }

    private mutating func insert(_ line: inout InputLine, at place: Int, _ times: Int) {
        line.move(to: place)
        line.beginGroup()
        beginInsertion(line, times: times)
    }

    private mutating func openLine(_ line: inout InputLine, at place: Int, above: Bool, _ times: Int) {
        line.move(to: place)
        line.beginGroup()
        line.insert("\n")
        if above { line.move(to: place) }
        beginInsertion(line, times: times, onLines: true)
    }

    private mutating func beginInsertion(_ line: InputLine, times: Int, onLines: Bool = false) {
        isNormal = false
        insertion = Insertion(
            start: line.cursor, length: line.characters.count, times: times, onLines: onLines)
    }

    // MARK: State

    /// In normal mode the cursor is on a character.
    private func clamp(_ line: inout InputLine) {
        guard isNormal else { return }
        line.move(to: min(line.cursor, max(line.lineStart, line.lineEnd - 1)))
    }

    private mutating func reset() {
        keys = []
        count = nil
        operation = nil
        operationCount = 1
        awaited = nil
    }
}
