// vi's `J`, `p` and `P` on an input line. ViMode calls them.

import ChatWords

extension InputLine {
    /// Bytes that a count in front of `p` may make of the register.
    static let putLimit = 1 << 20

    /// `J`: joins the next line to this one, with one blank for its indentation.
    mutating func joinNext() {
        let end = lineEnd
        guard end < characters.count else { return }
        move(to: end)
        // With the indentation of the second line.
        let next = characters[(end + 1)...]
        let indent = next.prefix { $0 != "\n" && $0.isWhitespace }.count
        _ = kill(to: end + 1 + indent)
        insert(" ")
        move(to: end)
    }

    /// Whole lines go below or above, anything else after or before the cursor.
    mutating func put(_ text: String, _ times: Int, after: Bool) {
        let times = max(1, min(times, Self.putLimit / max(1, text.utf8.count)))
        if text.hasSuffix("\n") {
            let content = Array(repeating: text.trimmingLineEnds, count: times).joined(separator: "\n")
            let place = after ? lineEnd : lineStart
            move(to: place)
            insert(after ? "\n" + content : content + "\n")
            move(to: after ? place + 1 : place)
        } else {
            move(to: after ? min(cursor + 1, lineEnd) : cursor)
            insert(String(repeating: text, count: times))
            move(to: cursor - 1)
        }
    }
}

extension String {
    /// Without the line ends at both ends: a whole line as the kill ring keeps it.
    var trimmingLineEnds: String {
        var text = self[...]
        if text.hasPrefix("\n") { text.removeFirst() }
        if text.hasSuffix("\n") { text.removeLast() }
        return String(text)
    }
}
