// Pastes that the terminal has not marked: found by PasteBurst, and taken as text like the marked ones.

import ChatWords

extension InputDecoder {
    /// Takes what one read returned while no marked paste is under way.
    mutating func receiveUnmarked(_ read: [UInt8], now: Instant) {
        var rest = read[...]
        // The end of a sequence is no text.
        while isInSequence, let byte = rest.popFirst() { step(byte) }
        if case .paste = state { return stepAll(rest) }
        guard !rest.isEmpty else { return }
        var bytes = Array(rest)
        let isAtOnce = burst.continues(at: now)
        // The beginning of a character whose end comes now.
        if isAtOnce, case .character(let beginning, _, alt: false) = state {
            state = .ground
            bytes.insert(contentsOf: beginning, at: 0)
        }
        if let end = heldLineEnd {
            heldLineEnd = nil
            if isAtOnce { bytes.insert(end, at: 0) } else { step(end) }
        }
        // Everything after a mark is marked.
        let marked = bytes.firstRange(of: Self.pasteStart)?.lowerBound ?? bytes.endIndex
        switch burst.judge(Self.text(of: bytes[..<marked]), now: now) {
        case .undecided where bytes.last.map(PasteBurst.isLineEnd) == true:
            stepAll(bytes.dropLast())
            // Inside a sequence it is a part of that.
            if case .ground = state { heldLineEnd = bytes.last } else { stepAll(bytes.suffix(1)) }
        case .keys, .undecided: stepAll(bytes[...])
        case .paste:
            takeBurst(bytes[..<marked])
            stepAll(bytes[marked...])
        }
    }

    private var isInSequence: Bool {
        switch state {
        case .sequence, .skipping, .report: true
        case .ground, .character, .paste, .pasteEnded: false
        }
    }

    /// The line end that waited is Enter.
    mutating func giveHeldLineEnd() {
        guard let end = heldLineEnd else { return }
        heldLineEnd = nil
        step(end)
    }

    /// Text of a paste. Of the sequences in it only the terminal's own reports count (focus, answers), no keys: a paste
    /// must not be able to press any.
    private mutating func takeBurst(_ bytes: ArraySlice<UInt8>) {
        var text: [UInt8] = []
        for byte in bytes {
            if case .ground = state, byte != 0x1B {
                text.append(byte)
            } else {
                let count = events.count
                step(byte)
                dropKeys(from: count)
            }
        }
        let cut = Self.unfinishedCharacter(at: text)
        text.removeLast(cut.count)
        if !text.isEmpty { emit(.paste(Self.pastedText(text))) }
        if case .ground = state { cut.forEach { step($0) } }
    }

    /// The bytes of an incomplete UTF-8 character at the end of a text.
    private static func unfinishedCharacter(at text: [UInt8]) -> [UInt8] {
        guard let start = text.suffix(3).lastIndex(where: { $0 >= 0xC2 }) else { return [] }
        let length = text[start] < 0xE0 ? 2 : text[start] < 0xF0 ? 3 : 4
        let bytes = text[start...]
        return bytes.count < length && bytes.dropFirst().allSatisfy { 0x80...0xBF ~= $0 } ? Array(bytes) : []
    }

    /// The text of a read without its escape sequences, as far as one can tell without decoding them.
    static func text(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(0x1B) else { return Array(bytes) }
        var text: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == 0x1B else {
                text.append(byte)
                continue
            }
            switch rest.popFirst() {
            // CSI: up to its final byte.
            case UInt8(ascii: "["): rest = rest.drop { !(0x40...0x7E ~= $0) }.dropFirst()
            // SS3: one byte.
            case UInt8(ascii: "O"): rest = rest.dropFirst()
            // OSC, DCS and their like: up to BEL or ESC \.
            case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"), UInt8(ascii: "X"):
                rest = rest.drop { $0 != 0x07 && $0 != 0x1B }
                rest = rest.first == 0x1B ? rest.dropFirst(2) : rest.dropFirst()
            default: break
            }
        }
        return text
    }
}
