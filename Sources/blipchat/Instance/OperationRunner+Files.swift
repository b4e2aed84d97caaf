// Sends files and folders, and waits until all of them are transferred: the events of the chat decide.

import CLinux
import ChatCore
import ChatWords
import Glibc
import Synchronization

extension OperationRunner {
    /// Without progress for so long transfers are left to themselves; they stay queued.
    static let stallLimit = Duration.seconds(600)

    /// Offers all of `paths` at once, so that several run at the same time, and waits for all. Nothing is offered when
    /// one of them is not there; what cannot be offered for other reasons ends the offering, and what was offered before
    /// is still waited for.
    func sendFiles(
        _ paths: [String], as name: (String) -> String?, caption: String, to who: String, within timeout: Duration?,
        standstill: Duration?, _ records: @escaping RecordSink
    ) async throws(CommandError) -> ExitCode {
        let peer = try await contact(who)
        for path in paths {
            let code = await DiskLane.of(path).value(within: .seconds(10)) { access(path, R_OK) == 0 ? 0 : errno }
            guard code != 0 else {
                if await Confinement.hides(path) { throw CommandError(ChatError.outOfReach(path: path), about: who) }
                continue
            }
            throw CommandError(ChatError.cannotRead(path: path, errno: code ?? ETIMEDOUT), about: who)
        }
        // Events are asked for first, so that none can be missed.
        let events = await service.events()
        let waiting = FilesWaiting()
        for path in paths {
            do throws(CommandError) {
                waiting.add(try await offer(path, as: name(path), caption: caption, to: peer, who, waiting, records))
            } catch {
                waiting.fail(error)
                break
            }
        }
        guard let timeout else { return try waiting.result() }
        return try await wait(
            for: waiting, to: who, peer, EventWait(timeout), standstill: standstill ?? Self.stallLimit, events, records)
    }

    /// Goes on waiting for files that are offered.
    func wait(
        forFiles messages: [ChatMessage], to who: String, _ peer: Peer, _ wait: EventWait, standstill: Duration,
        _ events: AsyncStream<ChatEvent>, _ records: @escaping RecordSink
    ) async throws(CommandError) -> ExitCode {
        let waiting = FilesWaiting()
        waiting.add(messages)
        let current = try await currentRecords()
        for message in messages {
            guard case .file(let transfer) = message.content else { continue }
            if waiting.noteOffered(message) { wait.extend(by: standstill) }
            guard let outcome = Self.outcome(of: transfer) else { continue }
            await records(current.record(of: message))
            _ = waiting.note(outcome, of: message.id)
        }
        return try await self.wait(for: waiting, to: who, peer, wait, standstill: standstill, events, records)
    }

    private func wait(
        for waiting: FilesWaiting, to who: String, _ peer: Peer, _ wait: EventWait, standstill: Duration,
        _ events: AsyncStream<ChatEvent>, _ records: @escaping RecordSink
    ) async throws(CommandError) -> ExitCode {
        guard waiting.isWaiting else { return try waiting.result() }
        if peer.trust == .keyChanged { throw Self.keyChanged(who) }
        if await holdsBack(peer.id) { throw Self.unverified(who) }
        let count = waiting.count
        let end = await wait.first(in: events) { event -> Bool? in
            switch event {
            case .messageChanged(let changed):
                guard waiting.contains(changed.id), case .file(let transfer) = changed.content else { return nil }
                // The peer has the offer: from now on only standing still counts.
                if waiting.noteOffered(changed) { wait.extend(by: standstill) }
                if transfer.state.isFinal || waiting.isNewPause(transfer), let current = try? await currentRecords() {
                    await records(current.record(of: changed))
                }
                var outcome = Self.outcome(of: transfer)
                if case .failed = changed.state { outcome = Self.outcome(of: changed.state, who) }
                return waiting.note(outcome, of: changed.id) ? true : nil
            case .transferProgress(let progress):
                guard waiting.contains(progress.id) else { return nil }
                if waiting.isNewProgress(progress) { wait.extend(by: standstill) }
                await records(Records.progress(progress))
                return nil
            case .notice(.keyChanged(peer.id)):
                waiting.fail(Self.keyChanged(who))
                return true
            case .messagesDeleted(peer.id), .conversationsChanged:
                // With a contact everything goes, so that one stands for all: this happens often.
                if case .conversationsChanged = event {
                    guard let id = waiting.ids.first, await deletion(of: id, peer) != nil else { return nil }
                }
                for id in waiting.ids {
                    guard let error = await deletion(of: id, peer) else { continue }
                    if waiting.note(.failed(error), of: id) { return true }
                }
                return nil
            default: return nil
            }
        }
        guard end != nil else {
            // What could not be offered is not queued, and would be taken for it.
            _ = try waiting.result()
            let what = count == 1 ? "the file" : "all files"
            guard !waiting.areOffered else {
                throw CommandError(
                    .queued, peer.name,
                    "offered, \(what) not there within \(standstill.inSeconds) s: they have not accepted it, or it stalled",
                    advice: "it resumes when they do: blipchat transfers list shows it")
            }
            throw await queued(peer, what: what, after: wait.lastTimeout)
        }
        return try waiting.result()
    }

