// Messages on their way in: how much of them is stored, how they are answered, and what is held back. Pure; time and the
// state of the disk are passed in.

import BLIPNet

struct Mail {
    private(set) var irregularities = Irregularities()
    /// How much contacts have had stored today, and the disk where it goes.
    private var quota = StorageQuota()
    private var disk = DiskWatch()
    /// Contacts from whom something is held back until a wait is over (D5).
    private var holding: Set<ContactID> = []

    // MARK: Before it is stored

    /// Whether the caller must look at the disk before it stores this.
    mutating func wantsLook(before message: IncomingMessage, now: MonotonicTime) -> Bool {
        disk.isDue(before: message.content.textBytes, now: now)
    }

    mutating func saw(_ space: DiskSpace?, now: MonotonicTime) { disk.saw(space, now: now) }

    /// Why a message is not stored now, unless it is stored already; `nil`: it is, and counted.
    mutating func refusal(of message: IncomingMessage, limits: ChatLimits, now: Timestamp) -> StorageQuota.Refusal? {
        quota.admit(message.content.textBytes, from: message.contact, disk: disk.space, limits: limits, now: now)
    }

    /// A message was refused. Returns whether our user is to hear of it: once a day for each contact.
    mutating func refused(_ message: IncomingMessage, now: Timestamp) -> Bool {
        irregularities.refused += 1
        return quota.isNews(for: message.contact, now: now)
    }

    // MARK: Answers

    static let noRoom = BLIPResponse.failure(.insufficientStorage, "no room for more of you now")

    /// The answer to a message with which the store has done this; what is unusual is counted.
    mutating func answer(to outcome: AppendOutcome) -> BLIPResponse {
        switch outcome {
        case .stored: return BLIPResponse()
        case .held:
            irregularities.heldBack += 1
            return BLIPResponse()
        case .duplicate:
            irregularities.duplicates += 1
            return BLIPResponse()
        case .conflict:
            irregularities.refused += 1
            return .failure(.conflict, "another operation has this id")
        case .forbidden:
            irregularities.refused += 1
            return .failure(.forbidden, "not your message")
        case .meaningless: return .failure(.badRequest, "a file has no text")
        }
    }

    /// The sender keeps what we could not store and tries again.
    static func answer(to error: StoreError) -> BLIPResponse {
        switch error {
        case .diskFull: .failure(.insufficientStorage, "the disk is full")
        case .replaced: .failure(.insufficientStorage, "cannot store now")
        default: .failure(.handlerFailed, "cannot store")
        }
    }

    /// A read receipt for what is no message of ours to them.
    mutating func noteForeignReceipt() { irregularities.foreignReceipts += 1 }

    // MARK: Gaps (D5)

    /// Something is held back; `true` when the wait for it begins: one wait for each contact.
    mutating func hold(_ contact: ContactID) -> Bool { holding.insert(contact).inserted }

    mutating func endHold(_ contact: ContactID) { holding.remove(contact) }
}

extension IncomingMessage.Content {
    /// Bytes of text that are stored.
    fileprivate var textBytes: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .file(let name, _, _, _, let caption, _): name.utf8.count + caption.utf8.count
        case .operation(.edit(let text), _): text.utf8.count
        case .operation: 0
        }
    }
}

extension OutboxEntry {
    /// The final state that an answer means; `nil` when the next answer may be another one.
    func state(after error: BLIPErrorCode?) -> DeliveryState? {
        switch error {
        case nil: return .delivered
        case .badRequest?, .notFound?, .conflict?, .gone?, BLIPErrorCode(code: 413)?:
            return .failed(reason: Self.refusal(error))
        case .forbidden?:
            // They know it as somebody else's message; a message itself is never forbidden once hello is over.
            guard case .operation = operation else { return nil }
            return .failed(reason: Self.refusal(error))
        default: return nil
        }
    }

    private static func refusal(_ error: BLIPErrorCode?) -> DeliveryFailure {
        switch error {
        case .conflict?: .idTaken
        case .forbidden?: .notAllowed
        case .notFound?: .unknownKind
        default: .unreadable
        }
    }
}
