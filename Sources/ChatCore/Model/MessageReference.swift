// How a person points at a message of a conversation, loaded or not: from the newest backwards, by its id, by its file.

/// A message as somebody names it in a command (`/edit 2 TEXT`, `/goto #1a2b3c4d`, `/open #8`).
package enum MessageReference: Sendable, Equatable, Codable {
    /// The Nth last of a kind, from 1. Messages that were taken back do not count.
    case last(Int, Kind)
    case id(MessageID)
    /// The end of an id, `MessageID.short`. Of several messages with it the newest is meant.
    case shortID(String)
    /// The line of a file.
    case transfer(TransferNumber)

    /// Which messages are counted.
    package enum Kind: Sendable, Equatable, Codable {
        case any
        case own
        /// Own messages that can be edited.
        case ownText
        case incoming
        /// Own ones that were refused for good, and were not sent again.
        case failed
    }

    /// Reads `#8` (the file with that number), `#1a2b3c4d` (the end of an id) and a whole id; `nil` for anything else.
    package init?(named text: String) {
        if let id = MessageID(text.lowercased()) {
            self = .id(id)
            return
        }
        guard text.utf8.first == UInt8(ascii: "#") else { return nil }
        let name = text.dropFirst().lowercased()
        if let id = MessageID(name) {
            self = .id(id)
        } else if name.utf8.count == MessageID.shortLength, name.utf8.allSatisfy(Self.isHexDigit) {
            self = .shortID(name)
        } else if name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(name) {
            self = .transfer(TransferNumber(number))
        } else {
            return nil
        }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}

extension ChatMessage {
    /// Whether it is counted among messages of a kind.
    package func fits(_ kind: MessageReference.Kind) -> Bool {
        guard !isRetracted else { return false }
        switch kind {
        case .any: return true
        case .own: return direction == .outgoing
        case .ownText: if case .text = content { return direction == .outgoing } else { return false }
        case .incoming: return direction == .incoming
        case .failed:
            guard direction == .outgoing, state != .sentAgain else { return false }
            if case .failed = state { return true }
            // It was offered, and has failed since.
            guard case .file(let transfer) = content else { return false }
            return transfer.state == .failed && transfer.reason != TransferReason.sentAgain
        }
    }
}

extension MessageID {
    /// Characters of `short`.
    package static let shortLength = 8

    /// The end of the id, which is random where its beginning is only the time: enough to name a message by.
    package var short: String { String(text.suffix(Self.shortLength)) }
}

/// The text of a message at some time.
package struct TextVersion: Sendable, Equatable, Codable {
    package var text: String
    /// When its sender wrote it, by the sender's clock.
    package var written: Timestamp

    package init(text: String, written: Timestamp) {
        self.text = text
        self.written = written
    }
}
