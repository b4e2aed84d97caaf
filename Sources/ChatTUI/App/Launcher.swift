// Opens a link or a file in another program: one argument, no shell, nothing of it on our terminal.

import Dispatch
import Glibc

/// Runs the program of `[files] open_command`.
enum Launcher {
    /// Returns when the program has ended: why it failed, in words, or `nil`. A program that stays open (a browser) is
    /// not waited for by anything else.
    static func run(_ program: String, _ argument: String) async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(returning: runAndWait(program, argument))
            }
        }
    }

    /// POSIX_SPAWN_SETSID, which the Glibc module does not show.
    private static let newSession: Int16 = 0x80

    private static func runAndWait(_ program: String, _ argument: String) -> String? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A session of its own: it outlives our terminal, and signals of ours do not reach it.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigfillset(&defaults)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(
            &attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        var process = pid_t()
        let failure = withCStrings([program, argument]) { arguments in
            posix_spawnp(&process, program, &actions, &attributes, arguments, environ)
        }
        guard failure == 0 else { return "\(program): \(Sentences.words(forErrno: failure))" }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        let signal = status & 0x7F
        if signal != 0 { return "\(program) was ended by signal \(signal)" }
        let code = status >> 8 & 0xFF
        return code == 0 ? nil : "\(program) says that it cannot (exit code \(code))"
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
