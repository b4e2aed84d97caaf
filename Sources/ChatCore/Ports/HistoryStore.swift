// The database that ChatCore needs. Storage implements it with SQLite; ChatCore never sees SQL.

/// The durable memory of one installation. A method that writes returns when the data is on the disk, unless its caller
/// asks for an asynchronous commit (`CommitDurability`).
///
/// Implementations serialise writers; readers see committed states only.
package protocol HistoryStore: Sendable {
    // MARK: News

    /// From now on `report` is called with each change of a message, in the order of the commits: one after the other,
    /// on any thread, before the method that has made the change returns. It must be brief. There is one watcher.
    func watchChanges(_ report: @escaping @Sendable (HistoryChange) -> Void)
    /// From now on `report` is called when something has happened to the store that a person should hear of, on any thread.
    func watchTrouble(_ report: @escaping @Sendable (StoreTrouble) -> Void)

    // MARK: Contacts

    /// All contacts, by id.
    func contacts() async throws(StoreError) -> [Peer]
    /// Stores a new contact. A contact with the same key gets the new addresses instead and is returned.
    /// Throws `.nameTaken` when another contact has the name (compared as `ContactNames.folded` sees names).
    func addContact(_ contact: NewContact) async throws(StoreError) -> Peer
    /// Writes back a changed contact; throws `.nameTaken` or `.notFound`.
    func updateContact(_ contact: Peer) async throws(StoreError)
    /// Deletes a contact with its conversation. The texts stay on the disk until `purge` has run.
    func removeContact(_ id: ContactID) async throws(StoreError)

    // MARK: Contact requests

    /// Stores a request, or refreshes the one of the same key. At most `limit` are kept: others make room for it as
    /// `ContactRequestRoom` says. `nil` when none is kept, and when the key is that of a contact.
    func recordContactRequest(
        peerID: PeerID, name: String, address: PeerAddress?, origin: String, at time: Timestamp, limit: Int
    ) async throws(StoreError) -> ContactRequest?
    /// Open requests, oldest first.
    func contactRequests() async throws(StoreError) -> [ContactRequest]
    func removeContactRequest(_ id: Int64) async throws(StoreError)

    // MARK: Sending

    /// Write-ahead: in one transaction the next sequence number, the history row (`pending`) and the outbox row.
    func enqueueMessage(
        to contact: ContactID, text: String, replyTo: MessageID?, at time: Timestamp
    ) async throws(StoreError) -> ChatMessage
    /// The same under a given id, at most once.
    func enqueueMessage(
        _ id: MessageID, to contact: ContactID, text: String, at time: Timestamp
    ) async throws(StoreError) -> MessageOnce
    /// The same for files, all in one transaction: also creates their transfers, with the next transfer numbers.
    func enqueueFileOffers(
        to contact: ContactID, files: [NewOutgoingFile], at time: Timestamp
    ) async throws(StoreError) -> [ChatMessage]
    /// Queues news of transfers for the peer (accepted, declined, cancelled, complete); they replace older ones.
    func enqueueFileStatus(
        to contact: ContactID, transfers: [MessageID], state: FileTransfer.State
    ) async throws(StoreError)
    /// Write-ahead for an operation on the message `target` of `direction`: its row, its effect on the message and its
    /// outbox row. Throws `.notFound` without such a message; whether the user may do it is the caller's to know.
    /// Returns the message as it is now.
    func enqueueOperation(
        _ action: ChatOperation.Action, on target: MessageID, _ direction: MessageDirection, to contact: ContactID,
        at time: Timestamp
    ) async throws(StoreError) -> ChatMessage
    /// The entries that wait for `contact`, in the order in which they were entered, at most `limit` of them.
    func outbox(for contact: ContactID, limit: Int) async throws(StoreError) -> [OutboxEntry]
    /// Removes an entry that needs no more sending.
    func removeOutboxEntry(_ id: Int64) async throws(StoreError)
    /// Moves an outgoing message forward; a state that is not ahead of the stored one changes nothing. Delivered,
    /// read and failed also remove its outbox row. Returns the message as it is now, `nil` when there is none.
    func advanceState(
        of id: MessageID, in contact: ContactID, to state: DeliveryState, commit: CommitDurability
    ) async throws(StoreError) -> ChatMessage?
    /// A failed message becomes one that was sent again; any other stays. Returns it as it is now, `nil` when there is none.
    func markSentAgain(_ id: MessageID, in contact: ContactID) async throws(StoreError) -> ChatMessage?
    /// The same as `advanceState` for an operation of ours; returns the message that it acts on, `nil` when there is none.
    func advanceOperation(
        _ id: MessageID, in contact: ContactID, to state: DeliveryState, commit: CommitDurability
    ) async throws(StoreError) -> ChatMessage?
    /// The peer's user has read up to message `id` of ours: marks it and all earlier delivered ones; returns those
    /// that changed. An id that is not ours to this contact changes nothing and returns `nil`.
    func markOutgoingRead(contact: ContactID, upTo id: MessageID) async throws(StoreError) -> [ChatMessage]?

    // MARK: Receiving

    /// Stores incoming operations in one transaction, in their order, each unless its id is known (RELIABILITY D3). One
    /// that overtook others of its sender is held back until they are there or `releaseHeld` stops waiting for them
    /// (D5). Says what became of each; throws when nothing is stored.
    func appendIncoming(
        _ messages: [IncomingMessage]
    ) async throws(StoreError) -> [Result<AppendOutcome, StoreError>]
    /// From whom something is held back.
    func contactsWithHeld() async throws(StoreError) -> [ContactID]
    /// Enters everything that is held back from `contact`, in its sender's order, and keeps the places of what is
    /// missing: whatever of it still arrives is filled in there.
    func releaseHeld(for contact: ContactID) async throws(StoreError) -> [HistoryChange]

    // MARK: Reading

    /// By id; of two with the same id, ours.
    func message(_ id: MessageID) async throws(StoreError) -> ChatMessage?
    /// The message of one conversation and direction.
    func message(
        _ id: MessageID, of contact: ContactID, _ direction: MessageDirection
    ) async throws(StoreError) -> ChatMessage?
    /// The message that somebody means; `nil` when there is none.
    func message(_ reference: MessageReference, of contact: ContactID) async throws(StoreError) -> ChatMessage?
    /// Messages of a conversation by their ids, those that are there, in no certain order.
    func messages(_ ids: [MessageID], of contact: ContactID) async throws(StoreError) -> [ChatMessage]
    /// The texts of a message, from the first to the present one; empty for files and for messages that were taken
    /// back.
    func versions(of message: ChatMessage) async throws(StoreError) -> [TextVersion]
    /// The pinned messages of a conversation, the one that was pinned last first.
    func pinnedMessages(of contact: ContactID) async throws(StoreError) -> [ChatMessage]
    /// Pins a message, or takes the pin away (`nil`). Returns it as it is now; throws `.notFound`.
    func setPinned(_ message: ChatMessage, at time: Timestamp?) async throws(StoreError) -> ChatMessage
    /// All operations of a conversation in the order of storing.
    func operations(of contact: ContactID) async throws(StoreError) -> [ChatOperation]
    /// All conversations, by contact id.
    func conversations() async throws(StoreError) -> [Conversation]
    /// Up to `limit` messages of a conversation, oldest first: the newest ones, or those just before or after a
    /// position (keyset paging).
    func page(
        of contact: ContactID, _ anchor: PageAnchor, limit: Int
    ) async throws(StoreError) -> [ChatMessage]
    /// The same of the messages in a span of time, whatever order their times have.
    func page(
        of contact: ContactID, _ anchor: PageAnchor, shown span: ShownSpan, limit: Int
    ) async throws(StoreError) -> [ChatMessage]
    /// The first message of a conversation that was stored at `time` or later; where a clock was set back, one of them.
    func firstMessage(of contact: ContactID, since time: Timestamp) async throws(StoreError) -> ChatMessage?
    /// Our user has seen everything up to `position`. Moves forward only. Returns the id to send as a read
    /// receipt when it moved, else `nil`.
    func markSeen(contact: ContactID, upTo position: HistoryPosition) async throws(StoreError) -> MessageID?
    /// Everything from `position` on counts as unseen again; what the peer knows it keeps.
    func markUnread(contact: ContactID, from position: HistoryPosition) async throws(StoreError)
    /// The newest watermark that the peer has not confirmed yet, `nil` when all is confirmed.
    func unsentReadReceipt(for contact: ContactID) async throws(StoreError) -> MessageID?
    func confirmReadReceipt(contact: ContactID, upTo id: MessageID) async throws(StoreError)
    /// Newest first. Any text is allowed in the query: it never becomes SQL or FTS syntax.
    func search(_ query: SearchQuery) async throws(StoreError) -> SearchResult

    // MARK: Transfers

    func transfer(_ id: MessageID) async throws(StoreError) -> FileTransfer?
    /// Those of these transfers that there are, in no certain order.
    func transfers(_ ids: [MessageID]) async throws(StoreError) -> [FileTransfer]
    func transfer(number: TransferNumber) async throws(StoreError) -> FileTransfer?
    /// Whether a file of `contact` is stored, but held back until what it overtook is there (D5).
    func holdsFile(_ id: MessageID, of contact: ContactID) async throws(StoreError) -> Bool
    /// Newest first; `unfinishedOnly` leaves out the final states.
    func transfers(unfinishedOnly: Bool, limit: Int) async throws(StoreError) -> [FileTransfer]
    /// The unfinished transfers with `contact` after `number`, oldest first: there may be more than memory should hold.
    func unfinishedTransfers(
        with contact: ContactID, after number: TransferNumber?, limit: Int
    ) async throws(StoreError) -> [FileTransfer]
    /// Those that run, as far as the store knows.
    func runningTransfers() async throws(StoreError) -> [FileTransfer]
    /// The files that unfinished transfers in one direction write or read.
    func unfinishedPaths(_ direction: MessageDirection) async throws(StoreError) -> Set<String>
    /// Incoming transfers of `contact` after `number` that are accepted and not finished (waiting or running), oldest
    /// first.
    func acceptedTransfers(
        from contact: ContactID, after number: TransferNumber?, limit: Int
    ) async throws(StoreError) -> [FileTransfer]
    /// The unfinished files of one folder that `contact` sends or is sent, after `number`, oldest first; `offeredOnly`:
    /// those that nobody has decided on.
    func unfinishedTransfers(
        of set: MessageID, with contact: ContactID, _ direction: MessageDirection, offeredOnly: Bool,
        after number: TransferNumber?, limit: Int
    ) async throws(StoreError) -> [FileTransfer]
    /// Writes back changed transfers (all mutable fields) in one transaction. A final state is never left again.
    /// `reporting`: their messages count as changed.
    func updateTransfers(_ transfers: [FileTransfer], reporting: Bool) async throws(StoreError)
    /// Ends transfers with `contact` in the final state `state`, and queues the news for the peer, in one step. A
    /// transfer that is final already stays as it is.
    func endTransfers(
        _ ids: [MessageID], with contact: ContactID, as state: FileTransfer.State, at time: Timestamp
    ) async throws(StoreError)

    // MARK: Forgetting

    /// Deletes messages of a conversation from this disk only; what still waits in the outbox is not sent any more.
    /// Returns how many there were. Their texts stay on the disk until `purge` has run.
    func deleteMessages(_ keys: [MessageKey], of contact: ContactID) async throws(StoreError) -> Int
    /// The same for everything of a conversation, or for what was stored before a time. The contact stays.
    func deleteMessages(of contact: ContactID, storedBefore time: Timestamp?) async throws(StoreError) -> Int
    /// How long a conversation's messages are kept; `nil`: as the configuration says.
    func retention(of contact: ContactID) async throws(StoreError) -> Retention?
    func setRetention(_ retention: Retention?, of contact: ContactID) async throws(StoreError)
    /// Deletes what is older than its conversation keeps, at most some hundred messages at a time; what waits for
    /// delivery and unfinished files stay. Returns the conversations that have lost something; empty at the end.
    func deleteExpired(_ rules: RetentionRules, now: Timestamp) async throws(StoreError) -> Set<ContactID>
    /// The received files of the messages that the next `deleteExpired` deletes.
    func expiredFiles(_ rules: RetentionRules, now: Timestamp) async throws(StoreError) -> [FileTransfer]
    /// Takes out of the file for good what was deleted: from the search index, from free pages and from the log.
    /// Interrupted, it continues at the next call. Sends and reads get their turns meanwhile.
    func purge() async throws(StoreError)
    /// Copies everything as it is now to a new file at `path`, while reads and writes continue.
    func backUp(to path: String) async throws(StoreError)

    /// The disk that the history is on; `nil` when the system does not say.
    func space() async -> DiskSpace?

    // MARK: Small things

    func setting(_ key: String) async throws(StoreError) -> String?
    func setSetting(_ key: String, to value: String?) async throws(StoreError)
    func draft(for contact: ContactID) async throws(StoreError) -> String
    func setDraft(_ text: String, for contact: ContactID) async throws(StoreError)
}

