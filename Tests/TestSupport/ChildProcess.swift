// Another process of a test, with its output in files so that nothing blocks and nothing is lost.

import CLinux
import Glibc

/// How a process ended.
package enum ExitStatus: Sendable, Equatable {
    case exited(Int32)
    case signalled(Int32)
}

/// A process and what it has printed. It is killed when the value goes away.
package final class ChildProcess {
    package let processID: Int32
    private let outputPath: String?
    private let errorPath: String?
    private var status: ExitStatus?

    /// Starts `command` (its first word is a path or a name in PATH) with exactly this environment.
    ///
    /// `folder` takes the output files; `input` is the file that it reads, else it reads nothing. A kernel may share the
    /// processors out by session first (sched(7), autogroup).
    package convenience init(
        _ command: [String], environment: [String: String], folder: TemporaryDirectory, input: String = "/dev/null",
        inOwnSession: Bool = false
    ) throws {
        let number = OutputNumber.next()
        let output = folder.file("out-\(number)")
        let error = folder.file("err-\(number)")
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_addopen(&files, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&files, 2, error, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
        // What the runner has open is not the child's: it counts how many it may open, and reads numbers it is given.
        _ = clinux_spawn_close_from(&files, 3)
        let flags = inOwnSession ? Int32(clinux_spawn_setsid()) : 0
        let processID = try Self.spawn(command, environment: environment, files: &files, flags: flags)
        self.init(processID: processID, output: output, error: error)
    }

    init(processID: Int32, output: String?, error: String?) {
        self.processID = processID
        outputPath = output
        errorPath = error
    }

    deinit {
        guard poll() == nil else { return }
        kill(processID, SIGKILL)
        var ignored: Int32 = 0
        waitpid(processID, &ignored, 0)
    }

    /// What it has written to standard output so far.
    package var output: String { outputPath.map(TestFile.text) ?? "" }
    package var outputBytes: [UInt8] { outputPath.map(TestFile.read) ?? [] }
    package var outputLines: [Substring] { output.split(separator: "\n") }
    /// What it has written to standard error so far.
    package var errorOutput: String { errorPath.map(TestFile.text) ?? "" }

    package func signal(_ number: Int32) {
        if poll() == nil { kill(processID, number) }
    }

    package var isRunning: Bool { poll() == nil }

    /// How it ended; `nil` while it runs.
    package func poll() -> ExitStatus? {
        if let status { return status }
        var raw: Int32 = 0
        guard waitpid(processID, &raw, WNOHANG) == processID else { return nil }
        let signal = clinux_wait_status_signal(raw)
        status = signal != 0 ? .signalled(signal) : .exited(clinux_wait_status_code(raw))
        return status
    }

    /// Waits for its end; fails the test by throwing when it takes longer than `timeout`.
    @discardableResult
    package func waitForExit(timeout: Duration = patience) async throws -> ExitStatus {
        try await eventuallyGet(
            "process \(processID) ends", timeout: timeout,
            state: { "stdout:\n\(output)\nstderr:\n\(errorOutput)" }, { poll() })
    }

    static func spawn(
        _ command: [String], environment: [String: String], files: inout posix_spawn_file_actions_t, flags: Int32
    ) throws -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A test runner may block or ignore signals; the child starts like from a shell.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let signals = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: signals | flags))
        var arguments = command.map { strdup($0) } + [nil]
        // What a sanitizer is to overlook here it is to overlook there.
        var environment = environment
        for name in ["TSAN_OPTIONS", "ASAN_OPTIONS"] where environment[name] == nil {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        var variables = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for text in arguments { free(text) }
            for text in variables { free(text) }
        }
        var processID: Int32 = 0
        let program = command.first ?? ""
        let code = posix_spawnp(&processID, program, &files, &attributes, &arguments, &variables)
        guard code == 0 else { throw SystemFailure("posix_spawn \(program)", code: code) }
        return processID
    }
}

/// Numbers for output files, so that two processes of one folder do not share them.
private enum OutputNumber {
    static func next() -> UInt64 { UInt64.random(in: 0 ... .max) }
}
