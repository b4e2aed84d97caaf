// The calls that a chat takes: `try await chat.ask(.send("hi", to: bob))`. CONTRIBUTING.md says how a call is added.

/// A value that a call can return: it goes over the control socket.
package typealias CallReply = Codable & Sendable

/// A call and the type of its reply.
package struct ChatCall<Reply: CallReply>: Sendable {
    package let plain: AnyCall

    private init(_ plain: AnyCall) { self.plain = plain }
}

/// A call without the type of its reply, so that one place can hold calls of all kinds. Equal when the calls are.
package struct SomeCall: Sendable, Equatable {
    package let plain: AnyCall
    private let carryOut: @Sendable (any ChatService) async throws(ChatError) -> any CallReply

    package init<Reply>(_ call: ChatCall<Reply>) {
        plain = call.plain
        carryOut = { service async throws(ChatError) in try await service.ask(call) }
    }

    /// Carries the call out; the reply has the type that `ChatCall` names for it.
    package func ask(_ service: any ChatService) async throws(ChatError) -> any CallReply {
        try await carryOut(service)
    }

    package static func == (one: Self, other: Self) -> Bool { one.plain == other.plain }
}

/// The reply of a call that returns nothing.
package struct NoReply: Codable, Sendable {
    package init() {}
}

/// How much can be downloaded.
package struct DownloadsSpace: Codable, Sendable, Equatable {
    package var folder: String
    package var freeBytes: UInt64

    package init(folder: String, freeBytes: UInt64) {
        self.folder = folder
        self.freeBytes = freeBytes
    }
}

// MARK: People

extension ChatCall where Reply == LocalIdentity {
    package static var identity: Self { Self(.identity) }
}

extension ChatCall where Reply == [Conversation] {
    package static var conversations: Self { Self(.conversations) }
}

extension ChatCall where Reply == LinkState {
    package static func linkState(of contact: ContactID) -> Self { Self(.linkState(contact: contact)) }
}

extension ChatCall where Reply == Peer {
    /// Stores the contact and starts dialling; `name` overrides the one in the address.
    package static func addContact(_ address: PeerAddress, name: String?) -> Self {
        Self(.addContact(address: address, name: name))
    }
    /// Meets whoever has said these words, and makes them a contact; `name` overrides what they call themselves. Takes some
    /// seconds. Throws `.notMet`.
    package static func meet(_ said: SpokenInvitation, name: String?) -> Self {
        Self(.meet(words: "\(said.words)", place: said.place, name: name))
    }
    package static func approveRequest(_ id: Int64, name: String?) -> Self { Self(.approveRequest(id: id, name: name)) }
    /// Joins the Socket.IO room at `url`, with what the URL sets, and stores it as a contact. One that is known already (the same
    /// server and namespace) gets the new settings, and is joined again where it was left.
    package static func joinRoom(_ url: RoomURL, name: String?) -> Self { Self(.joinRoom(url: url, name: name)) }
    /// Stores the peer that asked as a blocked contact, in one step: it gets no link and learns of no acceptance.
    package static func blockRequest(_ id: Int64) -> Self { Self(.blockRequest(id: id)) }
}

extension ChatCall where Reply == [String]? {
    /// 60 digits in 12 groups of 5, equal on both sides; `nil` before the peer's key is known.
    package static func safetyNumber(for contact: ContactID) -> Self { Self(.safetyNumber(contact: contact)) }
}

extension ChatCall where Reply == Bool {
    /// Whether what is written to them goes out; it waits until they are verified where the settings ask for that.
    package static func maySend(to contact: ContactID) -> Self { Self(.maySend(contact: contact)) }
}

extension ChatCall where Reply == [ContactRequest] {
    package static var contactRequests: Self { Self(.contactRequests) }
}

extension ChatCall where Reply == Duration {
    /// How long a request to them and its reply take now. Throws `.notOnline` when there is no link or it ends.
    package static func ping(_ contact: ContactID) -> Self { Self(.ping(contact: contact)) }
}

extension ChatCall where Reply == RoomDetails? {
    /// The members of a room and how its connection has been; `nil` for a person.
    package static func room(_ contact: ContactID) -> Self { Self(.room(contact: contact)) }
}

