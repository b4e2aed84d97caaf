// A message as lines for people: on standard output and in text exports. Everything from outside passes SafeText.

package import ChatCore
import ChatWords

package struct MessageLines {
    let records: Records
    let withConversation: Bool
    package var usesColor: Bool

    package init(records: Records, withConversation: Bool = false, usesColor: Bool = false) {
        self.records = records
        self.withConversation = withConversation
        self.usesColor = usesColor
    }

    /// Time, who, state and text; further lines of the text below, and what is missing before it above.
    package func lines(of message: ChatMessage) -> [String] {
        let words = records.words(of: message)
        var lines: [String] = []
        if let missing = words.missing, !withConversation { lines.append("    (\(missing))") }
        let name = words.contact.terminalString()
        var head = TextColor.dim.paint(LocalTime.text(message.shownTime), if: usesColor) + "  "
        if withConversation { head += "\(name)  " }
        let own = TextColor.own.paint(words.mark.isEmpty ? "me" : "me \(words.mark)", if: usesColor)
        head += message.direction == .outgoing ? "\(own)  " : "\(words.author.terminalString())  "
        let tail = notes(of: message).map { "  \($0)" }.joined()
        if let removal = words.removal { return lines + [head + removal.terminalString() + tail] }
        if let file = words.file {
            let place = file.transfer.path.map { "  \(safe($0))" } ?? ""
            lines.append(
                "\(head)\(file.number) \(file.name.terminalString())  \(file.transfer.size) bytes  "
                    + "\(safe(file.stateAndReason))\(place)\(tail)")
            lines += Self.lines(ofCaption: file.transfer.caption, of: file.transfer.name).map { "    " + $0 }
        } else {
            let text = words.text()
            let parts = Self.lines(of: text, text.hiddenNote)
            lines.append(head + (parts.first ?? ""))
            lines += parts.dropFirst().map { "    " + $0 }
            lines[lines.count - 1] += tail
        }
        return lines
    }

    /// The lines of a text; what was hidden in it is said at the end.
    package static func lines(ofText text: String) -> [String] {
        let safe = MessageWords.text(of: text)
        return lines(of: safe, safe.hiddenNote)
    }

    private static func lines(of safe: SafeText, _ note: SafeText?) -> [String] {
        var lines = safe.lines().map { $0.terminalString() }
        if let note, let last = lines.popLast() {
            lines.append(last + (last.isEmpty ? "" : " ") + note.terminalString())
        }
        return lines
    }

    /// The text beside a file, and what was hidden in it or in the name; none when there is neither.
    package static func lines(ofCaption caption: String, of name: String) -> [String] {
        let text = SafeText(caption, as: .multiline)
        let note = (SafeText(name, as: .fileName) + text).hiddenNote
        return caption.isEmpty && note == nil ? [] : lines(of: text, note)
    }

    /// What a message answers, and what was done to it: `(reply to #1a2b3c4d)`, `(edited)`, `(clock off)`, reactions.
    func notes(of message: ChatMessage) -> [String] {
        let words = records.words(of: message)
        var notes = words.isEdited ? [MessageWords.edited.text] : []
        if let replied = message.replyTo, !message.isRetracted { notes.insert("(reply to #\(replied.short))", at: 0) }
        if message.isTimeOff {
            notes.append(
                message.shownTime == message.sent
                    ? "(came \(LocalTime.text(message.stored)))"
                    : "(written \(LocalTime.text(message.sent)) by the sender's clock)")
        }
        notes += words.reactions.map { "[\(safe($0.emoji)) \($0.who.terminalString())]" }
        return notes
    }

    private func safe(_ text: String) -> String { SafeText(text, as: .line).terminalString() }
}
