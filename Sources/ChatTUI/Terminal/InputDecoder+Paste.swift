// Pasted text: everything between the marks is text, also escape sequences and a mark inside.

import ChatWords

extension InputDecoder {
    /// Inside a paste, takes the bytes at the front that cannot belong to its end, and returns how many they are.
    mutating func pasteLength(of bytes: ArraySlice<UInt8>) -> Int {
        guard case .paste(matched: 0) = state else { return 0 }
        let text = bytes.prefix { $0 != Self.pasteEnd[0] }
        appendPasted(text)
        return text.count
    }

    /// One byte between 200~ and 201~, or after 201~.
    mutating func stepPaste(_ byte: UInt8) {
        guard case .paste(let matched) = state else {
            stepPasteTail(byte)
            return
        }
        if byte == Self.pasteEnd[matched] {
            state = matched + 1 < Self.pasteEnd.count ? .paste(matched: matched + 1) : .pasteEnded
            return
        }
        appendPasted(Self.pasteEnd[..<matched])
        // ESC begins a new match; it occurs nowhere else in the mark.
        let isStart = byte == Self.pasteEnd[0]
        if !isStart { appendPasted([byte]) }
        state = .paste(matched: isStart ? 1 : 0)
    }

    private mutating func stepPasteTail(_ byte: UInt8) {
        pasteTail.append(byte)
        let mayBeMark = byte == UInt8(ascii: "~")
        if mayBeMark, pasteTail.ends(with: Self.pasteEnd) {
            // A second end at once: the first one was part of the text.
            appendPasted(Self.pasteEnd)
            appendPasted(pasteTail.dropLast(Self.pasteEnd.count))
            pasteTail = []
        } else if pasteTail.count >= Self.maxPasteBytes || (mayBeMark && pasteTail.ends(with: Self.pasteStart)) {
            // Another paste begins (or there is too much to hold): the first one is over.
            finishPaste()
        }
    }

    /// Emits the paste and decodes the bytes that came after it.
    mutating func finishPaste() {
        let tail = pasteTail
        emit(.paste(Self.pastedText(pasted)))
        pasted = []
        pasteTail = []
        state = .ground
        for byte in tail { step(byte) }
    }

    private mutating func appendPasted(_ bytes: some Collection<UInt8>) {
        pasted.append(contentsOf: bytes.prefix(max(0, Self.maxPasteBytes - pasted.count)))
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
}

extension [UInt8] {
    fileprivate func ends(with end: [UInt8]) -> Bool { count >= end.count && suffix(end.count).elementsEqual(end) }
}
