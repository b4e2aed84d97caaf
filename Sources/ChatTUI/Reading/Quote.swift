// The messages that answers quote and that the window does not hold: read from the store once.

import ChatCore
import ChatWords

extension World {
    /// The words for a message, with the name of its contact as the screen has it.
    func words(of message: ChatMessage) -> MessageWords {
        MessageWords(message, contact: chat(message.contact)?.name ?? SafeText(literal: "?"), known: skeletons)
    }
}

extension Chat {
    /// More quotes are forgotten when nothing in the window needs them.
    private static let quoteLimit = 300

    /// The quoted messages that nobody has asked for yet; they count as asked from now on.
    mutating func takeMissingQuotes() -> [MessageID] {
        let wanted = Set(window.items.lazy.compactMap(\.message?.replyTo))
        guard !wanted.isEmpty else { return [] }
        let known = Set(window.items.lazy.compactMap(\.message?.id))
        if quotes.count > Self.quoteLimit { quotes = quotes.filter { wanted.contains($0.key) } }
        let missing = wanted.filter { !known.contains($0) && quotes[$0] == nil }.sorted { $0.text < $1.text }
        for id in missing { quotes[id] = .asked }
        return missing
    }

    /// The content of the quote of `id`.
    func quoted(_ id: MessageID) -> Quote {
        if let message = window.message(id) { return .found(message) }
        return quotes[id] ?? .asked
    }
}
