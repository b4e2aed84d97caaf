// The calls of ChatService as values: what an attached front end sends over the control socket.
//
// A new method of ChatService needs a case here, a line in `perform` and a line in AttachedService+Calls: the compiler
// asks for each of them.

import ChatCore

/// One call of the chat, coded by its members.
enum ServiceCall: Sendable, Equatable, Codable {
    /// Asks for the news from now on, until the connection ends.
    case events
    case identity

    // People
    case conversations
    case linkState(ContactID)
    case addContact(PeerAddress, name: String?)
    case removeAddress(PeerAddress, of: ContactID)
    case renameContact(ContactID, to: String)
    case removeContact(ContactID)
    case setBlocked(ContactID, Bool)
    case setVerified(ContactID)
    case acceptNewKey(PeerID, of: ContactID, verified: Bool)
    case safetyNumber(ContactID)
    case contactRequests
    case approveRequest(Int64, name: String?)
    case rejectRequest(Int64)
    case blockRequest(Int64)
    case reconnect(ContactID?)
    case disconnect(ContactID?)
    case ping(ContactID)
    case traffic(ContactID)
    case setMuted(ContactID, until: Timestamp?)
    case setAutomaticAcceptance(UInt64?, from: ContactID)

    // Ourselves
    case setOwnName(String)
    case setAway(String?)

    // Talking
    case send(String, to: ContactID, replyTo: MessageID?)
    case sendOnce(String, as: MessageID, to: ContactID)
    case setTyping(Bool, to: ContactID)
    case markSeen(ContactID, upTo: HistoryPosition)
    case markUnread(ContactID, from: HistoryPosition)
    case setPinned(ChatMessage, Bool)
    case edit(ChatMessage, to: String)
    case retract(ChatMessage)
    case react(ChatMessage, with: String?)
    case retry(MessageID)

    // Reading
    case page(ContactID, PageAnchor, limit: Int)
    case search(SearchQuery)
    case firstMessage(ContactID, since: Timestamp)
    case message(MessageReference, of: ContactID)
    case messages([MessageID], of: ContactID)
    case versions(ChatMessage)
    case pinnedMessages(ContactID)
    case draft(ContactID)
    case setDraft(String, for: ContactID)

    // Keeping
    case deleteMessages([MessageKey], of: ContactID)
    case deleteConversation(ContactID, storedBefore: Timestamp?)
    case retention(ContactID)
    case setRetention(Retention?, of: ContactID)
    case backUp(to: String)

    // Files
    case sendFile(path: String, name: String?, caption: String, to: ContactID)
    case sendFolder(path: String, caption: String, to: ContactID)
    case transfers(unfinishedOnly: Bool)
    case transfer(TransferNumber)
    case acceptTransfer(TransferNumber, folder: String?)
    case declineTransfer(TransferNumber)
    case pauseTransfer(TransferNumber)
    case resumeTransfer(TransferNumber)
    case cancelTransfer(TransferNumber)
    case cancelFolder(TransferNumber)
    case irregularities
    case setRateLimit(UInt64?, of: RateScope)
    case rateLimit(RateScope)
    case downloadsSpace

    /// Only asks: the answer is worth having late, too.
    var isQuestion: Bool {
        switch self {
        case .events, .identity, .conversations, .linkState, .safetyNumber, .contactRequests, .ping, .traffic, .page,
            .search, .firstMessage, .message, .messages, .versions, .pinnedMessages, .draft, .retention, .transfers,
            .transfer, .irregularities, .rateLimit, .downloadsSpace:
            true
        default: false
        }
    }
}

/// The value of a call that answers nothing.
struct NoValue: Codable, Sendable {}

/// The value of `downloadsSpace`: tuples cannot be coded.
struct DownloadsSpace: Codable, Sendable {
    var folder: String
    var freeBytes: UInt64
}

extension ServiceCall {
    /// Carries the call out and returns what the method returns.
    func perform(on service: any ChatService) async throws(ChatError) -> any Encodable & Sendable {
        do throws(ChatError) { return try await performPlainly(on: service) } catch {
            if case .backUp(let path) = self, Confinement.isInEffect, error.isRefusedCopy {
                throw .outOfReach(path: path)
            }
            throw error.asConfined
        }
    }

