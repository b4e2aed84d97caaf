// The methods of ChatService, each as the call that carries it out in the other process.

import ChatCore
import Glibc
import Storage

extension AttachedService: ChatService {
    func events() async -> AsyncStream<ChatEvent> { await subscribe() }

    var identity: LocalIdentity {
        get async { (try? await call(.identity)) ?? knownIdentity }
    }

    private func perform(_ call: ServiceCall) async throws(ChatError) { _ = try await self.call(call, NoValue.self) }

    // People

    func conversations() async throws(ChatError) -> [Conversation] { try await call(.conversations) }
    func linkState(of contact: ContactID) async -> LinkState {
        guard let state = try? await call(.linkState(contact), LinkState.self) else {
            return .offline(reason: .processEnded)
        }
        note(state, of: contact)
        return state
    }
    func addContact(_ address: PeerAddress, name: String?) async throws(ChatError) -> Peer {
        try await call(.addContact(address, name: name))
    }
    func removeAddress(_ address: PeerAddress, of contact: ContactID) async throws(ChatError) {
        try await perform(.removeAddress(address, of: contact))
    }
    func renameContact(_ contact: ContactID, to name: String) async throws(ChatError) {
        try await perform(.renameContact(contact, to: name))
    }
    func removeContact(_ contact: ContactID) async throws(ChatError) { try await perform(.removeContact(contact)) }
    func setBlocked(_ contact: ContactID, _ blocked: Bool) async throws(ChatError) {
        try await perform(.setBlocked(contact, blocked))
    }
    func setVerified(_ contact: ContactID) async throws(ChatError) { try await perform(.setVerified(contact)) }
    func acceptNewKey(_ key: PeerID, of contact: ContactID, verified: Bool) async throws(ChatError) {
        try await perform(.acceptNewKey(key, of: contact, verified: verified))
    }
    func safetyNumber(for contact: ContactID) async throws(ChatError) -> [String]? {
        try await call(.safetyNumber(contact))
    }
    func contactRequests() async throws(ChatError) -> [ContactRequest] { try await call(.contactRequests) }
    func approveRequest(_ id: Int64, name: String?) async throws(ChatError) -> Peer {
        try await call(.approveRequest(id, name: name))
    }
    func rejectRequest(_ id: Int64) async throws(ChatError) { try await perform(.rejectRequest(id)) }
    func blockRequest(_ id: Int64) async throws(ChatError) -> Peer { try await call(.blockRequest(id)) }
    func reconnect(_ contact: ContactID?) async { try? await perform(.reconnect(contact)) }
    func disconnect(_ contact: ContactID?) async { try? await perform(.disconnect(contact)) }
    func ping(_ contact: ContactID) async throws(ChatError) -> Duration { try await call(.ping(contact)) }
    func traffic(with contact: ContactID) async -> LinkTraffic? {
        let traffic = try? await call(.traffic(contact), LinkTraffic?.self)
        return traffic.flatMap { $0 }
    }
    func setMuted(_ contact: ContactID, until time: Timestamp?) async throws(ChatError) {
        try await perform(.setMuted(contact, until: time))
    }
    func setAutomaticAcceptance(_ limit: UInt64?, from contact: ContactID) async throws(ChatError) {
        try await perform(.setAutomaticAcceptance(limit, from: contact))
    }

    // Ourselves

    func setOwnName(_ name: String) async throws(ChatError) { try await perform(.setOwnName(name)) }
    func setAway(_ reason: String?) async throws(ChatError) { try await perform(.setAway(reason)) }

    // Talking

    func send(_ text: String, to contact: ContactID, replyTo: MessageID?) async throws(ChatError) -> ChatMessage {
        try await call(.send(text, to: contact, replyTo: replyTo))
    }
    func send(_ text: String, as id: MessageID, to contact: ContactID) async throws(ChatError) -> ChatMessage {
        try await call(.sendOnce(text, as: id, to: contact))
    }

    func setTyping(_ composing: Bool, to contact: ContactID) async {
        try? await perform(.setTyping(composing, to: contact))
    }
    func markSeen(_ contact: ContactID, upTo position: HistoryPosition) async throws(ChatError) {
        try await perform(.markSeen(contact, upTo: position))
    }
    func markUnread(_ contact: ContactID, from position: HistoryPosition) async throws(ChatError) {
        try await perform(.markUnread(contact, from: position))
    }
    func setPinned(_ message: ChatMessage, _ pinned: Bool) async throws(ChatError) -> ChatMessage {
        try await call(.setPinned(message, pinned))
    }
    func edit(_ message: ChatMessage, to text: String) async throws(ChatError) -> ChatMessage {
        try await call(.edit(message, to: text))
    }
    func retract(_ message: ChatMessage) async throws(ChatError) -> ChatMessage { try await call(.retract(message)) }
    func react(to message: ChatMessage, with emoji: String?) async throws(ChatError) -> ChatMessage {
        try await call(.react(message, with: emoji))
    }
    func retry(_ id: MessageID) async throws(ChatError) -> ChatMessage { try await call(.retry(id)) }

    // Reading

