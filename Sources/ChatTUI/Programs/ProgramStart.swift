// How the screen starts other programs: its editor, what opens a link, what notifies, what checks the spelling; and the host of the chat starts tor.

import CLinux
import ChatWords
package import Glibc

/// Starting a program with its signals as at the start of a shell, whatever this process does with its own.
package enum ProgramStart {
    /// POSIX_SPAWN_SETSID of spawn.h, which the Glibc module leaves out.
    private static let newSession: Int32 = 0x80

    /// The input and output of a program.
    package enum Streams {
        /// The terminal, as we have it.
        case terminal
        /// Nothing to read, and what it prints goes nowhere.
        case nothing
        /// These ends of pipes; they stay open here.
        case pipes(input: Int32, output: Int32, errors: Int32)
        /// These two and no third, nor any variable but those that say where libraries are.
        case alone(input: Int32, output: Int32)
    }

    /// Variables that a program needs even if it knows nothing of its user.
    private static let libraryVariables = ["LD_LIBRARY_PATH", "GDK_PIXBUF_MODULE_FILE", "GDK_PIXBUF_MODULEDIR"]

    /// Starts `words`: the program, found by PATH, and its arguments. Returns the system's error number, or 0 and the
    /// process that somebody has to wait for.
    ///
    /// A program without the terminal gets a session of its own: the terminal's keys and its end are not for it.
    package static func start(_ words: [String], _ streams: Streams) -> (code: Int32, process: pid_t) {
        guard let program = words.first, !words.contains(where: { $0.utf8.contains(0) }) else { return (EINVAL, 0) }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return (ENOMEM, 0) }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return (ENOMEM, 0) }
        defer { posix_spawnattr_destroy(&attributes) }
        var flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
        let descriptors = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        switch streams {
        case .terminal: break
        case .nothing:
            flags |= newSession
            for descriptor in descriptors {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            }
        case .pipes(let input, let output, let errors):
            flags |= newSession
            for (descriptor, end) in zip(descriptors, [input, output, errors]) {
                posix_spawn_file_actions_adddup2(&actions, end, descriptor)
            }
        case .alone(let input, let output):
            flags |= newSession
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
            _ = clinux_spawn_close_from(&actions, STDERR_FILENO)
        }
        var all = sigset_t()
        var none = sigset_t()
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        guard case .alone = streams else {
            return (posix_spawnp(&process, program, &actions, &attributes, arguments, environ), process)
        }
        var variables = libraryVariables.compactMap { name in
            getenv(name).map { strdup("\(name)=\(String(cString: $0))") }
        }
        variables.append(nil)
        defer { for variable in variables { free(variable) } }
        return (posix_spawnp(&process, program, &actions, &attributes, arguments, variables), process)
    }
}