extension ChatCall where Reply == Invitation {
    /// Makes an address that lets one person in without a request, for so many seconds (a day; at most a week), and four words
    /// that do the same for a while (10 minutes; at most an hour). `place`: a relay to wait at, in place of our own ones.
    package static func invite(seconds: Int64?, at place: MeetPlace? = nil) -> Self {
        Self(.invite(seconds: seconds, place: place))
    }
}

extension ChatCall where Reply == NearbyReport {
    /// Lists the people in this network. `showSeconds`: for this long, an hour at most, the people there see our name.
    package static func nearby(showSeconds: Int64? = nil) -> Self { Self(.nearby(showSeconds: showSeconds)) }
}

extension ChatCall where Reply == [RouteReport] {
    /// The ways to a contact, in the order in which they are tried.
    package static func routes(of contact: ContactID) -> Self { Self(.routes(contact: contact)) }
}

extension ChatCall where Reply == ReachReport {
    /// How we can be reached.
    package static var reach: Self { Self(.reach) }
}

extension ChatCall where Reply == [ReachTrial] {
    /// Calls ourselves along every way that others have to us, all at once; takes up to 30 s.
    package static var testReach: Self { Self(.testReach) }
}

extension ChatCall where Reply == LinkTraffic? {
    /// How much the present link has carried; `nil` when there is no link.
    package static func traffic(with contact: ContactID) -> Self { Self(.traffic(contact: contact)) }
}

extension ChatCall where Reply == NoReply {
    /// Forgets one of the places where a contact is called; only host and port count. Throws `.noSuchAddress`.
    package static func removeAddress(_ address: PeerAddress, of contact: ContactID) -> Self {
        Self(.removeAddress(contact: contact, address: address))
    }
    /// Adds a way to a contact; a call to them begins.
    package static func addRoute(_ route: Route, to contact: ContactID) -> Self {
        Self(.addRoute(contact: contact, route: route))
    }
    /// Takes new mailboxes with our relays: whoever knows only the old ones does not reach us any more. Contacts hear of them.
    package static var renewReach: Self { Self(.renewReach) }
    package static func renameContact(_ contact: ContactID, to name: String) -> Self {
        Self(.renameContact(contact: contact, name: name))
    }
    package static func removeContact(_ contact: ContactID) -> Self { Self(.removeContact(contact: contact)) }
    package static func setBlocked(_ contact: ContactID, _ blocked: Bool) -> Self {
        Self(.setBlocked(contact: contact, blocked: blocked))
    }
    /// Remembers that the user has compared the safety number.
    package static func setVerified(_ contact: ContactID) -> Self { Self(.setVerified(contact: contact)) }
    /// Makes the key that has answered in place of the pinned one (`Peer.newPeerID`) the contact's key: history and queue
    /// stay, and messages that waited go out. `verified`: the user has compared its number. Throws `.noSuchKey` when
    /// `key` is not (any more) the one to decide about.
    package static func acceptNewKey(_ key: PeerID, of contact: ContactID, verified: Bool) -> Self {
        Self(.acceptNewKey(contact: contact, key: key, verified: verified))
    }
    /// Ends the connection to a room for good; its history stays. Throws `.notARoom`.
    package static func leaveRoom(_ contact: ContactID) -> Self { Self(.leaveRoom(contact: contact)) }
    package static func rejectRequest(_ id: Int64) -> Self { Self(.rejectRequest(id: id)) }
    /// Dials now instead of at the end of the back-off, also whom `disconnect` put off. `nil`: all contacts but those who
    /// were put off; these too when nobody else is left.
    package static func reconnect(_ contact: ContactID?) -> Self { Self(.reconnect(contact: contact)) }
    /// Ends the link, and neither calls nor takes calls until `reconnect` with them; all contacts when `nil`.
    package static func disconnect(_ contact: ContactID?) -> Self { Self(.disconnect(contact: contact)) }
    /// Their messages neither ring nor notify until `time` (`.endless`: for good); `nil`: they do again.
    package static func setMuted(_ contact: ContactID, until time: Timestamp?) -> Self {
        Self(.setMuted(contact: contact, until: time))
    }
    /// Accepts their offers up to so many bytes without asking; 0: always asks, `nil`: as configured for all.
    package static func setAutomaticAcceptance(_ limit: UInt64?, from contact: ContactID) -> Self {
        Self(.setAutomaticAcceptance(contact: contact, limit: limit))
    }
    /// Sets the name that we use from now on; the configuration is not changed.
    package static func setOwnName(_ name: String) -> Self { Self(.setOwnName(name: name)) }
    /// Tells contacts that we are away, and why (it may be empty); `nil`: that we are back. Until the program ends.
    package static func setAway(_ reason: String?) -> Self { Self(.setAway(reason: reason)) }
}

