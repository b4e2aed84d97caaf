// How a real process is started so that something goes wrong with it at its Nth system call.

import Glibc
import TestSupport
import Testing

/// Words before the command line, and variables beside the environment.
struct Injection: CustomStringConvertible {
    /// The kinds of calls that our injector counts, in the order of its board (Tests/CFaultInjector).
    enum Call: String, CaseIterable, Sendable {
        case write, sync, open, rename, truncate
    }

    enum Action: String, Sendable, CaseIterable {
        case inputOutput = "EIO"
        case noSpace = "ENOSPC"
        case tooManyFiles = "EMFILE"
        /// Half of the bytes are written.
        case short
        case kill
    }

    let description: String
    fileprivate(set) var wrapper: [String] = []
    fileprivate(set) var environment: [String: String] = [:]

    static let none = Injection(description: "nothing")

    /// `strace` kills the process when one of its threads begins its Nth call that changes something outside.
    static func straceKill(at number: Int) -> Injection {
        let calls =
            "write,pwrite64,writev,sendto,sendmsg,fsync,fdatasync,ftruncate,rename,renameat2,openat,openat2,unlink"
        return Injection(
            description: "strace kills at call \(number)",
            // -D: the program is our child and strace is not, so its end is what we see.
            wrapper: [
                "strace", "-D", "-f", "-qq", "-o", "/dev/null", "--seccomp-bpf", "-e", "trace=\(calls)", "-e",
                "inject=\(calls):signal=KILL:when=\(number)",
            ])
    }

    /// Nothing goes wrong; `strace` writes these calls down, descriptors with their paths.
    static func tracing(_ calls: String, to log: String) -> Injection {
        Injection(
            description: "traced", wrapper: ["strace", "-f", "-y", "-s", "300", "-o", log, "-e", "trace=\(calls)"])
    }

    /// Our injector lets the Nth call of a kind on files below `root` fail, and the `count` - 1 that follow; `board`
    /// counts.
    static func preload(
        _ call: Call, _ action: Action, at number: Int, count: Int = 1, root: String, board: Board
    ) throws -> Injection {
        var injection = try counting(root: root, board: board)
        injection.environment["BLIPCHAT_FAULT"] = "\(call.rawValue):\(action.rawValue):\(number):\(count)"
        return Injection(
            description: "\(call.rawValue) \(number): \(action.rawValue)", environment: injection.environment)
    }

    /// Below `root` there are no hard links, and renaming cannot refuse to overwrite.
    static func plainDisk(root: String, board: Board) throws -> Injection {
        var injection = try counting(root: root, board: board)
        injection.environment["BLIPCHAT_FAULT_PLAIN"] = "1"
        return Injection(description: "a plain disk", environment: injection.environment)
    }

    /// Nothing at `path` or below it can be opened until the file `path.awake` is there.
    static func hangingDisk(at path: String, root: String, board: Board) throws -> Injection {
        var injection = try counting(root: root, board: board)
        injection.environment["BLIPCHAT_FAULT_HANG"] = path
        return Injection(description: "a disk that does not answer", environment: injection.environment)
    }

    /// Only counts, from 0.
    static func counting(root: String, board: Board) throws -> Injection {
        guard let library = injectorPath else { throw ConditionNotMet("libFaultInjector.so is built") }
        try board.clear()
        return Injection(
            description: "counted",
            environment: [
                "LD_PRELOAD": library, "BLIPCHAT_FAULT_ROOT": root, "BLIPCHAT_FAULT_BOARD": board.path,
                // The board lies where a confined serve may not write (Docs/decisions/0024).
                "BLIPCHAT_KEPT": "1",
            ])
    }

    private static let injectorPath = BuiltProgram.path("libFaultInjector.so", variable: "BLIPCHAT_FAULT_INJECTOR")

    /// Whether this machine lets strace look into a process (containers often do not).
    static func canTrace() async throws -> Bool {
        let folder = try TemporaryDirectory()
        guard
            let process = try? ChildProcess(
                ["strace", "-f", "-o", "/dev/null", "true"], environment: ["PATH": "/usr/bin:/bin"], folder: folder)
        else { return false }
        return try await process.waitForExit() == .exited(0)
    }

    /// The memory that the injector shares with us.
    final class Board {
        let path: String
        private static let size = (Call.allCases.count + 1) * 8

        init(in folder: TemporaryDirectory) throws {
            path = folder.file("board")
            try clear()
        }

        func clear() throws { try TestFile.write([UInt8](repeating: 0, count: Self.size), to: path) }

        private var words: [UInt64] {
            let bytes = TestFile.read(path)
            guard bytes.count == Self.size else { return [] }
            return bytes.withUnsafeBytes { raw in
                (0..<(Self.size / 8)).map { raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
            }
        }

        /// Calls of a kind so far.
        func calls(_ call: Call) -> Int {
            guard let index = Call.allCases.firstIndex(of: call) else { return 0 }
            return words.indices.contains(index) ? Int(clamping: words[index]) : 0
        }

        /// The same of every kind.
        var calls: [Call: Int] {
            Dictionary(uniqueKeysWithValues: Call.allCases.map { ($0, calls($0)) })
        }

        /// How many were made to fail.
        var fired: Int { Int(clamping: words.last ?? 0) }
    }
}

extension BlipchatHome {
    var historyPath: String { path + "/history.sqlite" }

    /// Makes the home with these settings.
    func writeConfiguration(_ text: String) throws {
        guard mkdir(path, 0o700) == 0 else { throw SystemFailure("mkdir \(path)") }
        try TestFile.write(text, to: path + "/config.toml")
    }

    func start(_ arguments: [String], with injection: Injection, input: String = "/dev/null") throws -> ChildProcess {
        try ChildProcess(
            injection.wrapper + [command] + arguments,
            environment: environment.merging(injection.environment) { _, new in new }, folder: folder, input: input)
    }

    /// Starts `serve` without waiting for it.
    func serve(
        host: String = "127.0.0.1", port: UInt16, _ options: String..., with injection: Injection = .none
    ) throws -> ChildProcess {
        try start(["serve", "--listen", "\(host):\(port)"] + options, with: injection)
    }

    /// The one sentence of a command that failed, or nothing of one that did not: never a trap, never a signal.
    func expectOrderlyEnd(
        _ process: ChildProcess, _ status: TestSupport.ExitStatus, _ what: String,
        allowed: Set<Int32> = [0, 3, 4, 7, 8, 9],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .exited(let code) = status, allowed.contains(code) else {
            Issue.record("\(what): \(status)\n\(process.errorOutput)", sourceLocation: sourceLocation)
            return
        }
        guard code != 0 else { return }
        let last = process.errorOutput.split(separator: "\n").last ?? ""
        #expect(last.hasPrefix("blipchat: "), "\(what): \(process.errorOutput)", sourceLocation: sourceLocation)
    }
}

extension ChildProcess {
    /// It has printed where it listens.
    var isListening: Bool { output.hasPrefix("listening ") && output.hasSuffix("\n") }

    func waitUntilListening() async throws {
        try await eventually(
            "serve is ready", state: { "\(String(describing: self.poll())) \(self.errorOutput)" }
        ) { self.isListening }
    }

    /// SIGKILL, and waits.
    func killNow() async throws {
        signal(SIGKILL)
        try await waitForExit()
    }
}
