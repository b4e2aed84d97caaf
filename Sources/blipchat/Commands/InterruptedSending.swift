// What a sending command says when it is interrupted: what is stored goes out all the same.

import ChatCore
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

    /// Takes a record of any of the operations down.
    func note(_ record: JSONValue) { messages.withLock { $0.note(record) } }

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

/// Follows messages and offers by their records, from when they are stored until nothing more becomes of them.
struct UnsettledMessages: Sendable {
    /// Names in a sentence.
    private static let named = 10
    /// States of messages that go out, or out again.
    private static let states = [DeliveryState.pending, .sent].map(Records.word)

    /// In the order in which they were stored.
    private(set) var ids: [String] = []

    mutating func note(_ record: JSONValue) {
        guard let id = record["id"]?.stringValue else { return }
        let isSettled: Bool
        switch record["type"]?.stringValue {
        case "stored": isSettled = false
        case "message": isSettled = !Self.states.contains(record["state"]?.stringValue ?? "")
        case "file" where record["direction"]?.stringValue == MessageDirection.outgoing.rawValue:
            isSettled = record["state"]?.stringValue.flatMap(FileTransfer.State.init)?.isFinal ?? false
        default: return
        }
        let place = ids.lastIndex(of: id)
        if isSettled, let place { ids.remove(at: place) } else if !isSettled, place == nil { ids.append(id) }
    }

    /// Their names; of many only the first. `nil` when there are none.
    var sentence: String? {
        guard !ids.isEmpty else { return nil }
        let names = ids.prefix(Self.named).joined(separator: " ")
        return ids.count > Self.named ? "\(names) and \(ids.count - Self.named) more" : names
    }
}
