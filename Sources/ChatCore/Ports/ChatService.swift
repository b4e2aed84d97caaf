// What a front end (screen, command line, control socket) can ask of the chat. `ChatClient` implements it.

/// The chat as its users see it. All methods may be called at any time, online or not.
package protocol ChatService: Sendable {
    /// Who we are.
    var identity: LocalIdentity { get async }
    /// News, in the order in which they happened. Each call makes an independent stream; state is read from the
    /// store first and then kept up to date from the stream.
    func events() async -> AsyncStream<ChatEvent>

    // People
    func conversations() async throws(ChatError) -> [Conversation]
    func linkState(of contact: ContactID) async -> LinkState
    /// Stores the contact and starts dialling; `name` overrides the one in the address.
    func addContact(_ address: PeerAddress, name: String?) async throws(ChatError) -> Peer
    /// Forgets one of the places where a contact is called; only host and port count. Throws `.noSuchAddress`.
    func removeAddress(_ address: PeerAddress, of contact: ContactID) async throws(ChatError)
    func renameContact(_ contact: ContactID, to name: String) async throws(ChatError)
    func removeContact(_ contact: ContactID) async throws(ChatError)
    func setBlocked(_ contact: ContactID, _ blocked: Bool) async throws(ChatError)
    /// Remembers that the user has compared the safety number.
    func setVerified(_ contact: ContactID) async throws(ChatError)
    /// Makes the key that has answered in place of the pinned one (`Peer.newPeerID`) the contact's key: history and queue
    /// stay, and what waited goes out. `verified`: the user has compared its number. Throws `.noSuchKey` when `key` is
    /// not (any more) what is to be decided about.
    func acceptNewKey(_ key: PeerID, of contact: ContactID, verified: Bool) async throws(ChatError)
    /// 60 digits in 12 groups of 5, equal on both sides; `nil` before the peer's key is known.
    func safetyNumber(for contact: ContactID) async throws(ChatError) -> [String]?
    func contactRequests() async throws(ChatError) -> [ContactRequest]
    func approveRequest(_ id: Int64, name: String?) async throws(ChatError) -> Peer
    func rejectRequest(_ id: Int64) async throws(ChatError)
    /// Stores who asked as a blocked contact, in one step: they are never linked and not told of an acceptance.
    func blockRequest(_ id: Int64) async throws(ChatError) -> Peer
    /// Dials now instead of at the end of the back-off, also whom `disconnect` put off. `nil`: all contacts but those who
    /// were put off; these too when nobody else is left.
    func reconnect(_ contact: ContactID?) async
    /// Ends the link, and neither calls nor takes calls until `reconnect` with them; all contacts when `nil`.
    func disconnect(_ contact: ContactID?) async
    /// How long a request to them and its reply take now. Throws `.notOnline` when there is no link or it ends.
    func ping(_ contact: ContactID) async throws(ChatError) -> Duration
    /// What has gone over the present link; `nil` when there is none.
    func traffic(with contact: ContactID) async -> LinkTraffic?
    /// What they write neither rings nor notifies until `time` (`.endless`: for good); `nil`: it does again.
    func setMuted(_ contact: ContactID, until time: Timestamp?) async throws(ChatError)
    /// Accepts their offers up to so many bytes without asking; 0: always asks, `nil`: as configured for all.
    func setAutomaticAcceptance(_ limit: UInt64?, from contact: ContactID) async throws(ChatError)

    // Ourselves
    /// What we call ourselves from now on; the configuration is not changed.
    func setOwnName(_ name: String) async throws(ChatError)
    /// Tells contacts that we are away, and why (it may be empty); `nil`: that we are back. Until the program ends.
    func setAway(_ reason: String?) async throws(ChatError)

    // Talking
    /// Returns when the message is stored (`pending`); sending goes on by itself.
    func send(_ text: String, to contact: ContactID, replyTo: MessageID?) async throws(ChatError) -> ChatMessage
    /// The same under an id that the caller has made: asked for again, it is stored once, and the message is returned as it
    /// is now. Throws `.idTaken` when another message has the id.
    func send(_ text: String, as id: MessageID, to contact: ContactID) async throws(ChatError) -> ChatMessage
    func setTyping(_ composing: Bool, to contact: ContactID) async
    /// Our user has seen everything up to `position`.
    func markSeen(_ contact: ContactID, upTo position: HistoryPosition) async throws(ChatError)
    /// The opposite: everything from `position` on counts as unseen again. The peer is not told.
    func markUnread(_ contact: ContactID, from position: HistoryPosition) async throws(ChatError)
    /// Pins a message, or takes the pin away; only on this side. Returns the message as it is now.
    func setPinned(_ message: ChatMessage, _ pinned: Bool) async throws(ChatError) -> ChatMessage
    /// Replaces the text of an own message, on both sides. Returns the message as it is now.
    func edit(_ message: ChatMessage, to text: String) async throws(ChatError) -> ChatMessage
    /// Takes an own message back, on both sides; an unfinished transfer ends.
    func retract(_ message: ChatMessage) async throws(ChatError) -> ChatMessage
    /// Sets our reaction to a message of either side; `nil` takes it back.
    func react(to message: ChatMessage, with emoji: String?) async throws(ChatError) -> ChatMessage
    /// Sends a failed message again, as a new one at the end.
    func retry(_ id: MessageID) async throws(ChatError) -> ChatMessage

    // Reading
    func page(of contact: ContactID, _ anchor: PageAnchor, limit: Int) async throws(ChatError) -> [ChatMessage]
    func search(_ query: SearchQuery) async throws(ChatError) -> SearchResult
    /// The first message that was stored at `time` or later.
    func firstMessage(of contact: ContactID, since time: Timestamp) async throws(ChatError) -> ChatMessage?
    /// The message that somebody means; `nil` when there is none.
    func message(_ reference: MessageReference, of contact: ContactID) async throws(ChatError) -> ChatMessage?
    /// Messages of a conversation by their ids, those that are there, in no certain order.
    func messages(_ ids: [MessageID], of contact: ContactID) async throws(ChatError) -> [ChatMessage]
    /// What a message has said, from its first text to the present one; empty for files and for what was taken back.
    func versions(of message: ChatMessage) async throws(ChatError) -> [TextVersion]
    /// The pinned messages of a conversation, the one that was pinned last first.
    func pinnedMessages(of contact: ContactID) async throws(ChatError) -> [ChatMessage]
    func draft(for contact: ContactID) async throws(ChatError) -> String
    func setDraft(_ text: String, for contact: ContactID) async throws(ChatError)

    // Keeping
    /// Deletes messages from this machine for good; the peer keeps theirs. Unfinished files among them are cancelled.
    /// Returns how many there were.
    func deleteMessages(_ keys: [MessageKey], of contact: ContactID) async throws(ChatError) -> Int
    /// The same for a whole conversation, or for what was stored before a time.
    func deleteMessages(of contact: ContactID, storedBefore time: Timestamp?) async throws(ChatError) -> Int
    /// How long a conversation is kept; `nil`: as the configuration says.
    func retention(of contact: ContactID) async throws(ChatError) -> Retention?
    /// Sets it, and deletes what is too old already.
    func setRetention(_ retention: Retention?, of contact: ContactID) async throws(ChatError)
    /// Copies the history as it is now to a new file.
    func backUp(to path: String) async throws(ChatError)

    // Files
    /// Offers a regular file; returns when the offer is stored.
    func sendFile(
        at path: String, named name: String?, caption: String, to contact: ContactID
    ) async throws(ChatError) -> ChatMessage
    /// Offers each regular file of a folder and of the folders in it, as one set; returns when the offers are stored.
    func sendFolder(at path: String, caption: String, to contact: ContactID) async throws(ChatError) -> FolderOffer
    func transfers(unfinishedOnly: Bool) async throws(ChatError) -> [FileTransfer]
    func transfer(number: TransferNumber) async throws(ChatError) -> FileTransfer
    /// Accepts an offer or resumes a paused transfer. `folder` overrides the downloads folder. The offer of one file of
    /// a folder accepts the whole folder, up to the number and size of files that the offer names.
    func acceptTransfer(_ number: TransferNumber, into folder: String?) async throws(ChatError)
    /// Refuses an offer; of one file of a folder, all that are still offered or to come.
    func declineTransfer(_ number: TransferNumber) async throws(ChatError)
    func pauseTransfer(_ number: TransferNumber) async throws(ChatError)
    func resumeTransfer(_ number: TransferNumber) async throws(ChatError)
    func cancelTransfer(_ number: TransferNumber) async throws(ChatError)
    /// Cancels what is unfinished of the folder that a transfer belongs to; what is still to come of it is declined, or not
    /// offered any more. A file that was sent by itself is cancelled alone.
    func cancelFolder(of number: TransferNumber) async throws(ChatError)
    /// What peers have done that was not as it should be, since the start.
    func irregularities() async -> Irregularities
    /// Limits how fast files move, in bytes per second, until the program ends; `nil` takes the limit away.
    func setRateLimit(_ limit: UInt64?, of scope: RateScope) async throws(ChatError)
    /// The limit that was set for `scope`; `nil` when there is none.
    func rateLimit(of scope: RateScope) async throws(ChatError) -> UInt64?
    /// Bytes free for downloads, `nil` when the folder cannot be asked.
    func downloadsSpace() async -> (folder: String, freeBytes: UInt64)?

    /// The front end has to end: calls that nobody answers fail from now on instead of waiting.
    func giveUp() async
}

