// Why a message, or a change of one, will never be delivered. ChatWords has the words for it.

package enum DeliveryFailure: Sendable, Hashable {
    /// Its user deleted it before it was handed to a connection.
    case takenBack
    /// Its text was sent again as a new message.
    case sentAgain
    /// The peer has another message with this id (409).
    case idTaken
    /// The peer does not let us change that message (403).
    case notAllowed
    /// The peer's program does not know this kind of message (404).
    case unknownKind
    /// The peer cannot read it.
    case unreadable
    /// It was still waiting when the history was exported that is imported now.
    case waitingInExport
    /// `doctor` found it waiting without a place in the outbox.
    case placeLost
    /// Its state in the history could not be read and was repaired.
    case stateDamaged
    /// The server of the room takes nothing that large.
    case tooLarge
    /// Its file could not be sent; the transfer says why.
    case fileNotSent
    /// Words of an export or of an earlier version of the history.
    case other(String)
}

extension DeliveryFailure: StoredReason {
    private static let plain: [Self: String] = [
        .takenBack: "taken-back", .sentAgain: "sent-again", .idTaken: "id-taken", .notAllowed: "not-allowed",
        .unknownKind: "unknown-kind", .unreadable: "unreadable", .waitingInExport: "waiting-in-export",
        .placeLost: "place-lost", .stateDamaged: "state-damaged", .tooLarge: "too-large", .fileNotSent: "file-not-sent",
    ]
    private static let byCode = Dictionary(uniqueKeysWithValues: plain.map { ($1, $0) })

    package var stored: String {
        if case .other(let words) = self { "other \(words)" } else { Self.plain[self] ?? "" }
    }

    package init(stored: String) {
        let prefix = "other "
        self =
            Self.byCode[stored]
            ?? .other(stored.hasPrefix(prefix) ? String(stored.dropFirst(prefix.count)) : stored)
    }
}
