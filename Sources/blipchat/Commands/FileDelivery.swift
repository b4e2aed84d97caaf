// Offers files and folders and waits until all of them are transferred: the events of the chat decide.

import BLIPNet
import CLinux
import ChatCore
import ChatHost
import ChatSettings
import Glibc
import Synchronization

/// Sends files to one contact, for `send-file`.
struct FileDelivery: Sendable {
    /// Without progress for so long transfers are left to themselves; they stay queued.
    private static let stallLimit = Duration.seconds(600)

    let recipient: Recipient
    /// The name of the file for others; `nil`: the one it has here.
    let name: String?
    let caption: String
    /// Limits the wait for the peer to get the offers; `nil`: they are only queued.
    let timeout: Duration?
    /// How long the transfers may then stall.
    let standstill: Duration
    let reports: ReportSink
    private let waiting = FilesWaiting()
    private let recent = RecentRecords()

    private var chat: CommandChat { recipient.chat }
    private var peer: Peer { recipient.peer }

    init(
        to recipient: Recipient, name: String?, caption: String, timeout: Duration?, standstill: Duration?,
        reports: @escaping ReportSink
    ) {
        self.recipient = recipient
        self.name = name
        self.caption = caption
        self.timeout = timeout
        self.standstill = standstill ?? Self.stallLimit
        self.reports = reports
    }

    /// Something is stored that is not transferred.
    var isUnfinished: Bool { waiting.isWaiting }

    /// Offers all of `paths` at once, so that several run at the same time, and waits for all. Nothing is offered when
    /// one of them is not there; what cannot be offered for other reasons ends the offering, and what was offered before
    /// is still waited for.
    func run(_ paths: [String]) async throws(CommandError) {
        for path in paths {
            let code = await DiskLane.of(path).value(within: .seconds(10)) { access(path, R_OK) == 0 ? 0 : errno }
            guard code != 0 else { continue }
            throw CommandError(ChatError.cannotRead(path: path, errno: code ?? ETIMEDOUT), about: recipient.who)
        }
        // We ask for events first, so that we miss none.
        let events = await chat.service.events()
        for path in paths {
            do throws(CommandError) { try await offer(path) } catch {
                waiting.fail(error)
                break
            }
        }
        guard let timeout, await chat.failure == nil else { return try waiting.check() }
        try await wait(EventWait(timeout), events)
    }