extension ChatService {
    /// A chat in this process answers.
    package func giveUp() async {}
}

/// Who this installation is.
package struct LocalIdentity: Sendable, Equatable, Codable {
    package var peerID: PeerID
    package var name: String
    /// The address to give to others; `nil` while we do not listen.
    package var address: PeerAddress?
    /// Where the listener is bound, `host:port`; `nil` while we do not listen.
    package var listening: String?
    /// We have told our contacts that we are away, and why; `nil`: we have not.
    package var away: String?
    /// Bytes of `away` that go over a link.
    package static let longestAway = WireLimit.away

    package init(peerID: PeerID, name: String, address: PeerAddress?, listening: String?) {
        self.peerID = peerID
        self.name = name
        self.address = address
        self.listening = listening
    }

    /// Whether whoever calls there would call us.
    func isReached(at address: PeerAddress) -> Bool {
        if let peerID = address.peerID { return peerID == self.peerID }
        guard let own = self.address, own.port == address.port else { return false }
        return address.host == own.host || LocalHost.isLoopback(address.host)
    }
}

/// Counts of what peers sent that changed nothing.
package struct Irregularities: Sendable, Equatable, Codable {
    /// Read receipts for what is no message of ours to that contact (RELIABILITY D7).
    package var foreignReceipts = 0
    /// Operations that were stored already: sent again after a lost reply.
    package var duplicates = 0
    /// Known ids with other contents (D3), and changes of messages that are not theirs.
    package var refused = 0
    /// Operations that had overtaken others (D5).
    package var heldBack = 0

    package init() {}
}

