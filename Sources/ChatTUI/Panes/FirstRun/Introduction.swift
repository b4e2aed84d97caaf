// The input of "Add someone now" on the first page: whatever /join takes.

import ChatCore
import ChatWords

/// Reads an address of a person or of a room, or the words of an invitation.
enum Introduction {
    /// Shown while blipchat looks for the words, which takes seconds.
    static let looking = "Looking for whoever waits with these words"

    /// The sentence that tells the user what to correct.
    struct Refusal: Error, Equatable {
        var words: String
    }

    /// An address copied from a narrow screen comes in several rows; words keep their blanks.
    static func pasted(_ text: String) -> String {
        let isAddress = text.contains(":") && !text.trimmedBlanks.hasPrefix("/")
        if isAddress { return PastedAddress.withoutLayout(text) }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The errand that makes a contact of what was typed or pasted, with or without `/join` or `/add` before it.
    static func errand(for typed: String) throws(Refusal) -> Errand {
        var text = typed.trimmedBlanks
        for command in ["/join ", "/add "] where text.hasPrefix(command) {
            text = String(text.dropFirst(command.count)).trimmedBlanks
        }
        if let said = SpokenInvitation(text) { return .call(.meet(said, name: nil)) }
        if MeetWords.isMeant(by: text), text.contains(where: { $0 == "-" || $0.isWhitespace }) {
            throw Refusal(words: ReachWords.mistyped)
        }
        if RoomURL.isMeant(by: text) {
            do throws(RoomURLError) {
                return .call(.joinRoom(try RoomURL(parsing: text), name: nil))
            } catch {
                throw Refusal(words: RoomWords.sentence(for: error))
            }
        }
        // A person's name could also be a host's name, and would lead nowhere.
        guard text.contains(":") else {
            throw Refusal(words: "neither an address (blip://… or HOST:PORT) nor the four words of an invitation")
        }
        do {
            return .call(.addContact(try PeerAddress(parsing: text), name: nil))
        } catch {
            throw Refusal(words: Sentences.reason(of: error))
        }
    }
}
