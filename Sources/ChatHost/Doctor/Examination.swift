// Looks at everything of a home and says what is wrong with it and what to do. Changes nothing.

package import BLIPNet
import CLinux
import ChatCore
package import ChatSettings
import ChatTUI
import ChatWords
import Glibc
import Storage

/// One finding.
package struct Finding: Sendable, Equatable {
    package enum Verdict: String, Sendable {
        case ok, warning, error
    }

    package var check: String
    package var verdict: Verdict
    package var text: String
    /// The remedy that the user has.
    package var advice: String?
    /// The exit code of an error.
    package var exit = ExitCode.localIO
    /// `--fix` can put it right.
    var isRepairable = false

    package var record: JSONValue {
        .record([
            "v": 1, "type": "check", "check": .string(check), "verdict": .string(verdict.rawValue),
            "text": .string(text), "advice": advice.map(JSONValue.string) ?? .null, "fixable": .bool(isRepairable),
        ])
    }
}

package struct Examination {
    let paths: HomePaths
    let home: String?
    package private(set) var findings: [Finding] = []
    private var downloads: String
    private var partialKeepDays = Configuration().partialKeepDays
    private var confinesService = Configuration().confinesService
    private var startsTor = false

    package init(paths: HomePaths, home: String?) {
        self.paths = paths
        self.home = home
        downloads = paths.downloads
    }

    package mutating func run() async {
        checkConfiguration()
        // It looks at nothing else: opening a history leaves files beside it.
        guard checkOwner() else { return }
        checkFolders()
        checkKey()
        let isInUse = checkLock()
        await checkConfinement(isInUse: isInUse)
        if isInUse { await checkReach() } else { checkTor() }
        await checkHistory(isInUse: isInUse)
        checkDisk()
        await checkPartials()
        if !isInUse { checkReceived() }
    }

    /// How the terminal draws: for a person before it, not for a script.
    package mutating func checkTerminal() async {
        // Another check reports mistakes in the settings.
        let settings = (try? ConfigurationFile(paths: paths, home: home).read().screen) ?? ScreenSettings()
        let words = await WidthMemory(path: paths.terminals).words(settings)
        if let multiplexer = await TerminalEnvironment.current().multiplexer {
            note("terminal", .ok, "notifications go through \(multiplexer.rawValue)", multiplexer.shortAdvice)
        }
        note("terminal", .ok, words.text, words.isKnown ? nil : "the screen measures them when it starts here")
    }

    fileprivate mutating func note(
        _ check: String, _ verdict: Finding.Verdict, _ text: String, _ advice: String? = nil,
        exit: ExitCode = .localIO, fixable: Bool = false
    ) {
        findings.append(
            Finding(check: check, verdict: verdict, text: text, advice: advice, exit: exit, isRepairable: fixable))
    }

    // MARK: Settings, folders, key, lock

    private mutating func checkConfiguration() {
        let file = ConfigurationFile(paths: paths, home: home)
        do throws(CommandError) {
            let problems = try file.problems()
            for problem in problems {
                note("config", .error, "\(problem.subject): \(problem.reason)", problem.advice, exit: .usage)
            }
            guard problems.isEmpty else { return }
            let settings = try file.read()
            downloads = settings.downloads ?? paths.downloads
            partialKeepDays = settings.partialKeepDays
            confinesService = settings.confinesService
            startsTor = settings.startsTor
            note("config", .ok, SmallFile.exists(paths.configuration) ? paths.configuration : "all defaults")
        } catch {
            note("config", .error, "\(error.subject): \(error.reason)", error.advice, exit: .usage)
        }
    }

    /// Whether the home is our user's.
    private mutating func checkOwner() -> Bool {
        do throws(CommandError) {
            try HomeOwnership.check(paths, onlyOwner: true)
            return true
        } catch {
            note("home", .error, "\(error.subject): \(error.reason)", error.advice)
            return false
        }
    }

    /// Folders that only their owner may use, and files whose rights must be narrow.
    private mutating func checkFolders() {
        guard SmallFile.exists(paths.data) else {
            return note("home", .ok, "\(paths.data) does not exist yet; the first start creates it")
        }
        guard SmallFile.isFolder(paths.data) else {
            return note(
                "home", .error, "\(paths.data) is not a folder", "move it away, or choose another folder (--data-dir)")
        }
        var broken: [String] = []
        for path in PrivatePlaces.all(of: paths) {
            guard let problem = PrivatePlaces.problem(at: path) else { continue }
            broken.append("\(path): \(problem)")
        }
        broken.isEmpty
            ? note("permissions", .ok, "only you can read your key, history, socket and log")
            : note(
                "permissions", .error, broken.joined(separator: "; "),
                "doctor --fix removes others' permissions and gives you yours", fixable: true)
    }

    private mutating func checkKey() {
        do throws(IdentityError) {
            guard let fingerprint = try IdentityFile.fingerprint(at: paths.identity) else {
                guard SmallFile.exists(paths.history) else {
                    return note("key", .ok, "there is no key yet; the first start creates it")
                }
                return note(
                    "key", .warning,
                    "there is a history, but no key: the first start creates a new one, and contacts "
                        + "see KEY CHANGED", "blipchat id restore FILE brings the old one back")
            }
            let isSealed = try IdentityFile.isSealed(at: paths.identity)
            let protection = isSealed ? "sealed with a passphrase" : "no passphrase"
            note("key", .ok, "you are \(PeerID(fingerprint).text) (\(protection))")
        } catch {
            let words = CommandError(error)
            note("key", .error, "\(words.subject): \(words.reason)", words.advice)
        }
    }

    /// Returns whether an instance runs on this home.
    private mutating func checkLock() -> Bool {
        if let process = InstanceLock.holder(path: paths.lock) {
            note("lock", .ok, "blipchat is running here as process \(process)")
            return true
        }
        SmallFile.exists(paths.socket)
            ? note("lock", .ok, "blipchat is not running here; an old socket is left over and does no harm")
            : note("lock", .ok, "blipchat is not running here")
        return false
    }

    /// Whether `serve` confines itself: what runs is asked, and looks at itself.
    private mutating func checkConfinement(isInUse: Bool) async {
        let version = Confinement.kernelVersion
        let will =
            if version == 0 {
                "this kernel has no Landlock: serve runs without it"
            } else if !confinesService {
                "security.sandbox is off: serve runs without it"
            } else {
                "serve confines itself (Landlock \(version))"
            }
        guard isInUse else { return note("sandbox", .ok, will) }
        let running = try? await AttachedService.find(at: paths.socket, as: .visitor(patience: .seconds(5)))
        switch running?.chat.isConfined {
        case true?: note("sandbox", .ok, "the running blipchat confines itself (Landlock \(version))")
        case false?: note("sandbox", .ok, "the running blipchat does not confine itself; \(will)")
        case nil: note("sandbox", .ok, "the running blipchat does not say whether it confines itself; \(will)")
        }
    }

    /// How others reach our user: what runs knows.
    private mutating func checkReach() async {
        let visitor = Attacher.visitor(patience: .seconds(5), limit: .seconds(5))
        guard let running = try? await AttachedService.attach(to: paths.socket, as: visitor),
            let report = try? await running.ask(.reach)
        else {
            return note("reach", .ok, "the running blipchat does not say how others reach you")
        }
        let lines = ReachWords.lines(report).filter { $0 != ReachWords.unreachable }
        note("reach", .ok, lines.joined(separator: "; "), report.isReachable ? nil : ReachWords.unreachable)
    }

    /// Whether there is a program for what the settings want.
    private mutating func checkTor() {
        guard startsTor, TorProgram.path == nil else { return }
        note("reach", .warning, OnionReason.notInstalled.words, "or /set reach.tor off")
    }

    // MARK: History

    private mutating func checkHistory(isInUse: Bool) async {
        do throws(CommandError) {
            _ = try SmallFile.isThere(paths.history)
        } catch {
            return note("history file", .error, "\(error.subject): \(error.reason)", error.advice)
        }
        for finding in await HistoryInspection.run(at: paths.history, isInUse: isInUse) {
            let verdict: Finding.Verdict =
                switch finding.verdict {
                case .ok: .ok
                case .warning: .warning
                case .error: .error
                }
            note(
                "history \(finding.kind.rawValue)", verdict, finding.text, Self.advice(for: finding),
                exit: finding.kind == .file ? .localIO : .store, fixable: finding.isRepairable)
        }
    }

    private static func advice(for finding: HistoryFinding) -> String? {
        guard finding.verdict != .ok else { return nil }
        if finding.isRepairable { return "doctor --fix repairs it" }
        return finding.kind == .integrity
            ? "restore a copy with blipchat restore, or save what can be read with doctor --recover" : nil
    }

    // MARK: Disk

    private mutating func checkDisk() {
        for (what, folder) in [("history", paths.data), ("downloads", downloads)] {
            var place = folder
            while !SmallFile.exists(place), place != "/" { place = HomePaths.parent(of: place) }
            var space = statvfs()
            guard statvfs(place, &space) == 0 else {
                note("disk", .error, "\(place): \(Sentences.words(forErrno: errno))")
                continue
            }
            let free = UInt64(space.f_bavail) &* UInt64(space.f_frsize)
            let all = UInt64(space.f_blocks) &* UInt64(space.f_frsize)
            let limit = min(1 << 30, all / 20)
            let text = "\(free >> 20) MiB free for the \(what) (\(place))"
            if free < 16 << 20 {
                note("disk", .error, text, "make room: blipchat cannot store messages")
            } else if free < limit {
                note("disk", .warning, text, "make room: blipchat no longer accepts files")
            } else {
                note("disk", .ok, text)
            }
        }
    }

    /// Unfinished files that belong to no transfer that could resume.
    private mutating func checkPartials() async {
        let partials = Partials.found(in: downloads)
        guard !partials.isEmpty else { return note("partials", .ok, "no unfinished files") }
        var running: Set<String> = []
        let transfers = try? await HistoryFile.read(paths, damaged: { _ in }) { store throws(StoreError) in
            try await store.transfers(unfinishedOnly: true, limit: 100_000)
        }
        for transfer in (transfers ?? nil) ?? [] { running.insert(transfer.id.text) }
        let left = partials.filter { !running.contains($0.id) }
        guard !left.isEmpty else {
            let words = partials.count.counted("unfinished file")
            return note("partials", .ok, "\(words) waiting to resume")
        }
        note(
            "partials", .warning,
            "\(left.count.counted("unfinished file")) without a transfer: \(left.map(\.path).joined(separator: ", "))",
            partialKeepDays > 0 ? "delete them, or blipchat will after \(partialKeepDays) days" : "delete them")
    }
}

