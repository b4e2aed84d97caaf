// Escape sequences: xterm's forms with their modifiers, those of the Linux console, rxvt and kitty, and mouse reports.

import ChatWords

extension InputDecoder {
    /// One more byte after ESC; `bytes` has them all.
    mutating func stepSequence(_ bytes: [UInt8]) {
        state = .sequence(bytes)
        if let key = ownSequences[bytes] {
            state = .ground
            emit(.key(key))
            return
        }
        guard bytes.count >= 2, let last = bytes.last else { return }
        switch bytes[1] {
        case UInt8(ascii: "["): stepCSI(bytes, last)
        case UInt8(ascii: "O"):
            guard bytes.count == 3 else { return }
            finishSS3(last, [])
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            // On its own the key with Alt (see resolveUnfinished), followed by more a report of the terminal.
            guard bytes.count == 3 else { return }
            state = .report(afterEscape: false)
            report = [bytes[1]]
            step(last)
        case 0x1B: stepDoubleEscape(bytes, last)
        default: stepGround(last, alt: true)
        }
    }

    /// ESC ESC: Alt with a function key if a sequence follows, otherwise the first was the Esc key.
    private mutating func stepDoubleEscape(_ bytes: [UInt8], _ last: UInt8) {
        if bytes.count == 2 { return }
        if bytes.count == 3, last != UInt8(ascii: "["), last != UInt8(ascii: "O") {
            emit(.escape)
            state = .sequence([0x1B])
            step(last)
            return
        }
        // As in any sequence: what is interrupted is dropped. Sequences inside of sequences would each be decoded anew with every
        // byte, for hours.
        if bytes.count > 3, last == 0x1B {
            state = .sequence([last])
            return
        }
        // Decode the inner sequence as usual, then add Alt to the key that it makes.
        var inner = InputDecoder(ownSequences: ownSequences)
        for byte in bytes.dropFirst() { inner.step(byte) }
        if case .sequence = inner.state { return }
        state = inner.state
        pasted = inner.pasted
        while let event = inner.nextEvent() {
            if case .key(let key) = event {
                emit(key.code, key.modifiers.union(.alt))
            } else {
                emit(event)
            }
        }
    }

    /// The meaning of a sequence whose rest did not come in time.
    mutating func resolveUnfinished(_ bytes: [UInt8]) {
        switch bytes.count {
        case 1: emit(.escape)
        case 2 where bytes[1] == 0x1B:
            emit(.escape)
            emit(.escape)
        case 2: emit(.character(String(UnicodeScalar(bytes[1]))), .alt)
        default:
            // rxvt ends Shift with a function key with "$", which elsewhere is never the last byte.
            guard bytes[1] == UInt8(ascii: "["), bytes.last == UInt8(ascii: "$") else { return }
            finishTilde(ControlSequence(bytes.dropFirst(2).dropLast()), .shift)
        }
    }

    // MARK: CSI

    private mutating func stepCSI(_ bytes: [UInt8], _ last: UInt8) {
        guard bytes.count > 2 else { return }
        switch last {
        case 0x1B:
            state = .sequence([last])
        case 0x20...0x3F:
            // A sequence without an end is dropped.
            if bytes.count > Self.maxSequenceBytes { state = .report(afterEscape: false) }
        case UInt8(ascii: "[") where bytes.count == 3:
            // The Linux console: ESC [ [ A is F1.
            return
        case 0x40...0x7E:
            state = .ground
            if bytes.count == 4, bytes[2] == UInt8(ascii: "[") {
                if (0x41...0x45).contains(last) { emit(.function(Int(last) - 0x40)) }
            } else {
                finishCSI(ControlSequence(bytes.dropFirst(2).dropLast()), last)
            }
        default: state = .ground
        }
    }