    func page(of contact: ContactID, _ anchor: PageAnchor, limit: Int) async throws(ChatError) -> [ChatMessage] {
        try await call(.page(contact, anchor, limit: limit))
    }
    func search(_ query: SearchQuery) async throws(ChatError) -> SearchResult { try await call(.search(query)) }
    func firstMessage(of contact: ContactID, since time: Timestamp) async throws(ChatError) -> ChatMessage? {
        try await call(.firstMessage(contact, since: time))
    }
    func message(_ reference: MessageReference, of contact: ContactID) async throws(ChatError) -> ChatMessage? {
        try await call(.message(reference, of: contact))
    }
    func messages(_ ids: [MessageID], of contact: ContactID) async throws(ChatError) -> [ChatMessage] {
        try await call(.messages(ids, of: contact))
    }
    func versions(of message: ChatMessage) async throws(ChatError) -> [TextVersion] {
        try await call(.versions(message))
    }
    func pinnedMessages(of contact: ContactID) async throws(ChatError) -> [ChatMessage] {
        try await call(.pinnedMessages(contact))
    }
    func draft(for contact: ContactID) async throws(ChatError) -> String { try await call(.draft(contact)) }
    func setDraft(_ text: String, for contact: ContactID) async throws(ChatError) {
        try await perform(.setDraft(text, for: contact))
    }

    // Keeping

    func deleteMessages(_ keys: [MessageKey], of contact: ContactID) async throws(ChatError) -> Int {
        try await call(.deleteMessages(keys, of: contact))
    }
    func deleteMessages(of contact: ContactID, storedBefore time: Timestamp?) async throws(ChatError) -> Int {
        try await call(.deleteConversation(contact, storedBefore: time))
    }
    func retention(of contact: ContactID) async throws(ChatError) -> Retention? { try await call(.retention(contact)) }
    func setRetention(_ retention: Retention?, of contact: ContactID) async throws(ChatError) {
        try await perform(.setRetention(retention, of: contact))
    }
    func backUp(to path: String) async throws(ChatError) {
        do throws(ChatError) {
            try await perform(.backUp(to: path))
        } catch {
            // Where the chat may not write, this process may.
            guard case .outOfReach = error, let home else { throw error }
            try await Self.backUp(home, to: path)
        }
    }

    // Files

    func sendFile(
        at path: String, named name: String?, caption: String, to contact: ContactID
    ) async throws(ChatError) -> ChatMessage {
        do throws(ChatError) {
            return try await call(.sendFile(path: path, name: name, caption: caption, to: contact))
        } catch {
            guard case .outOfReach = error, let home, let spooled = try await Self.spooled(path, home) else {
                throw error
            }
            let name = name ?? PathParts.lastName(of: path)
            do throws(ChatError) {
                return try await call(.sendFile(path: spooled, name: name, caption: caption, to: contact))
            } catch {
                // It may be offered all the same where nobody has answered.
                if case .instanceLost = error {} else { _ = await DiskLane.of(spooled).value { unlink(spooled) } }
                throw error
            }
        }
    }
    func sendFolder(at path: String, caption: String, to contact: ContactID) async throws(ChatError) -> FolderOffer {
        try await call(.sendFolder(path: path, caption: caption, to: contact))
    }
    func transfers(unfinishedOnly: Bool) async throws(ChatError) -> [FileTransfer] {
        try await call(.transfers(unfinishedOnly: unfinishedOnly))
    }
    func transfer(number: TransferNumber) async throws(ChatError) -> FileTransfer { try await call(.transfer(number)) }
    func acceptTransfer(_ number: TransferNumber, into folder: String?) async throws(ChatError) {
        try await perform(.acceptTransfer(number, folder: folder))
    }
    func declineTransfer(_ number: TransferNumber) async throws(ChatError) {
        try await perform(.declineTransfer(number))
    }
    func pauseTransfer(_ number: TransferNumber) async throws(ChatError) { try await perform(.pauseTransfer(number)) }
    func resumeTransfer(_ number: TransferNumber) async throws(ChatError) { try await perform(.resumeTransfer(number)) }
    func cancelTransfer(_ number: TransferNumber) async throws(ChatError) { try await perform(.cancelTransfer(number)) }
    func cancelFolder(of number: TransferNumber) async throws(ChatError) { try await perform(.cancelFolder(number)) }
    func irregularities() async -> Irregularities { (try? await call(.irregularities)) ?? Irregularities() }
    func setRateLimit(_ limit: UInt64?, of scope: RateScope) async throws(ChatError) {
        try await perform(.setRateLimit(limit, of: scope))
    }
    func rateLimit(of scope: RateScope) async throws(ChatError) -> UInt64? { try await call(.rateLimit(scope)) }
    func downloadsSpace() async -> (folder: String, freeBytes: UInt64)? {
        let space = try? await call(.downloadsSpace, DownloadsSpace?.self)
        return space.flatMap { $0 }.map { ($0.folder, $0.freeBytes) }
    }

    // MARK: What a confined chat cannot do

    private static func spooled(_ path: String, _ home: HomePaths) async throws(ChatError) -> String? {
        do throws(CommandError) {
            return try await SpoolFile.reachable(path, home)
        } catch {
            if error.exit == .usage { throw .privateFile(path: path) }
            throw .cannotWrite(path: home.spool, errno: EIO)
        }
    }

    private static func backUp(_ home: HomePaths, to path: String) async throws(ChatError) {
        do throws(CommandError) {
            _ = try await HistoryFile.read(home) { store throws(CommandError) in
                do throws(StoreError) { try await store.backUp(to: path) } catch {
                    throw CommandError(error, path: path)
                }
            }
        } catch {
            throw .store(.cannotOpen(path: error.subject, reason: error.reason))
        }
    }
}
