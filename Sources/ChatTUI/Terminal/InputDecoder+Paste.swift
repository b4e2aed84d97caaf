// Pasted text: everything between the marks is text, also escape sequences and a mark inside.

extension InputDecoder {
    /// One byte between 200~ and 201~, or behind 201~.
    mutating func stepPaste(_ byte: UInt8) {
        switch state {
        case .paste(var pasted, let matched):
            // Lets the array grow in place: the state no longer holds a second reference.
            state = .ground
            if byte == Self.pasteEnd[matched] {
                state =
                    matched + 1 < Self.pasteEnd.count
                    ? .paste(pasted, matched: matched + 1) : .pasteEnded(pasted, tail: [])
                return
            }
            Self.append(Self.pasteEnd[..<matched], to: &pasted)
            // ESC begins a new match; it stands nowhere else in the mark.
            let isStart = byte == Self.pasteEnd[0]
            if !isStart { Self.append([byte], to: &pasted) }
            state = .paste(pasted, matched: isStart ? 1 : 0)
        case .pasteEnded(var pasted, var tail):
            state = .ground
            tail.append(byte)
            if byte == UInt8(ascii: "~"), tail.ends(with: Self.pasteEnd) {
                // A second end at once: the first one was part of the text.
                Self.append(Self.pasteEnd[...], to: &pasted)
                Self.append(tail.dropLast(Self.pasteEnd.count), to: &pasted)
                state = .pasteEnded(pasted, tail: [])
            } else if tail.count >= Self.maxPasteBytes
                || (byte == UInt8(ascii: "~") && tail.ends(with: Self.pasteStart))
            {
                // Another paste begins (or there is too much to hold): the first one is over.
                emit(.paste(Self.pastedText(pasted)))
                for byte in tail { step(byte) }
            } else {
                state = .pasteEnded(pasted, tail: tail)
            }
        default: break
        }
    }

    private static func append(_ bytes: some Collection<UInt8>, to pasted: inout [UInt8]) {
        pasted.append(contentsOf: bytes.prefix(max(0, maxPasteBytes - pasted.count)))
    }

    /// The text of a paste: repaired UTF-8 with LF as its line end (terminals send CR).
    static func pastedText(_ bytes: [UInt8]) -> String {
        var lines: [UInt8] = []
        lines.reserveCapacity(bytes.count)
        var previous: UInt8 = 0
        for byte in bytes {
            if byte == 0x0D {
                lines.append(0x0A)
            } else if byte != 0x0A || previous != 0x0D {
                lines.append(byte)
            }
            previous = byte
        }
        return String(decoding: lines, as: UTF8.self)
    }

    /// Three or more characters with a line end among them, in one read: nobody types that fast.
    static func looksPasted(_ bytes: [UInt8]) -> Bool {
        let lineEnds = bytes.count { $0 == 0x0D || $0 == 0x0A }
        return bytes.count >= 3 && lineEnds > 0 && lineEnds < bytes.count && !bytes.contains(0x1B)
    }
}

extension [UInt8] {
    fileprivate func ends(with end: [UInt8]) -> Bool { count >= end.count && suffix(end.count).elementsEqual(end) }
}
