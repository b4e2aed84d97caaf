// Waits for files that others offer, accepts them, and tells what becomes of them.

import ChatCore
import ChatWords
import Synchronization

/// What `blipchat receive` asks for.
struct ReceiveOrder: Sendable, Equatable {
    /// Only from this contact.
    var from: String?
    /// End with the first file.
    var once: Bool
    /// Accept files up to this size; `nil`: only tell of offers, somebody else decides.
    var limit: UInt64?
    /// Absolute; `nil`: the downloads folder.
    var folder: String?
    /// How long to wait for the first offer; `nil`: for ever.
    var timeout: Duration?
    /// Who accepts one file of a folder gets the whole.
    var takesFolders = true
}

extension OperationRunner {
    func receive(_ order: ReceiveOrder, _ records: @escaping RecordSink) async throws(CommandError) -> ExitCode {
        var contact: ContactID?
        if let from = order.from { contact = try await self.contact(from).id }
        // Events are asked for first, so that none can be missed.
        let events = await service.events()
        let incoming = IncomingFiles(contact: contact, once: order.once)
        let earlier = try await ask(.transfers(unfinishedOnly: true), about: "transfers")
        for transfer in earlier.reversed() where transfer.state == .offered {
            try await decide(transfer, order, incoming, records)
        }
        let wait = order.timeout.map { EventWait($0) }
        let result = await (wait ?? EventWait(.seconds(10 * 365 * 86_400))).first(in: events) {
            event -> ControlResult? in
            do throws(CommandError) {
                switch event {
                case .messageAdded(let message):
                    guard case .file(let transfer) = message.content else { return nil }
                    try await decide(transfer, order, incoming, records)
                case .messageChanged(let message):
                    guard case .file(let transfer) = message.content, incoming.follows(transfer) else { return nil }
                    wait?.extend(by: .seconds(10 * 365 * 86_400))
                    await records(try await currentRecords().record(of: message))
                    guard order.once else { return nil }
                    return Self.received(transfer)
                case .transferProgress(let progress):
                    if incoming.contains(progress.id) { await records(Records.progress(progress)) }
                default: break
                }
                return nil
            } catch {
                return .failed(error)
            }
        }
        switch result {
        case .done(let code): return code
        case .failed(let error): throw error
        case nil, .again:
            // The chat ends, and this process will not see the end of what it has begun.
            guard !Task.isCancelled || !incoming.areUnderWay else {
                throw CommandError(
                    .network, "running blipchat", "ended before the file arrived",
                    advice: "it resumes when blipchat runs: see blipchat transfers list")
            }
            throw Self.noOffer
        }
    }

    /// How a `receive` ends that has waited in vain.
    static let noOffer = CommandError(
        .negative, "receive", "nobody has offered a file", advice: "wait longer: --timeout")

    /// Accepts an offer, or tells of it.
    private func decide(
        _ transfer: FileTransfer, _ order: ReceiveOrder, _ incoming: IncomingFiles, _ records: RecordSink
    ) async throws(CommandError) {
        guard incoming.takes(transfer) else { return }
        guard let limit = order.limit, transfer.size <= limit, order.takesFolders || transfer.place == nil else {
            return await records(try await currentRecords().file(transfer))
        }
        guard incoming.claim(transfer.id) else { return }
        do throws(ChatError) {
            try await service.ask(.acceptTransfer(transfer.number, into: order.folder))
        } catch .wrongTransferState {
            // It has been accepted already, by a rule of this home: it is followed all the same.
        } catch {
            throw CommandError(error.asConfined, about: transfer.name)
        }
    }

    /// What the end of a transfer means for somebody who waited for it; `nil` while it goes on. A pause that needs our
    /// user is an end for a command that nobody watches.
    private static func received(_ transfer: FileTransfer) -> ControlResult? {
        if transfer.state == .paused, let reason = transfer.reason {
            return .failed(
                CommandError(.localIO, transfer.name, reason.words, advice: "then: blipchat transfers resume NUMBER"))
        }
        return outcome(of: transfer)
    }
}

/// Which incoming transfers a `receive` is about.
private final class IncomingFiles: Sendable {
    private struct State {
        var offered: Set<MessageID> = []
        /// Accepted by us: with `once` only one.
        var claimed: Set<MessageID> = []
        /// Those of them that are at their end.
        var ended: Set<MessageID> = []
    }
    private let contact: ContactID?
    private let once: Bool
    private let state = Mutex(State())

    init(contact: ContactID?, once: Bool) {
        self.contact = contact
        self.once = once
    }

    /// An offer that concerns us.
    func takes(_ transfer: FileTransfer) -> Bool {
        guard transfer.direction == .incoming, contact == nil || transfer.contact == contact else { return false }
        return state.withLock { $0.offered.insert(transfer.id).inserted }
    }

    /// We accept it; `false` when there is one already and one is enough.
    func claim(_ id: MessageID) -> Bool {
        state.withLock { state in
            guard !once || state.claimed.isEmpty else { return false }
            return state.claimed.insert(id).inserted
        }
    }

    /// News of it are ours. What somebody else has accepted after we told of it is claimed with that.
    func follows(_ transfer: FileTransfer) -> Bool {
        state.withLock { state in
            if transfer.state.isFinal { state.ended.insert(transfer.id) }
            if state.claimed.contains(transfer.id) { return true }
            guard state.offered.contains(transfer.id), transfer.state != .offered, !once || state.claimed.isEmpty else {
                return false
            }
            state.claimed.insert(transfer.id)
            return true
        }
    }

    func contains(_ id: MessageID) -> Bool { state.withLock { $0.claimed.contains(id) } }

    /// Some have been accepted, and are not here yet.
    var areUnderWay: Bool { state.withLock { !$0.claimed.isSubset(of: $0.ended) } }
}