    private mutating func finishCSI(_ sequence: ControlSequence, _ final: UInt8) {
        if sequence.isPrivate {
            // "<" is SGR mouse; "?", ">" and "=" begin answers.
            if sequence.marker == UInt8(ascii: "<") { finishMouse(sequence, isRelease: final == UInt8(ascii: "m")) }
            if sequence.marker == UInt8(ascii: "?") { finishReport(sequence, final) }
            return
        }
        let modifiers = sequence.modifiers
        if sequence.isRelease { return }
        switch UnicodeScalar(final) {
        case "~": finishTilde(sequence, modifiers)
        case "^": finishTilde(sequence, .control)
        case "@": finishTilde(sequence, [.control, .shift])
        case "u": finishKeyCode(sequence[0], modifiers)
        case "Z": emit(.backTab, modifiers.subtracting(.shift))
        case "a", "b", "c", "d":
            // rxvt: Shift with an arrow. With parameters "c" is an answer.
            if sequence.isEmpty, let code = Self.arrows[final - 0x20] { emit(code, .shift) }
        case "I" where sequence.isEmpty: emit(.focus(true))
        case "O" where sequence.isEmpty: emit(.focus(false))
        case "M" where sequence.isEmpty: state = .skipping(3)
        case "P", "Q", "S": emit(.function(Int(final) - 0x4F), modifiers)
        case "R":
            // ESC [ row ; column R is the place of the cursor; F3 with modifiers looks like row 1.
            if sequence[0] ?? 1 == 1 && (sequence.isEmpty || (2...16).contains(sequence[1] ?? 0)) {
                emit(.function(3), modifiers)
            } else if let row = sequence[0], let column = sequence[1] {
                reports.append(.cursor(row: row, column: column))
            }
        case "t":
            if sequence[0] == 6, let height = sequence[1], let width = sequence[2] {
                reports.append(.cellSize(width: width, height: height))
            }
        default:
            if let code = Self.arrows[final] { emit(code, modifiers) }
        }
    }

    /// Answers that begin with `ESC [ ?`.
    private mutating func finishReport(_ sequence: ControlSequence, _ final: UInt8) {
        switch UnicodeScalar(final) {
        case "c": reports.append(.attributes(sequence.numbers))
        case "S":
            // Item 1 are the colour registers; status 0 is success.
            if sequence[0] == 1, sequence[1] == 0, let count = sequence[2] { reports.append(.colorRegisters(count)) }
        default: break
        }
    }

    private mutating func finishTilde(_ sequence: ControlSequence, _ modifiers: Key.Modifiers) {
        switch sequence[0] {
        case 200: state = .paste(matched: 0)
        case 27: finishKeyCode(sequence[2], modifiers)
        case let number?: if let code = Self.numbered[number] { emit(code, modifiers) }
        case nil: break
        }
    }

