// The settings of one profile, as values: read from config.toml by the table in Setting+*.swift.

package import BLIPNet
package import ChatCore
package import ChatTUI
import Glibc

/// The user's settings, and the defaults of the rest. A setting that has no default of its own is `nil` until it is
/// set.
package struct Configuration: Sendable, Equatable {
    /// The settings of the screen.
    package var screen = ScreenSettings()

    /// The name that others see.
    package var name: String?
    /// Where to listen.
    package var listen: Endpoint?
    /// Seconds until we abandon a call that nobody answers.
    var connectTimeout = 10
    /// Seconds of silence after which a peer is pinged.
    var keepalive = 20
    /// Seconds: the longest wait before a call is tried again.
    var reconnectMaximum = 60
    var tls = Encryption.require
    /// The proxy of outgoing calls, as `proxyChoice` reads it.
    var proxy = ""
    /// The settings in `[reach]`.
    var reach = ReachSettings()
    /// Bytes per second of all files together; 0 is no limit.
    var uploadLimit: UInt64 = 0
    var downloadLimit: UInt64 = 0

    /// Where received files go.
    package var downloads: String?
    /// Files are taken only when the user says so, but for what `acceptsFilesUpTo` takes.
    package var asksForFiles = true
    /// Accept offered files up to this many bytes without asking; 0 asks always.
    var acceptsFilesUpTo: UInt64 = 0
    /// How many days unfinished files are kept; 0 keeps them forever.
    package var partialKeepDays = 14
    var hash = Hash.sha256

    /// How long messages are kept.
    package var keep = Retention.forever
    /// Received files go with the messages that are too old.
    var deletesFiles = false

    var keyChange = KeyChange.block
    /// We do not tell callers where we can be called.
    var hidesAddress = false
    /// `serve` is kept to its own folders and what can be seen (Docs/decisions/0024).
    package var confinesService = true

    /// The settings in [limits]: the values of its keys, without the section.
    var limits: [String: Int64] = [:]
    /// The settings in `[names]`: our name in profiles other than the default one.
    var profileNames: [String: String] = [:]
    /// The settings in `[contact."NAME"]`, by name.
    var contacts: [String: ContactSettings] = [:]

    enum Encryption: String, Sendable, CaseIterable { case require }
    enum Hash: String, Sendable, CaseIterable { case sha256 }
    enum KeyChange: String, Sendable, CaseIterable { case block }

    /// How others reach us apart from where we listen.
    struct ReachSettings: Sendable, Equatable {
        /// Our user's relays, as `RelaySetting.list` reads them.
        var relay = ""
        /// Bytes per second of files through relays; 0: no limit.
        var relayLimit: UInt64 = 0
        /// People in this network are found, and find us.
        var findsNeighbours = true
        /// Whether we ask the router for a port.
        var mapping = MappingSetting.auto
        /// Contacts and we call each other at the same moment.
        var punches = true
        /// The observer that tells us where our calls come out, as `observer` reads it.
        var observer = ""
        /// Whether others are called, and call us, by Tor.
        var tor = TorSetting.off
        /// The control port of a tor of our user's, as `torControl` reads it.
        var torControl = ""
    }

    /// The settings that are different with one contact; `nil`: as with all.
    struct ContactSettings: Sendable, Equatable {
        var keep: Retention?
        var notify: ScreenSettings.Bell?
        var receipts: ScreenSettings.Receipts?
        var sendsTyping: Bool?
        var acceptsFilesUpTo: UInt64?
    }

    /// Where the chat listens when nothing is set: all addresses, both families.
    package static let standardListen = Endpoint.host("::", port: PeerAddress.defaultPort)

    package init() {}

    /// Reads the file; a missing one gives the defaults. Throws everything that is wrong in it, as one error.
    package static func load(from path: String, home: String?) throws(CommandError) -> Configuration {
        let text = try text(of: path)
        var problems: [ConfigurationError] = []
        let configuration = Configuration(text: text, home: home, problems: &problems)
        if let error = CommandError.inSettings(problems.map { CommandError($0, in: path) }) { throw error }
        return configuration
    }

    /// The file as it is; the empty text when there is none.
    package static func text(of path: String) throws(CommandError) -> String { try contents(of: path).text }

    /// The same, and whether a byte order mark precedes it.
    static func contents(of path: String) throws(CommandError) -> (text: String, hasMark: Bool) {
        switch SmallFile.contents(of: path, limit: 1 << 20) {
        case .failure(let error) where error.code == ENOENT || error.code == ENOTDIR: return ("", false)
        case .failure(let error): throw .system(path, "cannot read the configuration", error.code)
        case .success(var bytes):
            // Some editors begin a file with a byte order mark.
            let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
            if hasMark { bytes.removeFirst(3) }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                let position = TextPosition(ofFirstFault: bytes)
                throw CommandError(
                    ConfigurationError(position: position, reason: "not UTF-8 text", advice: "save it as UTF-8"),
                    in: path)
            }
            return (text, hasMark)
        }
    }

    /// `home` replaces `~/` in paths.
    init(text: String, home: String?) throws(ConfigurationError) {
        var problems: [ConfigurationError] = []
        self.init(text: text, home: home, problems: &problems)
        if let first = problems.first { throw first }
    }

    /// Reads what can be read, and adds everything that is wrong to `problems`, from top to bottom.
    init(text: String, home: String?, problems: inout [ConfigurationError]) {
        let (entries, sections) = ConfigurationReader.document(text, problems: &problems)
        for entry in entries {
            do throws(ConfigurationError) {
                try Setting.of(entry).apply(entry, home: home, to: &self)
            } catch {
                problems.append(error)
            }
        }
        for problem in KeySettings.problems(in: screen) {
            guard
                let entry = entries.first(where: {
                    $0.path.section == "keys" && KeySettings.name(of: $0.path.name) == KeySettings.name(of: problem.key)
                })
            else { continue }
            problems.append(
                ConfigurationError(position: entry.position, reason: "\(entry.path.text): \(problem.words)"))
        }
        problems += Setting.unknown(sections, besides: Set(entries.map(\.path.section)))
        problems.sort { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
    }

    /// The name that others see us by in the profile of `paths`: its own name, else that of all profiles, else the
    /// user's.
    package func ownName(in paths: HomePaths, environment: [String: String]) -> String {
        paths.sharedProfile.flatMap { profileNames[$0] } ?? name ?? Self.defaultName(environment: environment)
    }

    /// The name for somebody who has set none: the user's login name, else the host's name.
    package static func defaultName(environment: [String: String]) -> String {
        for variable in ["USER", "LOGNAME"] {
            if let name = environment[variable], (1...64).contains(name.utf8.count) { return name }
        }
        var buffer = [UInt8](repeating: 0, count: 65)
        let code = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { gethostname($0, 64) } ?? -1
        }
        guard code == 0,
            let name = String(validating: buffer.prefix { $0 != 0 }, as: UTF8.self), !name.isEmpty
        else { return "somebody" }
        return name
    }
}

extension CommandError {
    /// Slips of a file that are shown at once: a screen has room for them and for what is to be done.
    private static let slipLimit = 8

    /// The faults in the settings, from top to bottom, as one error; `nil` when there are none.
    static func inSettings(_ problems: [CommandError]) -> CommandError? {
        all(problems, shown: slipLimit, more: "blipchat config check lists them all")
    }

    /// `config.toml:3:5: what is wrong (what to do)`
    package init(_ error: ConfigurationError, in path: String) {
        self.init(
            .usage, "\(path):\(error.position.line):\(error.position.column)", error.reason, advice: error.advice)
        place = TextPlace(file: path, position: error.position)
    }
}