// MARK: Talking and reading

extension ChatCall where Reply == ChatMessage {
    /// Returns when the message is stored (`pending`); the chat sends it on its own.
    package static func send(_ text: String, to contact: ContactID, replyTo id: MessageID? = nil) -> Self {
        Self(.send(contact: contact, text: text, replyTo: id))
    }
    /// The same under an id that the caller has made: if the caller repeats it, the message is stored once and returned
    /// as it is now. Throws `.idTaken` when another message has the id.
    package static func send(_ text: String, as id: MessageID, to contact: ContactID) -> Self {
        Self(.sendOnce(contact: contact, text: text, id: id))
    }
    /// Pins a message, or takes the pin away; only on this side. Returns the message as it is now.
    package static func setPinned(_ message: ChatMessage, _ pinned: Bool) -> Self {
        Self(.setPinned(message: message, pinned: pinned))
    }
    /// Replaces the text of an own message, on both sides. Returns the message as it is now.
    package static func edit(_ message: ChatMessage, to text: String) -> Self {
        Self(.edit(message: message, text: text))
    }
    /// Takes an own message back, on both sides; an unfinished transfer ends.
    package static func retract(_ message: ChatMessage) -> Self { Self(.retract(message: message)) }
    /// Sets our reaction to a message of either side; `nil` takes it back.
    package static func react(to message: ChatMessage, with emoji: String?) -> Self {
        Self(.react(message: message, emoji: emoji))
    }
    /// Sends a failed message again, as a new one at the end.
    package static func retry(_ id: MessageID) -> Self { Self(.retry(id: id)) }
    /// Offers a regular file; returns when the offer is stored.
    package static func sendFile(
        at path: String, named name: String? = nil, caption: String, to contact: ContactID
    ) -> Self { Self(.sendFile(contact: contact, path: path, name: name, caption: caption)) }
}

extension ChatCall where Reply == [ChatMessage] {
    package static func page(of contact: ContactID, _ anchor: PageAnchor, limit: Int) -> Self {
        Self(.page(contact: contact, anchor: anchor, limit: limit))
    }
    /// Messages of a conversation by their ids, those that are there, in no certain order.
    package static func messages(_ ids: [MessageID], of contact: ContactID) -> Self {
        Self(.messages(contact: contact, ids: ids))
    }
    /// The pinned messages of a conversation, the one that was pinned last first.
    package static func pinnedMessages(of contact: ContactID) -> Self { Self(.pinnedMessages(contact: contact)) }
}

extension ChatCall where Reply == ChatMessage? {
    /// The first message that was stored at `time` or later.
    package static func firstMessage(of contact: ContactID, since time: Timestamp) -> Self {
        Self(.firstMessage(contact: contact, since: time))
    }
    /// The message that somebody means; `nil` when there is none.
    package static func message(_ reference: MessageReference, of contact: ContactID) -> Self {
        Self(.message(contact: contact, reference: reference))
    }
}

extension ChatCall where Reply == SearchResult {
    package static func search(_ query: SearchQuery) -> Self { Self(.search(query: query)) }
}

extension ChatCall where Reply == [TextVersion] {
    /// The texts of a message, from the first to the present one; empty for files and messages that were taken back.
    package static func versions(of message: ChatMessage) -> Self { Self(.versions(message: message)) }
}

extension ChatCall where Reply == String {
    package static func draft(for contact: ContactID) -> Self { Self(.draft(contact: contact)) }
}

extension ChatCall where Reply == NoReply {
    package static func setDraft(_ text: String, for contact: ContactID) -> Self {
        Self(.setDraft(contact: contact, text: text))
    }
    package static func setTyping(_ composing: Bool, to contact: ContactID) -> Self {
        Self(.setTyping(contact: contact, composing: composing))
    }
    /// Our user has seen everything up to `position`.
    package static func markSeen(_ contact: ContactID, upTo position: HistoryPosition) -> Self {
        Self(.markSeen(contact: contact, position: position))
    }
    /// The opposite: everything from `position` on counts as unseen again. The peer does not learn of it.
    package static func markUnread(_ contact: ContactID, from position: HistoryPosition) -> Self {
        Self(.markUnread(contact: contact, position: position))
    }
}

