// Starts the user's programs (notify.command, open_command): without a shell, away from the terminal.

import Glibc

/// Runs programs beside the screen. What they print goes nowhere; how they end does not matter.
@MainActor
final class ProgramLauncher {
    /// More at once are a mistake somewhere.
    private static let limit = 32
    /// POSIX_SPAWN_SETSID of spawn.h, which the Glibc module leaves out.
    private static let newSession: Int32 = 0x80

    private var running: [pid_t] = []

    /// Starts `words`: the program, found by PATH, and its arguments. Returns the system's error number, or 0.
    func launch(_ words: [String]) -> Int32 {
        reap()
        guard let program = words.first, !words.contains(where: { $0.utf8.contains(0) }) else { return EINVAL }
        guard running.count < Self.limit else { return EAGAIN }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return ENOMEM }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return ENOMEM }
        defer { posix_spawnattr_destroy(&attributes) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // A session of its own: the terminal's keys and its end are not for it. Signals are as at the start of a shell.
        var all = sigset_t()
        var none = sigset_t()
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(Self.newSession | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)))
        var arguments = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, program, &actions, &attributes, arguments, environ)
        if code == 0 { running.append(process) }
        return code
    }

    /// Takes notice of those that have ended.
    private func reap() {
        running.removeAll { waitpid($0, nil, WNOHANG) != 0 }
    }
}
