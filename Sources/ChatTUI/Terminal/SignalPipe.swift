// Brings signals to the screen: the handler writes the signal's number into a pipe that a dispatch source reads.
// Unlike blocked signals and signalfd this leaves no traces in child processes and works whichever thread is hit.

import CLinux
import ChatWords
import Dispatch
import Glibc

/// Delivers signals to the screen actor between `init` and `stop`. There is one at a time in a process.
///
/// No mask is touched: Dispatch blocks signals in its threads, also in the one that the actor happens to run on,
/// and leaves them to the first thread of the process, which waits with all of them open.
@ScreenActor
package final class SignalPipe {
    /// The write end, for the handler; -1 when there is none.
    private nonisolated(unsafe) static let writeEnd: UnsafeMutablePointer<Int32> = {
        let memory = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        memory.initialize(to: -1)
        return memory
    }()

    /// Runs on any thread, so it must not belong to the actor. Async-signal-safe.
    private nonisolated static let handler: @convention(c) (Int32) -> Void = { number in
        let savedError = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.writeEnd.pointee, &byte, 1)
        errno = savedError
    }

    private let source: any DispatchSourceRead
    private var former: [(number: Int32, action: sigaction)] = []
    private var isStopped = false

    /// Handles `signals` until `stop()`. Fails with `errno` when there is no descriptor left.
    package init(_ signals: [Int32], onSignal: @escaping @ScreenActor (Int32) -> Void) throws(TerminalError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system(errno: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = clinux_set_nonblocking(end)
        }
        let readEnd = ends[0]
        let writeEnd = ends[1]
        Self.writeEnd.pointee = writeEnd
        source = DispatchSource.makeReadSource(fileDescriptor: readEnd, queue: ScreenActor.queue)
        source.setEventHandler {
            var numbers = [UInt8](repeating: 0, count: 64)
            let count = read(readEnd, &numbers, numbers.count)
            guard count > 0 else { return }
            ScreenActor.assumeIsolated { numbers.prefix(count).forEach { onSignal(Int32($0)) } }
        }
        source.setCancelHandler {
            close(readEnd)
            close(writeEnd)
        }
        former = signals.map { ($0, Self.catchSignal($0)) }
        source.resume()
    }

    /// Installs the handler and returns what was there before.
    private static func catchSignal(_ number: Int32) -> sigaction {
        var action = sigaction()
        var old = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = SA_RESTART
        sigaction(number, &action, &old)
        return old
    }

    /// Lets a signal do what it does by itself, until `take`.
    func leave(_ number: Int32) { signal(number, SIG_DFL) }

    /// Handles a signal again after `leave`.
    func take(_ number: Int32) { if !isStopped { _ = Self.catchSignal(number) } }

    /// Gives the signals back to whoever had them before.
    package func stop() {
        guard !isStopped else { return }
        isStopped = true
        for (number, action) in former {
            var action = action
            sigaction(number, &action, nil)
        }
        Self.writeEnd.pointee = -1
        source.cancel()
    }
}