    /// A folder is offered as the set of its files.
    private func offer(
        _ path: String, as name: String?, caption: String, to peer: Peer, _ who: String, _ waiting: FilesWaiting,
        _ records: RecordSink
    ) async throws(CommandError) -> [ChatMessage] {
        let isFolder = await DiskLane.of(path).value(within: .seconds(10)) { () -> Bool in
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
        guard isFolder == true else {
            let message = try await ask(.sendFile(at: path, named: name, caption: caption, to: peer.id), about: who)
            await records(try await currentRecords().record(of: message))
            return [message]
        }
        guard name == nil else {
            throw CommandError(.usage, "--name", "only for a file", advice: "a folder keeps its name")
        }
        let offer = try await ask(.sendFolder(at: path, caption: caption, to: peer.id), about: who)
        await records(Records.folder(path, offer))
        for file in offer.leftOut { await records(Records.leftOut(file)) }
        // What can be sent is sent all the same, and waited for.
        if !offer.leftOut.isEmpty { waiting.fail(.incompleteFolder(path, leftOut: offer.leftOut.count)) }
        let current = try await currentRecords()
        for message in offer.messages { await records(current.record(of: message)) }
        return offer.messages
    }

    /// What has become of a transfer, as the result of a command; `nil` while it is not decided.
    static func outcome(of transfer: FileTransfer) -> ControlResult? {
        let name = transfer.name
        switch transfer.state {
        case .offered, .accepted, .running, .paused: return nil
        case .complete: return .done(.done)
        case .declined where transfer.direction == .incoming:
            return .failed(CommandError(.negative, name, "you declined the file"))
        case .declined:
            return .failed(CommandError(.refused, name, "the peer declined the file", advice: "ask them why"))
        case .cancelled:
            // Only what the peer says comes with a reason.
            let refusal = transfer.reason.map { CommandError(.refused, name, $0.words) }
            return .failed(refusal ?? CommandError(.negative, name, "you cancelled the transfer"))
        case .failed: return .failed(CommandError(exitCode(of: transfer), name, transfer.reason?.words ?? "failed"))
        }
    }

    private static func exitCode(of transfer: FileTransfer) -> ExitCode {
        switch transfer.reason {
        case .sourceChanged, .sourceGone:
            transfer.direction == .outgoing ? .localIO : .refused
        case .digestDiffers: .integrity
        default: .network
        }
    }
}

extension FileTransfer {
    /// Somebody has to do something before it goes on.
    fileprivate var isPaused: Bool {
        state == .paused || (state == .accepted && reason?.isPauseOfReceiver == true)
    }
}

/// The files of one command that are not transferred yet, and the first thing that went wrong.
private final class FilesWaiting: Sendable {
    private struct State {
        var ids: Set<MessageID> = []
        var areOffered = false
        /// Those that either side has paused, as far as it was told.
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

    /// Whether a file has been paused since it was last looked at: whoever watches a bar is to know why it stands still.
    func isNewPause(_ transfer: FileTransfer) -> Bool {
        state.withLock { state in
            guard transfer.isPaused else {
                state.paused.remove(transfer.id)
                return false
            }
            return state.paused.insert(transfer.id).inserted
        }
    }

    /// Whether anything has moved: that a file stands still is told again and again, too.
    func isNewProgress(_ progress: TransferProgress) -> Bool {
        state.withLock { $0.transferred.updateValue(progress.transferred, forKey: progress.id) != progress.transferred }
    }

    var isWaiting: Bool { count > 0 }
    var count: Int { ids.count }
    var ids: Set<MessageID> { state.withLock { $0.ids } }

    func fail(_ error: CommandError) { state.withLock { $0.failure = $0.failure ?? error } }

    /// Takes down what became of a file; `true` when it was the last one.
    func note(_ outcome: ControlResult?, of id: MessageID) -> Bool {
        guard let outcome else { return false }
        if case .failed(let error) = outcome { fail(error) }
        return state.withLock { state in
            state.ids.remove(id)
            return state.ids.isEmpty
        }
    }

    func result() throws(CommandError) -> ExitCode {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return .done
    }
}
