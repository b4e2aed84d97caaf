// Carries out operations on the chat of this process: for its own command, or for another process behind the socket.

import ChatCore
import ChatTUI
import ChatWords
import Glibc

/// Turns each operation into calls of the chat. Values only: any number may run at the same time.
struct OperationRunner: Sendable {
    let service: any ChatService
    let rates: TransferRates
    /// Whether what is written to a contact waits until they are verified (`security.require_verified`).
    let holdsBack: @Sendable (ContactID) async -> Bool
    /// Adds an export to the history of the chat.
    let importsHistory: @Sendable (String) async throws(CommandError) -> HistoryImporter.Summary

    func perform(_ operation: ControlOperation, records: @escaping RecordSink) async -> ControlResult {
        do throws(CommandError) {
            return .done(try await run(operation, records))
        } catch {
            return .failed(error)
        }
    }

    private func run(_ operation: ControlOperation, _ records: @escaping RecordSink) async throws(CommandError)
        -> ExitCode
    {
        switch operation {
        case .send(let who, let text, let id, let timeout):
            return try await send(text, as: id, to: who, within: timeout, records)
        case .sendFiles(let who, let paths, let name, let caption, let timeout, let standstill, let names):
            return try await sendFiles(
                paths, as: { name ?? names[$0] }, caption: caption, to: who, within: timeout, standstill: standstill,
                records)
        case .wait(let ids, let who, let timeout, let whole, let standstill):
            return try await wait(for: ids, to: who, within: timeout, of: whole, standstill: standstill, records)
        case .receive(let order): return try await receive(order, records)
        case .addContact(let address, let name): try await addContact(address, name, records)
        case .removeAddress(let text, let who):
            let peer = try await contact(who)
            try await ask(.removeAddress(try Self.address(text), of: peer.id), about: text)
            try await tell(peer, records)
        case .renameContact(let who, let name):
            let peer = try await contact(who)
            try await ask(.renameContact(peer.id, to: name), about: who)
            try await tell(peer, records)
        case .removeContact(let who):
            let peer = try await contact(who)
            try await ask(.removeContact(peer.id), about: who)
            await records(Records.contact(peer, isRemoved: true))
        case .setBlocked(let who, let blocked):
            let peer = try await contact(who)
            try await ask(.setBlocked(peer.id, blocked), about: who)
            try await tell(peer, records)
        case .verifyContact(let who, let number): try await verify(who, number, records)
        case .acceptKey(let who, let number): try await acceptKey(of: who, number, records)
        case .approveRequest(let id, let name):
            let peer = try await ask(.approveRequest(id, name: name), about: "request \(id)")
            await records(Records.contact(peer))
        case .rejectRequest(let id):
            try await reject(id, records)
        case .changeTransfer(let number, let change, let folder):
            try await changeTransfer(TransferNumber(number), change, folder, records)
        case .listTransfers(let unfinishedOnly):
            let makeRecord = try await currentRecords()
            let transfers = try await ask(.transfers(unfinishedOnly: unfinishedOnly), about: "transfers")
            for transfer in transfers { await records(makeRecord.file(transfer)) }
        case .limitRate(let scope, let rate): try await limitRate(scope, rate, records)
        case .deleteMessages(let who, let ids): try await delete(ids, of: who, records)
        case .clear(let who, let time): try await clear(who, before: time, records)
        case .keep(let who, let change): try await keep(who, change, records)
        case .backUp(let path):
            try await about(path) { () throws(ChatError) in
                do throws(ChatError) { try await service.ask(.backUp(to: path)) } catch {
                    throw Confinement.isInEffect && error.isRefusedCopy ? .outOfReach(path: path) : error
                }
            }
        case .importHistory(let path):
            try await about(path) { () throws(ChatError) in
                if await Confinement.hides(path) { throw .outOfReach(path: path) }
            }
            await records(try await importsHistory(path).record)
        case .status: await records(try await statusRecord())
        case .events: try await followEvents(records)
        }
        return .done
    }

    // MARK: Pieces

