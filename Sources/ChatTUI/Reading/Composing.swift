// The purpose of the line in the input when it is more than a new message: an answer, or the new text of an old one.

import ChatCore
import ChatWords

/// Begun by the user on a message, ended by Enter or Esc. Each chat has its own.
enum Composing: Sendable, Equatable {
    case reply(to: ChatMessage)
    /// `saved`: the half-typed line that comes back afterwards, as an answer to the message that it was `answering`.
    case edit(ChatMessage, saved: InputLine, answering: ChatMessage?)

    var message: ChatMessage {
        switch self {
        case .reply(let message), .edit(let message, _, _): message
        }
    }

    /// An answer shows its message as it is now. A message that is being edited stays as it was, unless it is deleted.
    mutating func update(_ news: ChatMessage) {
        switch self {
        case .reply(let message):
            if message.key == news.key { self = .reply(to: news) }
        case .edit(let message, let saved, let answered):
            self = .edit(
                message.key == news.key && news.isRetracted ? news : message, saved: saved,
                answering: answered?.id == news.id ? news : answered)
        }
    }

    /// A line that waits for the end of an edit, as a draft.
    static func waiting(_ line: InputLine, answering message: ChatMessage?) -> String {
        message.map { Composing.reply(to: $0).draft(line.text, keepsLines: true) } ?? line.text
    }

    /// The same among the typed lines, where it is a command: after that, a second slash no longer marks a text.
    static func typed(_ line: InputLine, answering message: ChatMessage?) -> String {
        guard line.text.hasPrefix("//"), message != nil else { return waiting(line, answering: message) }
        return waiting(InputLine(ActionText.literal(String(line.text.dropFirst()))), answering: message)
    }

    /// The prompt before the input, in place of the name of the chat.
    var prompt: SafeText {
        switch self {
        case .reply: SafeText(literal: "reply> ")
        case .edit: SafeText(literal: "edit> ")
        }
    }

    /// The same as a command, for the stored draft, which `parts` reads. For an edit that has changed nothing, the line
    /// that waits for its end; beside an edit with a change, that line is among the typed ones.
    ///
    /// `keepsLines`: typed lines are kept; without that the waiting line, which is nowhere else, goes before the edit.
    func draft(_ text: String, keepsLines: Bool) -> String {
        switch self {
        case .reply(let message):
            return text.isEmpty ? "" : "/reply #\(message.id.short) \(text)"
        case .edit(let message, let saved, let answered):
            let isUnchanged = text.isEmpty || message.content == .text(text)
            guard isUnchanged || (!keepsLines && !saved.isEmpty) else { return "/edit #\(message.id.short) \(text)" }
            return Composing.waiting(saved, answering: answered)
        }
    }

    /// The parts of a line that `draft` has made: the message it is about, and the typed text. `nil` for other lines.
    static func parts(ofDraft draft: String) -> (isEdit: Bool, message: MessageReference, text: String)? {
        let words = draft.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, ["/reply", "/edit"].contains(words[0]), words[1].hasPrefix("#"),
            let message = MessageReference(named: String(words[1]))
        else { return nil }
        return (words[0] == "/edit", message, String(words[2]))
    }
}
