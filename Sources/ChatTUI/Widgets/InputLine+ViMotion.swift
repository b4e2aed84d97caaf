// Where vi's motions go in an input line. ViMode moves the cursor there, or changes the text up to there.

import ChatWords

/// A motion of vi.
enum ViMotion: Sendable, Equatable {
    case left, right, lineStart, firstNonBlank, lineEnd
    case word(big: Bool), wordBack(big: Bool), wordEnd(big: Bool)
    /// What `cw` changes: up to the end of the word under the cursor, which may be at its end already.
    case wordRest(big: Bool)
    /// `f`, `t`, `F` and `T`: to a character of the line, or just before it.
    case find(Character, forward: Bool, before: Bool)
    /// The same once more, from the place to which `find` has led: `;` and `,`.
    case findNext(Character, forward: Bool, before: Bool)
    case lineUp, lineDown, textStart, textEnd
    /// The line with a number from 1.
    case line(Int)

    /// Takes the whole lines from the cursor to its target when a text is changed.
    var isLinewise: Bool {
        switch self {
        case .lineUp, .lineDown, .textStart, .textEnd, .line: true
        default: false
        }
    }

    /// The character at its target belongs to what it spans.
    var isInclusive: Bool {
        switch self {
        case .wordEnd, .wordRest: true
        case .find(_, let forward, _), .findNext(_, let forward, _): forward
        default: false
        }
    }

    /// The same search once more.
    var again: ViMotion {
        if case .find(let wanted, let forward, let before) = self {
            return .findNext(wanted, forward: forward, before: before)
        }
        return self
    }

    /// The same search the other way, for `,`.
    var reversed: ViMotion {
        if case .find(let wanted, let forward, let before) = self {
            return .find(wanted, forward: !forward, before: before)
        }
        return self
    }
}

extension InputLine {
    /// The index that a motion leads to, done `count` times; `nil` when it leads nowhere.
    func target(of motion: ViMotion, count: Int) -> Int? {
        switch motion {
        case .left: return max(lineStart, cursor - count)
        case .right: return min(lineEnd, cursor + count)
        case .lineStart: return lineStart
        case .firstNonBlank: return characters[lineStart..<lineEnd].firstIndex { !$0.isWhitespace } ?? lineEnd
        case .lineEnd: return lineEnd
        case .word(let big): return repeated(count) { nextWord(from: $0, big: big) }
        case .wordBack(let big): return repeated(count) { previousWord(from: $0, big: big) }
        case .wordEnd(let big): return repeated(count) { endOfWord(from: $0, big: big) }
        case .wordRest(let big):
            var isFirst = true
            return repeated(count) {
                defer { isFirst = false }
                return isFirst ? run(around: $0, big: big).upperBound - 1 : endOfWord(from: $0, big: big)
            }
        case .find(let wanted, let forward, let before): return find(wanted, forward, before, count)
        case .findNext(let wanted, let forward, let before):
            // Just before one there is one: the next is meant.
            let beside = forward ? cursor + 1 : cursor - 1
            let skips = before && characters.indices.contains(beside) && characters[beside] == wanted
            return find(wanted, forward, before, count + (skips ? 1 : 0))
        case .lineUp, .lineDown: return neighbour(motion == .lineUp ? -count : count)
        case .textStart: return firstNonBlank(ofLine: 1)
        case .textEnd: return firstNonBlank(ofLine: .max)
        case .line(let number): return firstNonBlank(ofLine: number)
        }
    }

    /// Of the line with that number, or the last one.
    private func firstNonBlank(ofLine number: Int) -> Int {
        var copy = self
        copy.move(to: 0)
        var line = 1
        while line < number, copy.lineEnd < characters.count {
            copy.move(to: copy.lineEnd + 1)
            line += 1
        }
        return copy.target(of: .firstNonBlank, count: 1) ?? copy.lineStart
    }

    /// Where an operator stops that goes to the start of a word: the end of a line is not taken along.
    func endOfWords(before target: Int) -> Int {
        var end = target
        while end > cursor, characters[end - 1].isWhitespace { end -= 1 }
        guard let lineEnd = characters[end..<max(end, target)].firstIndex(of: "\n"), lineEnd > cursor else {
            return target
        }
        return lineEnd
    }

    private func repeated(_ count: Int, _ step: (Int) -> Int) -> Int {
        var index = cursor
        for _ in 0..<min(count, characters.count + 1) { index = step(index) }
        return index
    }

    // MARK: Words

    private enum Kind { case blank, word, sign }

    private func kind(_ index: Int, big: Bool) -> Kind {
        let character = characters[index]
        if character.isWhitespace { return .blank }
        return big || character.isLetter || character.isNumber || character == "_" ? .word : .sign
    }

    private func nextWord(from start: Int, big: Bool) -> Int {
        var index = start
        guard index < characters.count else { return index }
        let first = kind(index, big: big)
        while index < characters.count, first != .blank, kind(index, big: big) == first { index += 1 }
        while index < characters.count, kind(index, big: big) == .blank { index += 1 }
        return index
    }

    private func previousWord(from start: Int, big: Bool) -> Int {
        var index = start
        while index > 0, kind(index - 1, big: big) == .blank { index -= 1 }
        guard index > 0 else { return 0 }
        let last = kind(index - 1, big: big)
        while index > 0, kind(index - 1, big: big) == last { index -= 1 }
        return index
    }