// MARK: Keeping

extension ChatCall where Reply == Int {
    /// Deletes messages from this machine for good; the peer keeps theirs. Unfinished files among them are cancelled.
    /// Returns how many there were.
    package static func deleteMessages(_ keys: [MessageKey], of contact: ContactID) -> Self {
        Self(.deleteMessages(contact: contact, keys: keys))
    }
    /// The same for a whole conversation, or for what was stored before a time.
    package static func deleteMessages(of contact: ContactID, storedBefore time: Timestamp?) -> Self {
        Self(.deleteConversation(contact: contact, storedBefore: time))
    }
}

extension ChatCall where Reply == Retention? {
    /// How long a conversation is kept; `nil`: as the configuration says.
    package static func retention(of contact: ContactID) -> Self { Self(.retention(contact: contact)) }
}

extension ChatCall where Reply == NoReply {
    /// Sets it, and deletes what is too old already.
    package static func setRetention(_ retention: Retention?, of contact: ContactID) -> Self {
        Self(.setRetention(contact: contact, retention: retention))
    }
    /// Copies the history as it is now to a new file.
    package static func backUp(to path: String) -> Self { Self(.backUp(path: path)) }
}

extension ChatCall where Reply == ImportSummary {
    /// Adds an export to the history, and calls the contacts that it brings. Throws `.cannotImport`.
    package static func importHistory(from path: String) -> Self { Self(.importHistory(path: path)) }
}

// MARK: Files

extension ChatCall where Reply == FolderOffer {
    /// Offers each regular file of a folder and of the folders in it, as one set; returns when the offers are stored.
    package static func sendFolder(at path: String, caption: String, to contact: ContactID) -> Self {
        Self(.sendFolder(contact: contact, path: path, caption: caption))
    }
}

extension ChatCall where Reply == [FileTransfer] {
    package static func transfers(unfinishedOnly: Bool) -> Self { Self(.transfers(unfinishedOnly: unfinishedOnly)) }
}

extension ChatCall where Reply == [TransferProgress] {
    /// How far and how fast the running transfers are, as far as we have heard of them.
    package static var transferProgress: Self { Self(.transferProgress) }
}

extension ChatCall where Reply == FileTransfer {
    package static func transfer(_ number: TransferNumber) -> Self { Self(.transfer(number: number)) }
}

extension ChatCall where Reply == NoReply {
    /// Accepts an offer or resumes a paused transfer. `folder` overrides the downloads folder. The offer of one file of
    /// a folder accepts the whole folder, up to the number and size of files that the offer names.
    package static func acceptTransfer(_ number: TransferNumber, into folder: String?) -> Self {
        Self(.acceptTransfer(number: number, folder: folder))
    }
    /// Refuses an offer; of one file of a folder, all that are still offered or to come.
    package static func declineTransfer(_ number: TransferNumber) -> Self { Self(.declineTransfer(number: number)) }
    package static func pauseTransfer(_ number: TransferNumber) -> Self { Self(.pauseTransfer(number: number)) }
    package static func resumeTransfer(_ number: TransferNumber) -> Self { Self(.resumeTransfer(number: number)) }
    package static func cancelTransfer(_ number: TransferNumber) -> Self { Self(.cancelTransfer(number: number)) }
    /// Cancels the unfinished files of the folder that a transfer belongs to; files still to come are declined, or not
    /// offered any more. A file that was sent on its own is cancelled alone.
    package static func cancelFolder(of number: TransferNumber) -> Self { Self(.cancelFolder(number: number)) }
    /// Limits how fast files move, in bytes per second, until the program ends; `nil` takes the limit away.
    package static func setRateLimit(_ limit: UInt64?, of scope: RateScope) -> Self {
        Self(.setRateLimit(scope: scope, limit: limit))
    }
}

extension ChatCall where Reply == UInt64? {
    /// The limit that was set for `scope`; `nil` when there is none.
    package static func rateLimit(of scope: RateScope) -> Self { Self(.rateLimit(scope: scope)) }
}

extension ChatCall where Reply == DownloadsSpace? {
    /// Bytes free for downloads, `nil` when the folder cannot be asked.
    package static var downloadsSpace: Self { Self(.downloadsSpace) }
}