extension HistoryStore {
    /// See `enqueueFileOffers`.
    package func enqueueFileOffer(
        to contact: ContactID, file: NewOutgoingFile, at time: Timestamp
    ) async throws(StoreError) -> ChatMessage {
        let messages = try await enqueueFileOffers(to: contact, files: [file], at: time)
        guard let message = messages.first else { throw .notFound }
        return message
    }

    package func enqueueFileStatus(
        to contact: ContactID, transfer: MessageID, state: FileTransfer.State
    ) async throws(StoreError) {
        try await enqueueFileStatus(to: contact, transfers: [transfer], state: state)
    }

    package func appendIncoming(_ message: IncomingMessage) async throws(StoreError) -> AppendOutcome {
        guard let outcome = try await appendIncoming([message]).first else { throw .notFound }
        return try outcome.get()
    }

    package func updateTransfer(_ transfer: FileTransfer, reporting: Bool) async throws(StoreError) {
        try await updateTransfers([transfer], reporting: reporting)
    }
}

package struct NewContact: Sendable {
    package var peerID: PeerID?
    package var name: String
    package var addresses: [PeerAddress]
    package var trust: PeerTrust
    /// Blocks a known contact of the same key as well.
    package var isBlocked: Bool
    package var added: Timestamp
    /// Our user has given no name; see `Peer.isNameProvisional`.
    package var isNameProvisional = false
    package var room: JoinedRoom?

    package init(
        peerID: PeerID?, name: String, addresses: [PeerAddress], trust: PeerTrust = .unverified,
        isBlocked: Bool = false, added: Timestamp
    ) {
        self.peerID = peerID
        self.name = name
        self.addresses = addresses
        self.trust = trust
        self.isBlocked = isBlocked
        self.added = added
    }
}

