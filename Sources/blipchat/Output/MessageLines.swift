// A message as lines for people: on standard output and in text exports. Everything from outside passes SafeText.

import ChatCore
import ChatTUI
import ChatWords

struct MessageLines {
    let records: Records
    var withConversation = false
    var usesColor = false

    /// Time, who, state and text; further lines of the text below, and what is missing before it above.
    func lines(of message: ChatMessage) -> [String] {
        var lines: [String] = []
        if message.missingBefore > 0, !withConversation {
            lines.append("    (\(Sentences.missing(message.missingBefore)))")
        }
        let name = safe(records.contacts.name(of: message.contact), .name)
        var head = TextColor.dim.paint(LocalTime.text(message.shownTime), if: usesColor) + "  "
        if withConversation { head += "\(name)  " }
        // What was deleted before it was sent never was with them.
        let isTakenBack = message.isRetracted && message.state == .takenBack
        let own = TextColor.own.paint(isTakenBack ? "me" : "me \(message.state.mark)", if: usesColor)
        head += message.direction == .outgoing ? "\(own)  " : "\(name)  "
        let tail = notes(of: message).map { "  \($0)" }.joined()
        guard !message.isRetracted else {
            return lines + ["\(head)\(isTakenBack ? "(deleted before it was sent)" : "(deleted)")\(tail)"]
        }
        switch message.content {
        case .file(let transfer):
            let state = transfer.state.rawValue
            let words =
                transfer.reason.map { reason in
                    let words = safe(reason.words, .line)
                    return reason.names(transfer.state) ? words : "\(state) (\(words))"
                } ?? state
            let place = transfer.path.map { "  \(safe($0, .line))" } ?? ""
            lines.append(
                "\(head)#\(transfer.number.rawValue) \(safe(transfer.name, .fileName))  \(transfer.size) bytes  "
                    + "\(words)\(place)\(tail)")
            lines += Self.lines(ofCaption: transfer.caption, of: transfer.name).map { "    " + $0 }
        case .text(let text):
            let parts = Self.lines(ofText: text)
            lines.append(head + (parts.first ?? ""))
            lines += parts.dropFirst().map { "    " + $0 }
            lines[lines.count - 1] += tail
        }
        return lines
    }

    /// The lines of a text; what was hidden in it is said at the end.
    static func lines(ofText text: String) -> [String] {
        let safe = SafeText(ActionText.starred(text), as: .multiline)
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
    static func lines(ofCaption caption: String, of name: String) -> [String] {
        let text = SafeText(caption, as: .multiline)
        let note = (SafeText(name, as: .fileName) + text).hiddenNote
        return caption.isEmpty && note == nil ? [] : lines(of: text, note)
    }

    /// What a message answers, and what was done to it: `(reply to #1a2b3c4d)`, `(edited)`, `(clock off)`, reactions.
    func notes(of message: ChatMessage) -> [String] {
        var notes = message.edited == nil || message.isRetracted ? [] : ["(edited)"]
        if let replied = message.replyTo, !message.isRetracted { notes.insert("(reply to #\(replied.short))", at: 0) }
        if message.isTimeOff {
            notes.append(
                message.shownTime == message.sent
                    ? "(came \(LocalTime.text(message.stored)))"
                    : "(written \(LocalTime.text(message.sent)) by the sender's clock)")
        }
        for reaction in message.reactions {
            let name = reaction.direction == .outgoing ? "me" : safe(records.contacts.name(of: message.contact), .name)
            notes.append("[\(safe(reaction.emoji, .line)) \(name)]")
        }
        return notes
    }

    private func safe(_ text: String, _ kind: SafeText.Kind) -> String { SafeText(text, as: kind).terminalString() }
}
