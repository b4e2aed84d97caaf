// What becomes of the line in the input when it is more than a new message: an answer, or the new text of an old one.

import ChatCore

/// Begun by the user on a message, ended by Enter or Esc. Each chat has its own.
enum Composing: Sendable, Equatable {
    case reply(to: ChatMessage)
    /// `saved`: the half-typed line that comes back afterwards.
    case edit(ChatMessage, saved: InputLine)

    var message: ChatMessage {
        switch self {
        case .reply(let message), .edit(let message, _): message
        }
    }

    /// What stands before the input instead of the name of the chat.
    var prompt: SafeText {
        switch self {
        case .reply: SafeText(literal: "reply> ")
        case .edit: SafeText(literal: "edit> ")
        }
    }

    /// The same as a command, for the stored draft: it means the same after a restart.
    func draft(_ text: String) -> String {
        guard !text.isEmpty else { return "" }
        switch self {
        case .reply(let message): return "/reply #\(message.id.short) \(text)"
        case .edit(let message, _): return "/edit #\(message.id.short) \(text)"
        }
    }
}
