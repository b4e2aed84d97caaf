// The chat as a front end (screen, command line, control socket) sees it: calls, news, and what they are made of.

/// The chat as its users see it. It can be asked at any time, online or not.
package protocol ChatService: Sendable {
    /// Our identity, as far as it is known here.
    var identity: LocalIdentity { get async }
    /// Carries a call out and returns its reply.
    func ask<Reply>(_ call: ChatCall<Reply>) async throws(ChatError) -> Reply
    /// News, in the order in which they happened. Each call makes an independent stream; state is read from the
    /// store first and then kept up to date from the stream.
    func events() async -> AsyncStream<ChatEvent>
    /// The front end has to end: calls that nobody answers fail from now on instead of waiting.
    func giveUp() async
}

extension ChatService {
    package func ask(_ call: ChatCall<NoReply>) async throws(ChatError) { let _: NoReply = try await ask(call) }

    /// The state of a link; offline as well when the chat cannot be asked.
    package func linkState(of contact: ContactID) async -> LinkState {
        (try? await ask(.linkState(of: contact))) ?? .offline(reason: .notRunning)
    }
}

/// A chat in this process: calls come in one place, whoever has made them.
package protocol LocalChat: ChatService {
    /// Carries out a call; the reply is of the type that `ChatCall` names for it.
    func perform(_ call: AnyCall) async throws(ChatError) -> any CallReply
}

extension LocalChat {
    package func ask<Reply>(_ call: ChatCall<Reply>) async throws(ChatError) -> Reply {
        guard let reply = try await perform(call.plain) as? Reply else {
            throw .instanceLost(reason: "it is a different version")
        }
        return reply
    }

    /// A chat in this process answers.
    package func giveUp() async {}
}

/// The identity of this installation.
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
    /// Somebody has come with an invitation of ours, and is a contact now.
    case guestCame(ContactID)
    /// Somebody else has come with the contact's invitation before us: they have to accept us.
    case invitationUsed(ContactID)
    /// The spoken words are over: too many have come with wrong proofs.
    case wordsEnded
    /// The database refused a write that nobody waits for.
    case storeFailed(StoreError)
    /// The contact cannot store what we send (their disk is full): it waits here and is tried again.
    case peerCannotStore(ContactID)
    /// We store nothing that the contact sends for now; it waits with them: they have sent `perDay` bytes today, which is
    /// as much as one contact may; `nil`: our disk is nearly full.
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
    /// Nobody can call us: we listen nowhere, and have joined no relay.
    case notReachable
    /// Nobody was met with the spoken words.
    case notMet(MeetFailure)
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
    /// The settings for a contact cannot get the new name, so the contact keeps the old one; `reason` in words.
    case cannotKeepSettings(reason: String)
    /// Not a possible name of a file: empty, `.` or `..`, longer than 255 bytes, or with a slash.
    case badFileName(String)
    /// The file cannot be read: errno.
    case cannotRead(path: String, errno: Int32)
    /// The process that runs the chat learned at its start what it may use, and this is not part of it. Another process
    /// of the same user may well read or write it.
    case outOfReach(path: String)
    case notARegularFile(path: String)
    /// Our key or a history of ours: whoever has it is us, or knows what others have said to us.
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
    /// The contact is a Socket.IO room of this name, and rooms do not have what the call needs.
    case isRoom(name: String, RoomLack)
    /// The contact is a person: only rooms are left.
    case notARoom(name: String)
    /// Our user has left the room.
    case leftRoom(name: String)
    case tooManyRooms(limit: Int)
    case badRoomURL(RoomURLError)
    /// The server of the room takes no event of this size.
    case tooLargeForRoom(bytes: UInt64, limit: UInt64)
    case cannotImport(ImportProblem)
    case blocked
    /// There is no link to ask something over.
    case notOnline
    case cannotListen(endpoint: String, reason: LinkReason)
    /// The process that runs the chat did not answer this front end; `reason` in words.
    case instanceLost(reason: String)
    /// That process is stopped, as Ctrl-z in its shell does it.
    case instanceStopped
}

/// A feature that people have and a Socket.IO room has not.
package enum RoomLack: String, Sendable, Codable {
    /// Something to verify.
    case key
    case address
    case blocking
    /// Files are never accepted by a rule.
    case acceptance
    /// Messages in a room cannot be changed, taken back or reacted to.
    case changes
    case folders
    /// Something that answers a ping.
    case link
    /// Files that can be paused and resumed.
    case pauses
}