/// Something happened that a front end may want to show.
package enum ChatEvent: Sendable, Equatable, Codable {
    case messageAdded(ChatMessage)
    /// State, transfer, text, reactions of a message, or what is missing before it, changed.
    case messageChanged(ChatMessage)
    case transferProgress(TransferProgress)
    /// Messages of a conversation are not there any more: read its pages anew.
    case messagesDeleted(ContactID)
    /// Anything in a conversation may be different (an import, another process): read its pages anew.
    case historyReplaced(ContactID)
    /// Added, renamed, verified, blocked, unread count or receipt changed: read the conversations anew.
    case conversationsChanged
    case linkChanged(ContactID, LinkState)
    case typing(ContactID, Bool)
    case requestsChanged([ContactRequest])
    /// Listening began, changed or failed.
    case identityChanged(LocalIdentity)
    case notice(ChatNotice)
}

/// A sentence that the user should see, as a value; the words are made by the front end.
package enum ChatNotice: Sendable, Equatable, Codable {
    /// No port can be had; `reason` in words says why not the wanted one.
    case cannotListen(endpoint: String, reason: LinkReason)
    /// The wanted port was taken or refused, so calls are taken at another one, the same at each start if it is free.
    case listensElsewhere(wanted: String, reason: LinkReason, listening: String)
    /// Someone with another key answered at the contact's address, or called under its name.
    case keyChanged(ContactID)
    /// The database refused a write that nobody waits for.
    case storeFailed(StoreError)
    /// The contact cannot store what we send (their disk is full): it waits here and is tried again.
    case peerCannotStore(ContactID)
    /// What the contact sends is not stored now, and waits with them: they have sent `perDay` bytes today, which is as much
    /// as one contact may; `nil`: our disk is nearly full.
    case contactStoresTooMuch(ContactID, perDay: UInt64?)
    /// The file of the history was gone, and has been put back with everything in it.
    case historyPutBack(path: String)
    /// This front end was attached to another process that ran the chat, and that has ended.
    case instanceLost
    /// It runs again; everything is read anew.
    case instanceFound
    /// It does not answer: it may have been stopped.
    case instanceSilent
    /// The other process has ended, and this one runs the chat from now on; everything is read anew.
    case instanceHere
    /// The file of settings was read again: other front ends of this chat read it, too.
    case settingsChanged
}

