// Starts the user's programs (notify.command, open_command): without a shell, away from the terminal.

import CLinux
import Dispatch
import Glibc

/// Runs programs beside the screen. What they print goes nowhere; how they end does not matter.
@ScreenActor
final class ProgramLauncher {
    /// More at once are a mistake somewhere.
    private static let limit = 32

    private var running: Set<pid_t> = []

    /// Starts `words`: the program, found by PATH, and its arguments. Returns the system's error number, or 0.
    func launch(_ words: [String]) -> Int32 {
        running = running.filter { !Self.hasEnded($0) }
        guard running.count < Self.limit else { return EAGAIN }
        let (code, process) = ProgramStart.start(words, .nothing)
        guard code == 0 else { return code }
        running.insert(process)
        watch(process)
        return 0
    }

    /// Takes notice of the end of `process` when it comes, so that it does not stay in the process table. Where the
    /// system has no such descriptors (Linux before 5.3) the next launch does it.
    private func watch(_ process: pid_t) {
        let descriptor = clinux_open_process(process)
        guard descriptor >= 0 else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: ScreenActor.queue)
        source.setEventHandler { [weak self] in
            source.cancel()
            ScreenActor.assumeIsolated {
                // Unless a launch has noticed before: the number may be another process's by now.
                guard let self else { return _ = Self.hasEnded(process) }
                if self.running.contains(process), Self.hasEnded(process) { self.running.remove(process) }
            }
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    private static func hasEnded(_ process: pid_t) -> Bool { waitpid(process, nil, WNOHANG) != 0 }
}
