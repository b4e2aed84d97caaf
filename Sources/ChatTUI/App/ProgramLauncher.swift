// Starts the user's programs (notify.command, open_command): without a shell, away from the terminal.

import Glibc

/// Runs programs beside the screen. What they print goes nowhere; how they end does not matter.
@ScreenActor
final class ProgramLauncher {
    /// More at once are a mistake somewhere.
    private static let limit = 32

    private var running: [pid_t] = []

    /// Starts `words`: the program, found by PATH, and its arguments. Returns the system's error number, or 0.
    func launch(_ words: [String]) -> Int32 {
        reap()
        guard running.count < Self.limit else { return EAGAIN }
        let (code, process) = ProgramStart.start(words, .nothing)
        if code == 0 { running.append(process) }
        return code
    }

    /// Takes notice of those that have ended.
    private func reap() {
        running.removeAll { waitpid($0, nil, WNOHANG) != 0 }
    }
}