extension Examination {
    /// Files left by a `receive -o -` that was killed or could not write its file out.
    fileprivate mutating func checkReceived() {
        for folder in ReceiveFolder.found(in: paths.data) {
            let files = ReceiveFolder.files(in: folder)
            if !files.isEmpty {
                note(
                    "received", .warning, "received, but never written out: \(files.joined(separator: ", "))",
                    "move it to where you want it; the sender will not send it again")
            } else if SmallFile.names(in: folder).allSatisfy({ $0 == "." || $0 == ".." }) {
                note("received", .warning, "\(folder) is empty", "doctor --fix removes it", fixable: true)
            }
        }
    }
}

/// The folders and files that nobody but the user may read.
package enum PrivatePlaces {
    static func all(of paths: HomePaths) -> [String] {
        let folders = [paths.data] + [HomePaths.parent(of: paths.socket)].filter { $0 != paths.data }
        let files = [
            paths.identity, paths.history, paths.history + "-wal", paths.history + "-shm",
            paths.configuration,
            paths.log, paths.socket, paths.lock,
        ]
        return (folders + files).filter { SmallFile.exists($0) }
    }

    /// `nil` when all is well.
    static func problem(at path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return Sentences.words(forErrno: errno) }
        guard status.st_uid == geteuid() else { return "it belongs to user \(status.st_uid)" }
        guard status.st_mode & 0o077 == 0 else {
            return "others can use it (mode \(String(status.st_mode & 0o777, radix: 8)))"
        }
        guard status.st_mode & needed(status) == needed(status) else {
            return "you cannot use it (mode \(String(status.st_mode & 0o777, radix: 8)))"
        }
        return nil
    }

    /// The rights to it that the user must have.
    private static func needed(_ status: stat) -> mode_t { status.st_mode & S_IFMT == S_IFDIR ? 0o700 : 0o600 }

    /// Takes the rights of others away and gives the user theirs; returns what could not be done.
    package static func fix(_ paths: HomePaths) -> [String] {
        // A file in the place of the home is somebody else's.
        guard SmallFile.isFolder(paths.data) else { return [] }
        var failures: [String] = []
        func fix(_ path: String) {
            var status = stat()
            if lstat(path, &status) == 0, chmod(path, status.st_mode & 0o700 | needed(status)) == 0 { return }
            failures.append("\(path): \(Sentences.words(forErrno: errno))")
        }
        // The folder first: what is in it may not be seen before.
        if SmallFile.exists(paths.data), problem(at: paths.data) != nil { fix(paths.data) }
        for path in all(of: paths) where problem(at: path) != nil { fix(path) }
        return failures
    }
}

/// Partial files of transfers, `.NAME.ID.blip-part`.
enum Partials {
    static let suffix = ".blip-part"

    static func found(in folder: String) -> [(path: String, id: String)] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var found: [(path: String, id: String)] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix("."), name.hasSuffix(suffix) else { continue }
            let id = String(decoding: name.utf8.dropLast(10).suffix(36), as: UTF8.self)
            guard MessageID(id) != nil else { continue }
            found.append(("\(folder)/\(name)", id))
        }
        return found.sorted { $0.path < $1.path }
    }
}