    /// kitty's and xterm's way to tell any key: its Unicode value and the modifiers.
    private mutating func finishKeyCode(_ value: Int?, _ modifiers: Key.Modifiers) {
        guard let value, let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init) else { return }
        switch value {
        case 9 where modifiers.contains(.shift): emit(.backTab, modifiers.subtracting(.shift))
        case 9: emit(.tab, modifiers)
        case 13: emit(.enter, modifiers)
        case 27: emit(.escape, modifiers)
        case 8, 127: emit(.backspace, modifiers)
        case 0..<32, 0x80...0x9F, 0xE000...0xF8FF: break
        default:
            let text = String(scalar)
            let isShifted = modifiers.contains(.shift) && !modifiers.contains(.control)
            emit(.character(isShifted ? text.uppercased() : text), modifiers.subtracting(.shift))
        }
    }

    private mutating func finishMouse(_ sequence: ControlSequence, isRelease: Bool) {
        // Buttons at the side, and wheels that turn sideways, have no meaning here.
        guard let flags = sequence[0], let column = sequence[1], let row = sequence[2], column > 0, row > 0,
            flags & 128 == 0, flags & 66 != 66
        else { return }
        var modifiers: Key.Modifiers = []
        if flags & 4 != 0 { modifiers.insert(.shift) }
        if flags & 8 != 0 { modifiers.insert(.alt) }
        if flags & 16 != 0 { modifiers.insert(.control) }
        let buttons: [MouseEvent.Button] = [.left, .middle, .right, .none]
        let isWheel = flags & 64 != 0
        let action: MouseEvent.Action =
            if isWheel { flags & 1 == 0 ? .wheelUp : .wheelDown } else if flags & 32 != 0 { .drag } else if isRelease {
                .release
            } else { .press }
        let button = isWheel ? .none : buttons[flags & 3]
        emit(.mouse(MouseEvent(action, button, at: Point(column: column - 1, row: row - 1), modifiers)))
    }

    /// ESC O and a letter: cursor and keypad keys in application mode.
    private mutating func finishSS3(_ final: UInt8, _ modifiers: Key.Modifiers) {
        state = .ground
        switch UnicodeScalar(final) {
        case "P", "Q", "R", "S": emit(.function(Int(final) - 0x4F), modifiers)
        case "M": emit(.enter, modifiers)
        case "I": emit(.tab, modifiers)
        case "a", "b", "c", "d": if let code = Self.arrows[final - 0x20] { emit(code, .control) }
        case "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y":
            emit(.character(String(UnicodeScalar(final - 0x40))), modifiers)
        default: if let code = Self.arrows[final] { emit(code, modifiers) }
        }
    }

    private static let arrows: [UInt8: Key.Code] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
        UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
    ]

    private static let numbered: [Int: Key.Code] = [
        1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
        11: .function(1), 12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5),
        17: .function(6), 18: .function(7), 19: .function(8), 20: .function(9), 21: .function(10),
        23: .function(11), 24: .function(12), 25: .function(13), 26: .function(14), 28: .function(15),
        29: .function(16), 31: .function(17), 32: .function(18), 33: .function(19), 34: .function(20),
    ]
}

/// The parameters of a control sequence: everything between `ESC [` and the final byte.
private struct ControlSequence {
    /// "<", "=", ">" or "?" in front of the parameters.
    let marker: UInt8?
    /// Missing parameters are `nil`; sub-parameters (after ":") stay with theirs.
    private let parameters: [[Int?]]

    init(_ bytes: ArraySlice<UInt8>) {
        let marker = bytes.first.flatMap { (0x3C...0x3F).contains($0) ? $0 : nil }
        self.marker = marker
        let rest = bytes.dropFirst(marker == nil ? 0 : 1)
        parameters =
            rest.isEmpty
            ? []
            : rest.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
                $0.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { Self.number(Array($0)) }
            }
    }

    var isPrivate: Bool { marker != nil }
    var isEmpty: Bool { parameters.isEmpty }
    /// All parameters that are numbers.
    var numbers: [Int] { parameters.compactMap { $0.first ?? nil } }

    subscript(index: Int) -> Int? { index < parameters.count ? parameters[index].first ?? nil : nil }

    /// xterm sends the modifiers as the second parameter: 1 + Shift 1 + Alt 2 + Ctrl 4 + Meta 8.
    var modifiers: Key.Modifiers {
        guard let value = self[1], (2...256).contains(value) else { return [] }
        var modifiers: Key.Modifiers = []
        if (value - 1) & 1 != 0 { modifiers.insert(.shift) }
        if (value - 1) & (2 | 8) != 0 { modifiers.insert(.alt) }
        if (value - 1) & 4 != 0 { modifiers.insert(.control) }
        return modifiers
    }

    /// kitty can report that a key was let go.
    var isRelease: Bool { parameters.count > 1 && parameters[1].count > 1 && parameters[1][1] == 3 }

    /// A decimal number of at most six digits.
    private static func number(_ digits: [UInt8]) -> Int? {
        guard (1...6).contains(digits.count) else { return nil }
        var value = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int(digit - 0x30)
        }
        return value
    }
}
