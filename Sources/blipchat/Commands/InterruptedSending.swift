// What a sending command says when it is interrupted: what is stored goes out all the same.

import ChatCore
import ChatTUI
import Glibc
import Synchronization

/// Watches for SIGINT and SIGTERM while something is sent. They end the process as before.
final class InterruptedSending: Sendable {
    private let streams: StandardStreams
    /// Of what waits and is not delivered yet.
    private let ids = Mutex<[MessageID]>([])
    private let pipe = Mutex<SignalPipe?>(nil)

    private init(_ streams: StandardStreams) { self.streams = streams }

    /// Signals that the caller ignores (nohup, jobs of scripts in the background) stay ignored.
    @ScreenActor static func watch(_ streams: StandardStreams) throws(CommandError) -> InterruptedSending {
        let watch = InterruptedSending(streams)
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

    /// What is stored by now.
    func note(_ stored: [MessageID]) { ids.withLock { $0 = stored } }

    /// Gives the signals back.
    func end() async {
        let pipe = pipe.withLock { $0 }
        await pipe?.stop()
    }

    private func leave(_ number: Int32) {
        let stored = ids.withLock { $0 }.map(\.text)
        streams.note(
            stored.isEmpty
                ? "blipchat: interrupted (blipchat status says whether something is queued)"
                : "blipchat: interrupted; queued: \(stored.joined(separator: " "))"
                    + " (it goes out when blipchat runs and they can be reached)")
        _exit((number == SIGINT ? ExitCode.interrupted : .terminated).rawValue)
    }
}