    /// Asks the chat; its errors become sentences about `subject`.
    func ask<Reply>(_ call: ChatCall<Reply>, about subject: String) async throws(CommandError) -> Reply {
        try await about(subject) { () throws(ChatError) in try await service.ask(call) }
    }

    func ask(_ call: ChatCall<NoReply>, about subject: String) async throws(CommandError) {
        let _: NoReply = try await ask(call, about: subject)
    }

    /// Does what may fail with an error of the chat, as `ask`.
    private func about<Value>(
        _ subject: String, _ call: () async throws(ChatError) -> Value
    ) async throws(CommandError) -> Value {
        do throws(ChatError) {
            return try await call()
        } catch {
            throw CommandError(error.asConfined, about: subject)
        }
    }

    func directory() async throws(CommandError) -> ContactDirectory {
        let conversations = try await ask(.conversations, about: "contacts")
        return ContactDirectory(conversations.map(\.peer))
    }

    func contact(_ who: String) async throws(CommandError) -> Peer { try await directory().find(who) }

    func currentRecords() async throws(CommandError) -> Records {
        Records(contacts: try await directory(), rates: await rates.current)
    }

    private static func address(_ text: String) throws(CommandError) -> PeerAddress {
        do { return try PeerAddress(parsing: text) } catch { throw CommandError(error, address: text) }
    }

    // MARK: People and transfers

    private func addContact(_ text: String, _ name: String?, _ records: RecordSink) async throws(CommandError) {
        let address = try Self.address(text)
        let known = Set(try await directory().peers.map(\.id))
        var peer = try await ask(.addContact(address, name: name), about: text)
        // Who is known gets the name that was asked for: it is what a script calls them by from now on.
        if let name, known.contains(peer.id), name != peer.name || peer.isNameProvisional {
            try await ask(.renameContact(peer.id, to: name), about: name)
            peer = try await directory().peers.first { $0.id == peer.id } ?? peer
        }
        await records(Records.contact(peer))
    }

    /// Tells how a contact is known now.
    private func tell(_ peer: Peer, _ records: RecordSink) async throws(CommandError) {
        // Another command may have removed it meanwhile.
        await records(Records.contact(try await directory().peers.first { $0.id == peer.id } ?? peer))
    }

    private func reject(_ id: Int64, _ records: RecordSink) async throws(CommandError) {
        let subject = "request \(id)"
        let request = try await ask(.contactRequests, about: subject).first { $0.id == id }
        try await ask(.rejectRequest(id), about: subject)
        if let request { await records(Records.request(request, isRejected: true)) }
    }

    private func verify(_ who: String, _ number: String?, _ records: RecordSink) async throws(CommandError) {
        var peer = try await contact(who)
        let groups = try await ask(.safetyNumber(for: peer.id), about: who)
        guard let groups else {
            throw CommandError(
                .identity, peer.name, "their key is not known yet", advice: "wait until they have been online once")
        }
        let new = peer.trust == .keyChanged ? peer.newPeerID : nil
        let own = await service.identity.peerID
        let newNumber = new.map { SafetyNumber.groups(own, $0) }
        if let number {
            guard number != newNumber?.joined() else {
                throw CommandError(
                    .identity, peer.name, "this is the number for the key that answers now, not for the known one",
                    advice: "accept it with contacts accept-key and the same number")
            }
            guard number == groups.joined() else {
                throw CommandError(
                    .identity, peer.name, "the numbers differ, so someone may be in the middle",
                    advice: "make sure you are both comparing the right contact; do not send secrets")
            }
            try await ask(.setVerified(peer.id), about: who)
            peer = try await contact(who)
        }
        await records(
            .record([
                "v": 1, "type": "safety-number", "name": .string(peer.name), "trust": .string(Records.word(peer.trust)),
                "safety_number": .string(groups.joined(separator: " ")),
                "new_peer_id": new.map { .string($0.text) },
                "new_safety_number": newNumber.map { .string($0.joined(separator: " ")) },
            ]))
    }