    private func performPlainly(on service: any ChatService) async throws(ChatError) -> any Encodable & Sendable {
        switch self {
        // The session makes the stream.
        case .events: break
        case .identity: return await service.identity
        case .conversations: return try await service.conversations()
        case .linkState(let contact): return await service.linkState(of: contact)
        case .addContact(let address, let name): return try await service.addContact(address, name: name)
        case .removeAddress(let address, let contact): try await service.removeAddress(address, of: contact)
        case .renameContact(let contact, let name): try await service.renameContact(contact, to: name)
        case .removeContact(let contact): try await service.removeContact(contact)
        case .setBlocked(let contact, let blocked): try await service.setBlocked(contact, blocked)
        case .setVerified(let contact): try await service.setVerified(contact)
        case .acceptNewKey(let key, let contact, let verified):
            try await service.acceptNewKey(key, of: contact, verified: verified)
        case .safetyNumber(let contact): return try await service.safetyNumber(for: contact)
        case .contactRequests: return try await service.contactRequests()
        case .approveRequest(let id, let name): return try await service.approveRequest(id, name: name)
        case .rejectRequest(let id): try await service.rejectRequest(id)
        case .blockRequest(let id): return try await service.blockRequest(id)
        case .reconnect(let contact): await service.reconnect(contact)
        case .disconnect(let contact): await service.disconnect(contact)
        case .ping(let contact): return try await service.ping(contact)
        case .traffic(let contact): return await service.traffic(with: contact)
        case .setMuted(let contact, let time): try await service.setMuted(contact, until: time)
        case .setAutomaticAcceptance(let limit, let contact):
            try await service.setAutomaticAcceptance(limit, from: contact)
        case .setOwnName(let name): try await service.setOwnName(name)
        case .setAway(let reason): try await service.setAway(reason)
        case .send(let text, let contact, let id): return try await service.send(text, to: contact, replyTo: id)
        case .sendOnce(let text, let id, let contact): return try await service.send(text, as: id, to: contact)
        case .setTyping(let composing, let contact): await service.setTyping(composing, to: contact)
        case .markSeen(let contact, let position): try await service.markSeen(contact, upTo: position)
        case .markUnread(let contact, let position): try await service.markUnread(contact, from: position)
        case .setPinned(let message, let pinned): return try await service.setPinned(message, pinned)
        case .edit(let message, let text): return try await service.edit(message, to: text)
        case .retract(let message): return try await service.retract(message)
        case .react(let message, let emoji): return try await service.react(to: message, with: emoji)
        case .retry(let id): return try await service.retry(id)
        case .page(let contact, let anchor, let limit): return try await service.page(of: contact, anchor, limit: limit)
        case .search(let query): return try await service.search(query)
        case .firstMessage(let contact, let time): return try await service.firstMessage(of: contact, since: time)
        case .message(let reference, let contact): return try await service.message(reference, of: contact)
        case .messages(let ids, let contact): return try await service.messages(ids, of: contact)
        case .versions(let message): return try await service.versions(of: message)
        case .pinnedMessages(let contact): return try await service.pinnedMessages(of: contact)
        case .draft(let contact): return try await service.draft(for: contact)
        case .setDraft(let text, let contact): try await service.setDraft(text, for: contact)
        case .deleteMessages(let keys, let contact): return try await service.deleteMessages(keys, of: contact)
        case .deleteConversation(let contact, let time):
            return try await service.deleteMessages(of: contact, storedBefore: time)
        case .retention(let contact): return try await service.retention(of: contact)
        case .setRetention(let retention, let contact): try await service.setRetention(retention, of: contact)
        case .backUp(let path): try await service.backUp(to: path)
        case .sendFile(let path, let name, let caption, let contact):
            return try await service.sendFile(at: path, named: name, caption: caption, to: contact)
        case .sendFolder(let path, let caption, let contact):
            return try await service.sendFolder(at: path, caption: caption, to: contact)
        case .transfers(let unfinishedOnly): return try await service.transfers(unfinishedOnly: unfinishedOnly)
        case .transfer(let number): return try await service.transfer(number: number)
        case .acceptTransfer(let number, let folder): try await service.acceptTransfer(number, into: folder)
        case .declineTransfer(let number): try await service.declineTransfer(number)
        case .pauseTransfer(let number): try await service.pauseTransfer(number)
        case .resumeTransfer(let number): try await service.resumeTransfer(number)
        case .cancelTransfer(let number): try await service.cancelTransfer(number)
        case .cancelFolder(let number): try await service.cancelFolder(of: number)
        case .irregularities: return await service.irregularities()
        case .setRateLimit(let limit, let scope): try await service.setRateLimit(limit, of: scope)
        case .rateLimit(let scope): return try await service.rateLimit(of: scope)
        case .downloadsSpace:
            return await service.downloadsSpace().map { DownloadsSpace(folder: $0.folder, freeBytes: $0.freeBytes) }
        }
        return NoValue()
    }
}