package struct NewOutgoingFile: Sendable {
    /// Absolute path of the source.
    package var path: String
    /// Base name as offered.
    package var name: String
    package var size: UInt64
    package var modified: Timestamp
    package var contentType: String
    package var caption: String
    package var place: FolderPlace?

    package init(
        path: String, name: String, size: UInt64, modified: Timestamp, contentType: String, caption: String,
        place: FolderPlace? = nil
    ) {
        self.path = path
        self.name = name
        self.size = size
        self.modified = modified
        self.contentType = contentType
        self.caption = caption
        self.place = place
    }
}

/// Something that waits to be sent.
package struct OutboxEntry: Sendable, Equatable, Identifiable {
    package enum Operation: Sendable, Equatable {
        /// A message or a file offer, to be sent from its history row with the text that it was entered with.
        case message(ChatMessage)
        case operation(ChatOperation)
        /// `reason`: the transfer's, as it is now.
        case fileStatus(transfer: MessageID, state: FileTransfer.State, reason: TransferReason? = nil)
    }

    /// Increases in the order of entering.
    package let id: Int64
    package var operation: Operation

    package init(id: Int64, operation: Operation) {
        self.id = id
        self.operation = operation
    }
}

/// A stored operation that a peer sent.
package struct IncomingMessage: Sendable {
    package enum Content: Sendable, Equatable {
        case text(String)
        case file(
            name: String, size: UInt64, modified: Timestamp, contentType: String, caption: String,
            place: FolderPlace? = nil)
        case operation(ChatOperation.Action, target: MessageID)
    }
    package var id: MessageID
    package var contact: ContactID
    package var sequence: Int64
    package var sent: Timestamp
    package var received: Timestamp
    package var replyTo: MessageID?
    package var content: Content
    /// As `ChatMessage.sender`.
    package var sender: String?

    /// The sequence of what its sender does not number: it is the next one.
    package static let unnumbered: Int64 = 0

    package init(
        id: MessageID, contact: ContactID, sequence: Int64, sent: Timestamp, received: Timestamp,
        replyTo: MessageID? = nil, content: Content
    ) {
        self.id = id
        self.contact = contact
        self.sequence = sequence
        self.sent = sent
        self.received = received
        self.replyTo = replyTo
        self.content = content
    }
}