    private func endOfWord(from start: Int, big: Bool) -> Int {
        var index = start + 1
        while index < characters.count, kind(index, big: big) == .blank { index += 1 }
        guard index < characters.count else { return max(0, characters.count - 1) }
        let first = kind(index, big: big)
        while index + 1 < characters.count, kind(index + 1, big: big) == first { index += 1 }
        return index
    }

    /// The characters of one kind around `index`, within its line; after the last character only `index`.
    private func run(around index: Int, big: Bool) -> Range<Int> {
        guard index < lineEnd else { return index..<(index + 1) }
        let wanted = kind(index, big: big)
        var range = index..<(index + 1)
        while range.lowerBound > lineStart, kind(range.lowerBound - 1, big: big) == wanted {
            range = (range.lowerBound - 1)..<range.upperBound
        }
        while range.upperBound < lineEnd, kind(range.upperBound, big: big) == wanted {
            range = range.lowerBound..<(range.upperBound + 1)
        }
        return range
    }

    /// `iw` and `aw`: the word under the cursor, or the blanks; `around`: with the blanks after it, else before it.
    func wordObject(big: Bool, around: Bool) -> Range<Int>? {
        guard cursor < lineEnd else { return nil }
        let word = run(around: cursor, big: big)
        guard around else { return word }
        if word.upperBound < lineEnd, kind(word.upperBound, big: big) == .blank || kind(cursor, big: big) == .blank {
            return word.lowerBound..<run(around: word.upperBound, big: big).upperBound
        }
        guard word.lowerBound > lineStart, kind(word.lowerBound - 1, big: big) == .blank else { return word }
        return run(around: word.lowerBound - 1, big: big).lowerBound..<word.upperBound
    }

    /// The range of `iw`, `a"` and their like at the cursor; `nil` when there is none. Quotes and brackets are of this line.
    func object(_ key: Character, around: Bool, count: Int = 1) -> Range<Int>? {
        switch key {
        case "w", "W":
            guard var range = wordObject(big: key == "W", around: around) else { return nil }
            var copy = self
            for _ in 1..<max(1, count) {
                copy.move(to: range.upperBound)
                guard let next = copy.wordObject(big: key == "W", around: around) else { break }
                range = range.lowerBound..<next.upperBound
            }
            return range
        case "\"", "'", "`": return quotes(key, around: around)
        case "(", ")", "b": return brackets("(", ")", around: around)
        case "[", "]": return brackets("[", "]", around: around)
        case "{", "}", "B": return brackets("{", "}", around: around)
        case "<", ">": return brackets("<", ">", around: around)
        default: return nil
        }
    }

    /// The pair that the cursor is in, else the next one of the line.
    private func quotes(_ mark: Character, around: Bool) -> Range<Int>? {
        let places = (lineStart..<lineEnd).filter { characters[$0] == mark }
        for start in stride(from: 0, to: places.count - 1, by: 2) where places[start + 1] >= cursor {
            let (open, close) = (places[start], places[start + 1])
            guard around else { return (open + 1)..<close }
            // With the blanks after it, else those before it.
            var range = open..<(close + 1)
            while range.upperBound < lineEnd, characters[range.upperBound].isWhitespace {
                range = range.lowerBound..<(range.upperBound + 1)
            }
            guard range.upperBound == close + 1 else { return range }
            while range.lowerBound > lineStart, characters[range.lowerBound - 1].isWhitespace {
                range = (range.lowerBound - 1)..<range.upperBound
            }
            return range
        }
        return nil
    }

    /// The innermost pair around the cursor, which may be on one of them.
    private func brackets(_ open: Character, _ close: Character, around: Bool) -> Range<Int>? {
        guard cursor < lineEnd else { return nil }
        var depth = 0
        let first = (lineStart...cursor).reversed().first { index in
            if characters[index] == close, index != cursor { depth += 1 }
            if characters[index] == open {
                if depth == 0 { return true }
                depth -= 1
            }
            return false
        }
        guard let first else { return nil }
        depth = 0
        let last = (first..<lineEnd).first { index in
            if characters[index] == open { depth += 1 }
            if characters[index] == close { depth -= 1 }
            return depth == 0
        }
        guard let last else { return nil }
        return around ? first..<(last + 1) : (first + 1)..<last
    }

    // MARK: Characters and lines

    private func find(_ wanted: Character, _ forward: Bool, _ before: Bool, _ count: Int) -> Int? {
        var left = count
        if forward {
            for index in (cursor + 1..<max(cursor + 1, lineEnd)) where characters[index] == wanted {
                left -= 1
                if left == 0 { return before ? index - 1 : index }
            }
        } else {
            for index in (lineStart..<cursor).reversed() where characters[index] == wanted {
                left -= 1
                if left == 0 { return before ? index + 1 : index }
            }
        }
        return nil
    }

    /// The same column some lines away, or as far as there are lines; `nil` on the first or last line.
    private func neighbour(_ lines: Int) -> Int? {
        var copy = self
        for step in 0..<min(abs(lines), characters.count + 1) {
            guard lines < 0 ? copy.moveLineUp() : copy.moveLineDown() else { return step == 0 ? nil : copy.cursor }
        }
        return copy.cursor
    }
}