/// Why the chat could not do something. Sentences for people are made in the front end.
package enum ChatError: Error, Sendable, Equatable, Codable {
    case store(StoreError)
    case badAddress(PeerAddressError)
    /// The address is our own.
    case ownAddress
    case noSuchContact
    case noSuchTransfer
    case noSuchRequest
    /// The contact has no such address.
    case noSuchAddress
    /// No such key of the contact waits for a decision.
    case noSuchKey
    /// The request is of the key that answers in place of a contact's: the contact of this name is decided about.
    case newKeyOf(String)
    case noSuchMessage
    /// A message with other words, or one of theirs, has the id that was to be used.
    case idTaken(MessageID)
    /// Only own messages can be edited or taken back.
    case notOwnMessage
    /// It has been taken back already.
    case retracted
    /// A file has no text to edit.
    case notText
    /// Empty, or longer than 64 bytes.
    case badReaction
    /// Longer than 64 KiB of UTF-8.
    case textTooLong(bytes: Int, limit: Int)
    case emptyText
    /// Names: empty, longer than 64 bytes, or with control characters.
    case badName(String)
    /// What is set for a contact by name cannot get the new name, so they keep the old one; `reason` in words.
    case cannotKeepSettings(reason: String)
    /// What cannot be the name of a file: empty, `.` or `..`, longer than 255 bytes, or with a slash.
    case badFileName(String)
    /// The file cannot be read: errno.
    case cannotRead(path: String, errno: Int32)
    /// The process that runs the chat has been told at its start what it may use, and this is not of it. Another process of
    /// the same user may well read or write it.
    case outOfReach(path: String)
    case notARegularFile(path: String)
    /// Our key or a history of ours: whoever has it is us, or knows what we were told.
    case privateFile(path: String)
    /// A folder without any file that can be sent.
    case emptyFolder(path: String)
    /// A folder with more files than may wait for a contact.
    case tooManyFiles(path: String, limit: Int)
    /// The downloads folder cannot be written: errno.
    case cannotWrite(path: String, errno: Int32)
    case notEnoughSpace(needed: UInt64, free: UInt64, folder: String)
    /// The transfer is in another state than the command needs.
    case wrongTransferState(FileTransfer.State)
    /// An own offer, which only the other side can answer.
    case ownTransfer
    case outboxFull(limit: Int)
    case blocked
    /// There is no link to ask something over.
    case notOnline
    case cannotListen(endpoint: String, reason: LinkReason)
    /// The process that runs the chat did not answer this front end; `reason` in words.
    case instanceLost(reason: String)
    /// That process is stopped, as Ctrl-z in its shell does it.
    case instanceStopped
}