package enum AppendOutcome: Sendable, Equatable {
    /// It is stored. This is to be shown, in this order: it may bring with it messages that were held back for it.
    case stored([HistoryChange])
    /// It is stored, but not to be shown before earlier ones of its sender are there or no longer expected.
    case held
    /// The same id with the same content: it is stored already.
    case duplicate
    /// The same id with other content: the first one stays.
    case conflict
    /// An edit or a retraction of a message that is not its sender's; nothing was stored.
    case forbidden
    /// An edit of something that has no text; nothing was stored.
    case meaningless

    /// The changes to show.
    package var changes: [HistoryChange] {
        if case .stored(let changes) = self { changes } else { [] }
    }
}

/// The outcome for a message that is stored under an id which its sender has made.
package enum MessageOnce: Sendable, Equatable {
    case stored(ChatMessage)
    /// One of ours to the same contact had the id already: as it is now.
    case known(ChatMessage)
    /// One of theirs has it.
    case taken
}

package enum PageAnchor: Sendable, Equatable, Codable {
    case newest
    case before(HistoryPosition)
    case after(HistoryPosition)
    /// Half before and half from the position on.
    case around(HistoryPosition)
}

/// Times that are shown beside messages: from `since` on and before `until`.
package struct ShownSpan: Sendable, Equatable {
    package var since: Timestamp?
    package var until: Timestamp?

    package init(since: Timestamp? = nil, until: Timestamp? = nil) {
        self.since = since
        self.until = until
    }

    package var isUnlimited: Bool { since == nil && until == nil }
}
