// Why a message will never be delivered, in words for people.

package import ChatCore

extension DeliveryFailure {
    package var words: String {
        switch self {
        case .takenBack: "deleted before it was sent"
        case .sentAgain: "sent again"
        case .idTaken: "the peer has another message with this id"
        case .notAllowed: "the peer does not let us change that message"
        case .unknownKind: "the peer's program does not know this kind of message"
        case .unreadable: "the peer cannot read it"
        case .waitingInExport: "not delivered before the export"
        case .placeLost: "its place in the queue was lost"
        case .tooLarge: "the server takes nothing that large"
        case .fileNotSent: "its file could not be sent"
        case .stateDamaged: "its state in the history was damaged"
        case .other(let words): words
        }
    }
}
