// Opens files with the user's own programs: without a shell, with one argument, away from our terminal.

import CLinux
import Dispatch
import Glibc

enum ExternalProgram {
    /// Starts `command` (words with quotes as on a command line) with `argument` behind it, and does not wait for its
    /// end. Returns why it did not start, in words.
    static func open(_ argument: String, with command: String) -> String? {
        var scanner = ArgumentScanner(command)
        let words = scanner.all() + [argument]
        guard words.count > 1, let program = words.first else { return "no program is set (open_command)" }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // A session of its own: it outlives the screen, and Ctrl-c does not reach it.
        posix_spawnattr_setflags(&attributes, clinux_spawn_setsid())
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, program, &actions, &attributes, &arguments, environ)
        guard code == 0 else { return "\(program): \(Sentences.words(forErrno: code))" }
        reap(process)
        return nil
    }

    /// Takes the ended process from the system's list, whenever it ends.
    private static func reap(_ process: pid_t) {
        DispatchQueue(label: "opened program").async {
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
    }
}