    private func acceptKey(of who: String, _ number: String?, _ records: RecordSink) async throws(CommandError) {
        let peer = try await contact(who)
        guard peer.trust == .keyChanged, let key = peer.newPeerID else {
            throw CommandError(.identity, peer.name, "no other key has answered for them; nothing was changed")
        }
        let groups = SafetyNumber.groups(await service.identity.peerID, key)
        guard number == nil || number == groups.joined() else {
            throw CommandError(
                .identity, peer.name, "the numbers differ, so someone may be in the middle; nothing was changed",
                advice: "refuse the key with contacts block")
        }
        try await ask(.acceptNewKey(key, of: peer.id, verified: number != nil), about: who)
        await records(Records.contact(try await contact(who)))
    }

    private func changeTransfer(
        _ number: TransferNumber, _ change: TransferChange, _ folder: String?, _ records: RecordSink
    ) async throws(CommandError) {
        let subject = "#\(number.rawValue)"
        switch change {
        case .accept: try await ask(.acceptTransfer(number, into: folder), about: subject)
        case .decline: try await ask(.declineTransfer(number), about: subject)
        case .pause: try await ask(.pauseTransfer(number), about: subject)
        case .resume: try await ask(.resumeTransfer(number), about: subject)
        case .cancel: try await ask(.cancelTransfer(number), about: subject)
        }
        let transfer = try await ask(.transfer(number), about: subject)
        await records(try await currentRecords().file(transfer))
    }

    private func limitRate(
        _ scope: String, _ rate: UInt64?, _ records: RecordSink
    ) async throws(CommandError) {
        let limited = try Self.rateScope(scope)
        try await ask(.setRateLimit(rate, of: limited), about: scope)
        await records(
            .record([
                "v": 1, "type": "limit", "scope": .string(scope), "rate": rate.map(JSONValue.bytes) ?? .null,
            ]))
    }

    /// What a limit is for: `up`, `down`, `#8`.
    static func rateScope(_ words: String) throws(CommandError) -> RateScope {
        guard let scope = RateScope(words: words) else {
            throw CommandError(.usage, words, "not up, down or a transfer", advice: "write up, down or a number")
        }
        return scope
    }

    // MARK: Status and events

    private func statusRecord() async throws(CommandError) -> JSONValue {
        let identity = await service.identity
        let conversations = try await ask(.conversations, about: "status")
        let contacts = ContactDirectory(conversations.map(\.peer))
        var peers: [JSONValue] = []
        for conversation in conversations {
            let state = await service.linkState(of: conversation.peer.id)
            peers.append(StatusRecord.peer(conversation, called: contacts.name(of: conversation.peer.id), state))
        }
        return StatusRecord.running(
            identity: identity, processID: getpid(), conversations: conversations, peers: peers,
            isConfined: Confinement.isInEffect)
    }

    private func followEvents(_ records: RecordSink) async throws(CommandError) {
        // Events are asked for first: what happens while the newest messages are read is compared with what they were.
        let events = await service.events()
        var news = MessageNews()
        for conversation in try await newestConversations() {
            let page = try? await service.ask(.page(of: conversation, .newest, limit: MessageNews.pageSize))
            for message in page ?? [] { news.know(message) }
        }
        for await event in events {
            guard !Task.isCancelled else { return }
            let directory = try await currentRecords()
            guard var record = EventRecord.record(of: event, directory) else { continue }
            switch event {
            case .messageAdded(let message): record = record.with(news.event(of: message, isNew: true))
            case .messageChanged(let message): record = record.with(news.event(of: message, isNew: false))
            default: break
            }
            await records(record)
        }
    }

    /// Those in which something happened last.
    private func newestConversations() async throws(CommandError) -> [ContactID] {
        let all = try await ask(.conversations, about: "contacts")
        let newest = all.sorted { ($0.lastMessage?.position.rawValue ?? 0) > ($1.lastMessage?.position.rawValue ?? 0) }
        return newest.prefix(MessageNews.conversations).map(\.peer.id)
    }
}
