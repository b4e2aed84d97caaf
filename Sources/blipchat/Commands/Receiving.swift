// Waits for files that others offer, accepts them, and tells what becomes of them.

import ChatCore
import ChatHost
import ChatSettings
import ChatWords
import Synchronization

/// The order that `blipchat receive` carries out.
struct ReceiveOrder: Sendable {
    /// Only from this contact.
    var from: String?
    /// End with the first file.
    var once: Bool
    /// Accept files up to this size; `nil`: only tell of offers, somebody else decides.
    var limit: UInt64?
    /// Absolute; `nil`: the downloads folder.
    var folder: String?
    /// How long to wait for the first offer; `nil`: forever.
    var timeout: Duration?
    /// A user who accepts one file of a folder gets all of it.
    var takesFolders = true
}

/// One `receive`, whoever runs the chat meanwhile.
struct Receiving: Sendable {
    let chat: CommandChat
    let order: ReceiveOrder
    let reports: ReportSink
    private let incoming: IncomingFiles
    private let running = RunningProgress()
    private let recent = RecentRecords()
    private let wait: EventWait

    private static let forEver = Duration.seconds(10 * 365 * 86_400)

    init(_ order: ReceiveOrder, in chat: CommandChat, reports: @escaping ReportSink) async throws(CommandError) {
        self.chat = chat
        self.order = order
        self.reports = reports
        var contact: ContactID?
        if let from = order.from { contact = try await chat.contact(from).id }
        incoming = IncomingFiles(contact: contact, once: order.once)
        wait = EventWait(order.timeout ?? Self.forEver)
    }

    func run() async throws(CommandError) -> ExitCode {
        // We ask for events first, so that we miss none.
        let events = await chat.service.events()
        try await decideAboutOffers()
        let result = await wait.first(in: events) { event -> Outcome? in
            do throws(CommandError) { return try await outcome(of: event) } catch { return .failure(error) }
        }
        if let result { return try result.get() }
        if let failure = await chat.failure { throw failure }
        throw CommandError(.negative, "receive", "nobody has offered a file", advice: "wait longer: --timeout")
    }

    private func decideAboutOffers() async throws(CommandError) {
        let earlier = try await chat.ask(.transfers(unfinishedOnly: true), about: "transfers")
        for transfer in earlier.reversed() where transfer.state == .offered { try await decide(transfer) }
    }

    /// How the command ends by an event; `nil` while it continues.
    private func outcome(of event: ChatEvent) async throws(CommandError) -> Outcome? {
        running.note(event)
        switch event {
        case .messageAdded(let message):
            if case .file(let transfer) = message.content { try await decide(transfer) }
        case .messageChanged(let message):
            guard case .file(let transfer) = message.content else { return nil }
            return try await outcome(of: transfer, message)
        case .transferProgress(let progress):
            if incoming.contains(progress.id) { await reports(.progress(progress)) }
        // Another process runs the chat now, perhaps this one.
        case .historyReplaced:
            try await decideAboutOffers()
            for number in incoming.underWay {
                let transfer = try await chat.ask(.transfer(number), about: "#\(number.rawValue)")
                guard transfer.state.isFinal, let outcome = try await outcome(of: transfer, nil) else { continue }
                return outcome
            }
        default: break
        }
        return nil
    }

    private func outcome(
        of transfer: FileTransfer, _ message: ChatMessage?
    ) async throws(CommandError) -> Outcome? {
        guard incoming.follows(transfer) else { return nil }
        wait.extend(by: Self.forEver)
        let records = try await currentRecords(knowing: transfer.contact)
        await reports(message.map { .message($0, records) } ?? .transfer(transfer, records))
        return order.once ? Self.received(transfer) : nil
    }

    private func currentRecords(knowing contact: ContactID) async throws(CommandError) -> Records {
        var records = try await recent.records(of: chat, knowing: contact)
        for progress in running.all { records.rates[progress.id] = progress.rate }
        return records
    }

    /// Accepts an offer, or tells of it.
    private func decide(_ transfer: FileTransfer) async throws(CommandError) {
        guard incoming.takes(transfer) else { return }
        guard let limit = order.limit, transfer.size <= limit, order.takesFolders || transfer.place == nil else {
            return await reports(.transfer(transfer, try await currentRecords(knowing: transfer.contact)))
        }
        guard incoming.claim(transfer) else { return }
        do throws(ChatError) {
            try await chat.service.ask(.acceptTransfer(transfer.number, into: order.folder))
        } catch .wrongTransferState {
            // It has been accepted already, by a rule of this home: it is followed all the same.
        } catch {
            if let failure = await chat.failure { throw failure }
            throw CommandError(error.asConfined, about: transfer.name)
        }
    }

    /// The meaning of a transfer's end for a command that waited for it; `nil` while the transfer continues. A pause
    /// that needs our user is an end for a command that nobody watches.
    private static func received(_ transfer: FileTransfer) -> Outcome? {
        if transfer.state == .paused, let reason = transfer.reason {
            return .failure(
                CommandError(.localIO, transfer.name, reason.words, advice: "then: blipchat transfers resume NUMBER"))
        }
        return Outcome.of(transfer)
    }
}

/// Which incoming transfers a `receive` is about.
private final class IncomingFiles: Sendable {
    private struct State {
        var offered: Set<MessageID> = []
        /// Accepted by us: with `once` only one.
        var claimed: [MessageID: TransferNumber] = [:]
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
    func claim(_ transfer: FileTransfer) -> Bool {
        state.withLock { state in
            guard !once || state.claimed.isEmpty else { return false }
            return state.claimed.updateValue(transfer.number, forKey: transfer.id) == nil
        }
    }

    /// Its news concerns us. This also claims a transfer that somebody else has accepted since we reported it.
    func follows(_ transfer: FileTransfer) -> Bool {
        state.withLock { state in
            if transfer.state.isFinal { state.ended.insert(transfer.id) }
            if state.claimed[transfer.id] != nil { return true }
            guard state.offered.contains(transfer.id), transfer.state != .offered, !once || state.claimed.isEmpty else {
                return false
            }
            state.claimed[transfer.id] = transfer.number
            return true
        }
    }

    func contains(_ id: MessageID) -> Bool { state.withLock { $0.claimed[id] != nil } }

    /// Those that have been accepted, and are not here yet.
    var underWay: [TransferNumber] {
        state.withLock { state in state.claimed.filter { !state.ended.contains($0.key) }.map(\.value) }
    }
}
