// What a sending command says when it is interrupted: what is stored goes out all the same.

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI
import Glibc
import Synchronization

/// Watches for SIGINT and SIGTERM while something is sent, by one or more operations. They end the process, with
/// `ExitCode.interrupted` and `ExitCode.terminated`.
final class InterruptedSending: Sendable {
    private let streams: StandardStreams
    private let messages = Mutex(UnsettledMessages())
    private let pipe = Mutex<SignalPipe?>(nil)

    private init(_ streams: StandardStreams) { self.streams = streams }

    /// Signals that the caller ignores (nohup, jobs of scripts in the background) stay ignored.
    @ScreenActor static func watch(_ streams: StandardStreams) throws(CommandError) -> InterruptedSending {
        let watch = InterruptedSending(streams)
        EndingOutput.watch()
        let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
        let signals = [SIGINT, SIGTERM].filter { number in
            var action = sigaction()
            return sigaction(number, nil, &action) == 0
                && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != ignored
        }
        do {
            let pipe = try SignalPipe(signals) { number in watch.leave(number) }
            watch.pipe.withLock { $0 = pipe }
        } catch {
            throw CommandError(.localIO, "signals", "\(error)")
        }
        return watch
    }

    /// A message is on this disk; its own record says later what becomes of it.
    func noteStored(_ id: MessageID) { messages.withLock { $0.noteStored(id) } }

    /// Notes the present state of a message of any of the operations.
    func note(_ message: ChatMessage) { messages.withLock { $0.note(message) } }

    /// Gives the signals back.
    func end() async {
        let pipe = pipe.withLock { $0 }
        await pipe?.stop()
    }

    private func leave(_ number: Int32) {
        let queued = messages.withLock { $0.sentence }
        EndingOutput.begin()
        streams.note(
            queued.map {
                "blipchat: interrupted; queued: \($0) (it goes out when blipchat is running and can reach them)"
            }
                ?? "blipchat: interrupted (blipchat status shows whether anything is queued)")
        _exit((number == SIGINT ? ExitCode.interrupted : .terminated).rawValue)
    }
}

/// Follows messages and offers from when they are stored until nothing more becomes of them.
struct UnsettledMessages: Sendable {
    /// Names in a sentence.
    private static let named = 10

    /// In the order in which they were stored.
    private(set) var ids: [MessageID] = []

    mutating func noteStored(_ id: MessageID) {
        if !ids.contains(id) { ids.append(id) }
    }

    mutating func note(_ message: ChatMessage) {
        let id = message.id
        if isSettled(message) { ids.removeAll { $0 == id } } else { noteStored(id) }
    }

    /// Nothing more goes out of it.
    private func isSettled(_ message: ChatMessage) -> Bool {
        // A message that somebody else has sent is theirs.
        guard message.direction == .outgoing else { return true }
        if case .file(let transfer) = message.content { return transfer.state.isFinal }
        return switch message.state {
        case .pending, .sent: false
        case .delivered, .read, .failed: true
        }
    }

    /// Their names; of many only the first. `nil` when there are none.
    var sentence: String? {
        guard !ids.isEmpty else { return nil }
        let names = ids.prefix(Self.named).map(\.text).joined(separator: " ")
        return ids.count > Self.named ? "\(names) and \(ids.count - Self.named) more" : names
    }
}
