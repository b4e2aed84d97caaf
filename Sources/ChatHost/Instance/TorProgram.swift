// tor as a child of ours, in a folder of its own (REACH 5), or that of our user's.

package import BLIPNet
package import ChatCore
import ChatSettings
import ChatTUI
import Dispatch
import Glibc
import Synchronization

/// Starts tor.
package struct TorProgram: TorProviding {
    /// Waits for disks and for children.
    private static let queue = DispatchQueue(label: "blipchat.tor", attributes: .concurrent)
    /// Bytes of a file of tor's that are read.
    private static let fileLimit = 65_536

    /// Its folder: keys of its own, what it knows of the network, and our sockets.
    private let folder: String

    /// Says where the program is.
    private let program: @Sendable () -> String?

    package init(folder: String, program: @escaping @Sendable () -> String? = { TorProgram.path }) {
        self.folder = folder
        self.program = program
    }

    package func start(at control: Endpoint?) async throws(OnionProblem) -> any RunningTor {
        if let control { return OwnersTor(control: control) }
        let (folder, program, queue) = (folder, program, Self.queue)
        let result: Result<TorChild, OnionProblem> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(OnionProblem) {
                    continuation.resume(returning: .success(try TorChild.start(program(), in: folder, queue)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    package func read(_ path: String) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            Self.queue.async {
                do throws(SystemError) {
                    continuation.resume(returning: try SmallFile.contents(of: path, limit: Self.fileLimit).get())
                } catch {
                    continuation.resume(returning: nil)
                }
            }
        }
    }

    /// Where the program is; `nil`: it is not installed. Debian has it where users have no programs.
    package static var path: String? { InstalledProgram.path(of: "tor") }
}

/// A tor of our user's.
private struct OwnersTor: RunningTor {
    let control: Endpoint
    var socks: Endpoint? { nil }
    /// It may run as another user, who cannot reach a socket of ours.
    var door: Endpoint { .host("127.0.0.1", port: 0) }
    func door(ofWords number: Int) -> Endpoint { door }
    var isOurs: Bool { false }
    func waitUntilReady() async throws(OnionProblem) {}
    func end() async -> OnionProblem? { nil }
    func stop() async {}
}

/// A tor that we have started.
private final class TorChild: RunningTor {
    private struct State {
        var hasEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// How long it may take until there is a control port, and until it has ended.
    private static let openingTime = Duration.seconds(30)
    private static let endingTime = 5

    private let folder: String
    private let process: pid_t
    private let queue: DispatchQueue
    private let state = Mutex(State())

    private init(folder: String, process: pid_t, queue: DispatchQueue) {
        self.folder = folder
        self.process = process
        self.queue = queue
    }

    /// Starts the program. First removes the files that an earlier one has left: whatever is there later is of this
    /// one.
    static func start(
        _ program: String?, in folder: String, _ queue: DispatchQueue
    ) throws(OnionProblem) -> TorChild {
        guard let program else { throw .notInstalled }
        do throws(CommandError) { try HomePaths.createFolder(folder) } catch {
            throw .refused(reason: "\(folder) cannot be made")
        }
        guard chmod(folder, 0o700) == 0 else { throw .refused(reason: "\(folder) is not ours") }
        for name in ["control", "socks", "callers", "cookie"] { unlink("\(folder)/\(name)") }
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        let log = open("\(folder)/log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { for descriptor in [nothing, log] where descriptor >= 0 { close(descriptor) } }
        guard nothing >= 0, log >= 0 else { throw .refused(reason: "\(folder) cannot be written to") }
        let (code, process) = ProgramStart.start(
            [program] + words(folder), .pipes(input: nothing, output: log, errors: log))
        switch code {
        case 0: break
        case EACCES, EPERM: throw .programKept
        case ENOENT: throw .notInstalled
        default: throw .refused(reason: "tor cannot be started: \(String(cString: strerror(code)))")
        }
        let child = TorChild(folder: folder, process: process, queue: queue)
        queue.async { child.wait() }
        return child
    }

    /// Our user may write lines of their own (bridges, say) into `torrc` in the folder. Our options take precedence.
    private static func words(_ folder: String) -> [String] {
        [
            "--defaults-torrc", "\(folder)/defaults", "-f", "\(folder)/torrc", "--ignore-missing-torrc",
            "--DataDirectory", folder,
            "--SocksPort", "unix:\"\(folder)/socks\" ExtendedErrors",
            "--ControlPort", "unix:\"\(folder)/control\"",
            "--CookieAuthentication", "1", "--CookieAuthFile", "\(folder)/cookie",
            "--ClientOnly", "1", "--Log", "warn stdout", "--__OwningControllerProcess", "\(getpid())",
        ]
    }

    var control: Endpoint { .unix(path: "\(folder)/control") }
    var socks: Endpoint? { .unix(path: "\(folder)/socks") }
    var door: Endpoint { door("callers") }
    func door(ofWords number: Int) -> Endpoint { door("words\(number)") }
    /// tor cannot take a path with blanks.
    private func door(_ name: String) -> Endpoint {
        folder.contains(" ") ? .host("127.0.0.1", port: 0) : .unix(path: "\(folder)/\(name)")
    }
    var isOurs: Bool { true }

    func waitUntilReady() async throws(OnionProblem) {
        let limit = MonotonicTime.now() + Self.openingTime
        while await !hasControl() {
            if let end = await end() { throw end }
            guard MonotonicTime.now() < limit else { throw .silent }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { throw .silent }
        }
    }

    private func hasControl() async -> Bool {
        let path = "\(folder)/control"
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: access(path, F_OK) == 0) }
        }
    }

    func end() async -> OnionProblem? {
        guard state.withLock({ $0.hasEnded }) else { return nil }
        let path = "\(folder)/log"
        let words = await TorProgram(folder: folder).lastLine(of: path)
        return .ended(reason: words)
    }

    func stop() async {
        signal(SIGTERM)
        queue.asyncAfter(deadline: .now() + .seconds(Self.endingTime)) { self.signal(SIGKILL) }
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiters.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// No other process gets its number until `wait` has collected its exit status.
    private func signal(_ number: Int32) {
        state.withLock { if !$0.hasEnded { _ = kill(process, number) } }
    }

    /// Waits for its end, on a thread that has nothing else to do.
    private func wait() {
        var information = siginfo_t()
        // Not yet taken away: its number stays its own until nobody can signal it any more.
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.waiters = [] }
            return state.waiters
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        for waiter in waiters { waiter.resume() }
    }
}

extension TorProgram {
    /// The last words that tor has written.
    fileprivate func lastLine(of path: String) async -> String {
        guard let bytes = await read(path), let text = String(validating: bytes, as: UTF8.self) else { return "" }
        let line = text.split(separator: "\n").last.map(String.init) ?? ""
        // `Nov 28 15:59:43.000 [warn] …`: when it was is of no interest.
        let words = line.split(separator: "] ", maxSplits: 1)
        return words.count == 2 ? String(words[1]) : line
    }
}
