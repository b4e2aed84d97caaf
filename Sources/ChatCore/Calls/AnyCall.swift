// Calls without the types of their replies: what a chat carries out and what goes over the control socket.

/// One call, coded by its name and the names of its members (Docs/scripting.md). `ChatCall` says what each does and returns.
package enum AnyCall: Sendable, Equatable, Codable {
    case identity

    // People
    case conversations
    case linkState(contact: ContactID)
    case addContact(address: PeerAddress, name: String?)
    case removeAddress(contact: ContactID, address: PeerAddress)
    case renameContact(contact: ContactID, name: String)
    case removeContact(contact: ContactID)
    case setBlocked(contact: ContactID, blocked: Bool)
    case setVerified(contact: ContactID)
    case acceptNewKey(contact: ContactID, key: PeerID, verified: Bool)
    case safetyNumber(contact: ContactID)
    case maySend(contact: ContactID)
    case contactRequests
    case approveRequest(id: Int64, name: String?)
    case rejectRequest(id: Int64)
    case blockRequest(id: Int64)
    case reconnect(contact: ContactID?)
    case disconnect(contact: ContactID?)
    case ping(contact: ContactID)
    case traffic(contact: ContactID)
    case setMuted(contact: ContactID, until: Timestamp?)
    case setAutomaticAcceptance(contact: ContactID, limit: UInt64?)
    case joinRoom(url: RoomURL, name: String?)
    case leaveRoom(contact: ContactID)
    case room(contact: ContactID)

    // Reach
    case invite(seconds: Int64?, place: MeetPlace?)
    case meet(words: String, place: MeetPlace?, name: String?)
    case nearby(showSeconds: Int64?)
    case routes(contact: ContactID)
    case addRoute(contact: ContactID, route: Route)
    case reach
    case testReach
    case renewReach

    // Ourselves
    case setOwnName(name: String)
    case setAway(reason: String?)

    // Talking
    case send(contact: ContactID, text: String, replyTo: MessageID?)
    case sendOnce(contact: ContactID, text: String, id: MessageID)
    case setTyping(contact: ContactID, composing: Bool)
    case markSeen(contact: ContactID, position: HistoryPosition)
    case markUnread(contact: ContactID, position: HistoryPosition)
    case setPinned(message: ChatMessage, pinned: Bool)
    case edit(message: ChatMessage, text: String)
    case retract(message: ChatMessage)
    case react(message: ChatMessage, emoji: String?)
    case retry(id: MessageID)

    // Reading
    case page(contact: ContactID, anchor: PageAnchor, limit: Int)
    case search(query: SearchQuery)
    case firstMessage(contact: ContactID, since: Timestamp)
    case message(contact: ContactID, reference: MessageReference)
    case messages(contact: ContactID, ids: [MessageID])
    case versions(message: ChatMessage)
    case pinnedMessages(contact: ContactID)
    case draft(contact: ContactID)
    case setDraft(contact: ContactID, text: String)

    // Keeping
    case deleteMessages(contact: ContactID, keys: [MessageKey])
    case deleteConversation(contact: ContactID, storedBefore: Timestamp?)
    case retention(contact: ContactID)
    case setRetention(contact: ContactID, retention: Retention?)
    case backUp(path: String)
    case importHistory(path: String)

    // Files
    case sendFile(contact: ContactID, path: String, name: String?, caption: String)
    case sendFolder(contact: ContactID, path: String, caption: String)
    case transfers(unfinishedOnly: Bool)
    case transfer(number: TransferNumber)
    case transferProgress
    case acceptTransfer(number: TransferNumber, folder: String?)
    case declineTransfer(number: TransferNumber)
    case pauseTransfer(number: TransferNumber)
    case resumeTransfer(number: TransferNumber)
    case cancelTransfer(number: TransferNumber)
    case cancelFolder(number: TransferNumber)
    case setRateLimit(scope: RateScope, limit: UInt64?)
    case rateLimit(scope: RateScope)
    case downloadsSpace

    /// It changes nothing, so that a late answer does no harm.
    package var isQuestion: Bool {
        switch self {
        case .identity, .conversations, .linkState, .safetyNumber, .maySend, .contactRequests, .ping, .traffic, .page,
            .search, .firstMessage, .message, .messages, .versions, .pinnedMessages, .draft, .retention, .transfers,
            .transfer, .transferProgress, .rateLimit, .downloadsSpace, .room, .routes, .reach,
            .testReach:
            true
        default: false
        }
    }
}
