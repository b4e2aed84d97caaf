// The messages that answers quote and that the window does not hold: read from the store once.

import ChatCore
import ChatWords

extension World {
    /// The words for a message, with the name of its contact as the screen has it.
    func words(of message: ChatMessage) -> MessageWords {
        MessageWords(message, contact: chat(message.contact)?.name ?? SafeText(literal: "?"), known: skeletons)
    }
}
