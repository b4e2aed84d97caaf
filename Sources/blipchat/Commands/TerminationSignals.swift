// The signals that ask a long-running command to end, as something to wait for; and SIGHUP, to read its settings again.

import ChatSettings
import ChatTUI
import Glibc

/// SIGINT and SIGTERM as something to wait for.
struct TerminationSignals: Sendable {
    private let numbers: AsyncStream<Int32>
    private let pipe: SignalPipe

    /// From now on they do not end the process by themselves; with `onHangUp`, SIGHUP does not either.
    @ScreenActor static func take(
        onHangUp: (@ScreenActor () -> Void)? = nil
    ) throws(CommandError) -> TerminationSignals {
        let (numbers, source) = AsyncStream<Int32>.makeStream()
        EndingOutput.watch()
        do {
            return TerminationSignals(
                numbers: numbers,
                pipe: try SignalPipe([SIGINT, SIGTERM] + (onHangUp == nil ? [] : [SIGHUP])) { number in
                    guard number != SIGHUP else {
                        onHangUp?()
                        return
                    }
                    EndingOutput.begin()
                    source.yield(number)
                })
        } catch {
            throw CommandError(.localIO, "signals", "\(error)")
        }
    }

    /// Returns the first of them, as an exit code; the next one ends the process again. `nil` when the task is
    /// cancelled before.
    @discardableResult
    func wait() async -> ExitCode? {
        var code: ExitCode?
        for await number in numbers {
            code = number == SIGINT ? .interrupted : .terminated
            break
        }
        await pipe.stop()
        return code
    }
}
