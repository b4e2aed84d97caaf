// Starts the user's programs (notify.command, open_command): without a shell, away from the terminal.

import CLinux
import ChatWords
import Dispatch
import Glibc

/// Runs programs beside the screen. Their output goes nowhere. If a program fails soon, it has not done what it was
/// started for, and the launcher calls `failed`; how others end does not matter: a viewer may be closed in any way.
@ScreenActor
final class ProgramLauncher {
    /// More at once are a mistake somewhere.
    private static let limit = 32

    /// A failure later than this is one that the user has seen.
    private let soon: Duration

    private var running: Set<pid_t> = []
    /// Those of `running` whose end their starter wants to hear of: nobody else may collect it.
    private var watched: Set<pid_t> = []

    init(soon: Duration = .seconds(10)) { self.soon = soon }

    /// Starts `words`: the program, found by PATH, and its arguments. Returns the system's error number, or 0. `failed` is
    /// called when it ends within seconds and says that something was wrong, where the system tells of ends at all (Linux
    /// 5.3).
    func launch(_ words: [String], failed: @escaping @ScreenActor (ProgramFailure) -> Void = { _ in }) -> Int32 {
        running = running.filter { watched.contains($0) || Self.end(of: $0) == nil }
        guard running.count < Self.limit else { return EAGAIN }
        let (code, process) = ProgramStart.start(words, .nothing)
        guard code == 0 else { return code }
        running.insert(process)
        watch(process, failed)
        return 0
    }

    /// Takes notice of the end of `process` when it comes, so that it does not stay in the process table. Where the
    /// system has no such descriptors (Linux before 5.3) the next launch does it.
    private func watch(_ process: pid_t, _ failed: @escaping @ScreenActor (ProgramFailure) -> Void) {
        let descriptor = clinux_open_process(process)
        guard descriptor >= 0 else { return }
        watched.insert(process)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: ScreenActor.queue)
        let start = ContinuousClock.now
        source.setEventHandler { [weak self] in
            source.cancel()
            ScreenActor.assumeIsolated {
                guard let self else { return _ = Self.end(of: process) }
                self.watched.remove(process)
                // Without an end the next launch looks for it.
                guard let status = Self.end(of: process) else { return }
                self.running.remove(process)
                if ContinuousClock.now - start < self.soon, let failure = ProgramFailure(status: status) {
                    failed(failure)
                }
            }
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    /// How a process has ended (wait(2)); `nil` while it runs.
    private static func end(of process: pid_t) -> Int32? {
        var status: Int32 = 0
        return waitpid(process, &status, WNOHANG) == 0 ? nil : status
    }
}

/// How a program has ended that did not do what it was started for.
package enum ProgramFailure: Sendable, Equatable {
    case code(Int32)
    case signal(Int32)

    /// From what wait(2) says; `nil` for a program that has ended well.
    init?(status: Int32) {
        let signal = status & 0x7F
        let code = (status >> 8) & 0xFF
        if signal != 0 { self = .signal(signal) } else if code != 0 { self = .code(code) } else { return nil }
    }
}
