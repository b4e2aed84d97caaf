// Other processes of a benchmark: this program in another role, or a tool. Talks to them by lines.

internal import CLinux
internal import Glibc

/// A running process whose standard input and output are pipes of ours. Most roles end with their standard input.
final class ChildProgram {
    let processID: pid_t
    private var standardInput: Int32
    private let standardOutput: Int32
    private var received: [UInt8] = []
    private var hasEnded = false

    /// This very executable.
    static let ownPath: String = {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { readlink("/proc/self/exe", $0, 4096) } ?? -1
        }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : "/proc/self/exe"
    }()

    /// Starts this program with other arguments, perhaps as what another program starts (`wrapper`).
    static func role(_ arguments: [String], wrapper: [String] = []) throws -> ChildProgram {
        try ChildProgram(wrapper + [ownPath] + arguments)
    }

    /// Starts `command`, whose first word is a path or a name in PATH.
    init(_ command: [String]) throws {
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw SystemCallFailure("pipe") }
        for descriptor in [toChild[1], fromChild[0]] { _ = clinux_set_close_on_exec(descriptor) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO)
        for descriptor in [toChild[0], fromChild[1]] { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let failure = posix_spawnp(&process, command[0], &actions, nil, &arguments, environ)
        close(toChild[0])
        close(fromChild[1])
        processID = process
        standardInput = toChild[1]
        standardOutput = fromChild[0]
        guard failure == 0 else {
            hasEnded = true
            errno = failure
            throw SystemCallFailure("starting \(command[0])")
        }
    }

    deinit {
        finish()
        close(standardOutput)
    }

    /// The next line that it prints; `nil` at the end of its output.
    func line() -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            var part = [UInt8](repeating: 0, count: 4096)
            let count = read(standardOutput, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            received += part[..<count]
        }
    }

    /// The numbers of the next line.
    func numbers() -> [Int] { (line() ?? "").split(separator: " ").compactMap { Int($0) } }

    func send(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        guard write(standardInput, bytes, bytes.count) == bytes.count else { throw SystemCallFailure("write") }
    }

    /// Ends its input and waits for it; returns its exit code, or -1 when a signal ended it.
    @discardableResult
    func finish() -> Int32 {
        if standardInput >= 0 { close(standardInput) }
        standardInput = -1
        guard !hasEnded else { return exitCode }
        hasEnded = true
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        exitCode = clinux_wait_status_exited(status) != 0 ? clinux_wait_status_code(status) : -1
        return exitCode
    }
    private var exitCode: Int32 = -1

    /// For a program that does not end with its input.
    func terminate() {
        if !hasEnded { kill(processID, SIGTERM) }
        finish()
    }

    // MARK: Resources

    /// Processor time of all its threads so far, in seconds (user and system).
    func processorSeconds() throws -> Double { try ProcessFigures(processID: processID).processorSeconds() }

    /// Resident memory now, in bytes.
    func residentBytes() throws -> Int { try ProcessFigures(processID: processID).residentBytes() }

    /// Where a program is that PATH knows; `nil` when it is not installed.
    static func find(_ name: String) -> String? {
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return folders.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}

/// Files that are read or written as a whole.
enum SmallFile {
    static func read(_ path: String) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCallFailure("open \(path)") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            guard count >= 0 else { throw SystemCallFailure("read \(path)") }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += part[..<count]
        }
    }

    static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemCallFailure("open \(path)") }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw SystemCallFailure("write \(path)")
        }
    }
}

/// Shows what was printed at once, also when the output is a pipe.
func flushOutput() { fflush(nil) }