    /// A folder is offered as the set of its files.
    private func offer(_ path: String) async throws(CommandError) {
        let isFolder = await DiskLane.of(path).value(within: .seconds(10)) { () -> Bool in
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
        guard isFolder == true else {
            let message = try await chat.ask(
                .sendFile(at: path, named: name, caption: caption, to: peer.id), about: recipient.who)
            waiting.add([message])
            return await reports(.message(message, try await chat.records()))
        }
        guard name == nil else {
            throw CommandError(.usage, "--name", "only for a file", advice: "a folder keeps its name")
        }
        let offer = try await chat.ask(.sendFolder(at: path, caption: caption, to: peer.id), about: recipient.who)
        waiting.add(offer.messages)
        await reports(.folder(path, offer))
        for file in offer.leftOut { await reports(.leftOut(file)) }
        // The files that can be sent are sent all the same, and the command waits for them.
        if !offer.leftOut.isEmpty { waiting.fail(.incompleteFolder(path, leftOut: offer.leftOut.count)) }
        let current = try await chat.records()
        for message in offer.messages { await reports(.message(message, current)) }
    }

    private func wait(_ wait: EventWait, _ events: AsyncStream<ChatEvent>) async throws(CommandError) {
        guard waiting.isWaiting else { return try waiting.check() }
        try await recipient.check()
        let count = waiting.count
        let end = await wait.first(in: events) { event in await isOver(by: event, wait) ? true : nil }
        if let failure = await chat.failure { throw failure }
        guard end == nil else { return try waiting.check() }
        // A file that could not be offered is not queued, but would be taken for a queued one.
        try waiting.check()
        let what = count == 1 ? "the file" : "all files"
        guard !waiting.areOffered else {
            throw CommandError(
                .queued, peer.name,
                "offered, \(what) not there within \(standstill.inSeconds) s: they have not accepted it, or it stalled",
                advice: "it resumes when they do: blipchat transfers list shows it")
        }
        throw await recipient.queued(what, after: wait.lastTimeout)
    }

    /// Takes an event in; `true` when nothing is left to wait for.
    private func isOver(by event: ChatEvent, _ wait: EventWait) async -> Bool {
        switch event {
        case .messageChanged(let changed): return await isLast(changed, wait)
        case .transferProgress(let progress):
            guard waiting.contains(progress.id) else { return false }
            if waiting.isNewProgress(progress) { wait.extend(by: standstill) }
            await reports(.progress(progress))
            return false
        case .notice(.keyChanged(peer.id)):
            waiting.fail(recipient.keyChanged)
            return true
        case .messagesDeleted(peer.id), .conversationsChanged:
            // All messages go with their contact, so a look at one is enough: this event is frequent.
            if case .conversationsChanged = event {
                guard let id = waiting.ids.first, await recipient.deletion(of: id) != nil else { return false }
            }
            for id in waiting.ids {
                guard let error = await recipient.deletion(of: id) else { continue }
                if waiting.note(.failure(error), of: id) { return true }
            }
            return false
        // Another process runs the chat now, perhaps this one.
        case .historyReplaced(peer.id):
            do throws(CommandError) {
                for message in try await recipient.messages(Array(waiting.ids)) where await isLast(message, wait) {
                    return true
                }
                try await recipient.checkAgain()
            } catch {
                guard error.exit == .identity, await chat.failure == nil else { return false }
                waiting.fail(error)
                return true
            }
            return false
        default: return false
        }
    }

    /// Takes in what a message is like now; `true` when it was the last one that was not at its end, and is now.
    private func isLast(_ changed: ChatMessage, _ wait: EventWait) async -> Bool {
        guard waiting.contains(changed.id), changed.direction == .outgoing, case .file(let transfer) = changed.content
        else { return false }
        // The peer has the offer: from now on only standing still counts.
        if waiting.noteOffered(changed) { wait.extend(by: standstill) }
        if transfer.state.isFinal || waiting.isNewPause(transfer),
            let current = try? await recent.records(of: chat, knowing: peer.id)
        {
            await reports(.message(changed, current))
        }
        var outcome = Outcome.of(transfer)
        if case .failed = changed.state { outcome = Outcome.of(changed.state, recipient.who) }
        return waiting.note(outcome, of: changed.id)
    }
}

extension FileTransfer {
    /// Somebody has to do something before it continues.
    fileprivate var isPaused: Bool {
        state == .paused || (state == .accepted && reason?.isPauseOfReceiver == true)
    }
}

/// The files of one command that are not transferred yet, and the first thing that went wrong.
private final class FilesWaiting: Sendable {
    private struct State {
        var ids: Set<MessageID> = []
        var areOffered = false
        /// Those that either side has paused, as far as we have heard.
        var paused: Set<MessageID> = []
        /// How far each was when it was last heard of.
        var transferred: [MessageID: UInt64] = [:]
        var failure: CommandError?
    }
    private let state = Mutex(State())

    func add(_ messages: [ChatMessage]) { state.withLock { $0.ids.formUnion(messages.map(\.id)) } }

    func contains(_ id: MessageID) -> Bool { state.withLock { $0.ids.contains(id) } }

    /// The peer has the offer of one at least: it is for them to decide.
    var areOffered: Bool { state.withLock { $0.areOffered } }

    /// Whether the peer has this offer.
    func noteOffered(_ message: ChatMessage) -> Bool {
        guard message.state.rank >= DeliveryState.delivered.rank else { return false }
        state.withLock { $0.areOffered = true }
        return true
    }

    /// Whether a file has been paused since the last look: a user who watches a bar should know why it does not move.
    func isNewPause(_ transfer: FileTransfer) -> Bool {
        state.withLock { state in
            guard transfer.isPaused else {
                state.paused.remove(transfer.id)
                return false
            }
            return state.paused.insert(transfer.id).inserted
        }
    }

    /// Whether anything has moved: the chat also reports again and again that a file is stalled.
    func isNewProgress(_ progress: ChatCore.TransferProgress) -> Bool {
        state.withLock { $0.transferred.updateValue(progress.transferred, forKey: progress.id) != progress.transferred }
    }

    var isWaiting: Bool { count > 0 }
    var count: Int { ids.count }
    var ids: Set<MessageID> { state.withLock { $0.ids } }

    func fail(_ error: CommandError) { state.withLock { $0.failure = $0.failure ?? error } }

    /// Takes down what became of a file; `true` when it was the last one.
    func note(_ outcome: Outcome?, of id: MessageID) -> Bool {
        guard let outcome else { return false }
        if case .failure(let error) = outcome { fail(error) }
        return state.withLock { state in
            state.ids.remove(id)
            return state.ids.isEmpty
        }
    }

    /// Throws the first thing that went wrong.
    func check() throws(CommandError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
