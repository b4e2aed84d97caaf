// What every command is given: its arguments, where it prints, and the home that they name.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import Glibc
import Storage

struct CommandContext: Sendable {
    let arguments: ParsedArguments<CommandName>
    let environment: [String: String]
    let streams: StandardStreams
    /// Opens the key of the home, where it is sealed.
    var key = KeyOpener()

    /// `words` without the program's name.
    static func arguments(of words: [String]) throws(CommandError) -> ParsedArguments<CommandName> {
        do throws(UsageError) { return try ArgumentParser.blipchat.parse(words) } catch { throw CommandError(error) }
    }

    var isJSON: Bool { arguments.has("--json") }

    func operand(_ index: Int) -> String {
        arguments.operands.indices.contains(index) ? arguments.operands[index] : ""
    }

    func paths() throws(CommandError) -> HomePaths {
        var paths = try HomePaths(
            environment: environment, dataFolder: arguments.text("--data-dir"), profile: arguments.text("--profile"))
        switch arguments.command {
        // They leave nothing there, or look at it themselves.
        case .configurationPath, .demo, .doctor: break
        default: try HomeOwnership.check(paths, isOwnConfiguration: !arguments.has("--config"))
        }
        guard let file = arguments.text("--config") else { return paths }
        paths.configuration = try HomePaths.absolute(file)
        // A user who names a file means it: defaults in its place would be a surprise. A command that sets a value may
        // begin a new one.
        let begins = arguments.command == .configurationSet || arguments.command == .configurationPath
        guard begins || SmallFile.exists(paths.configuration) else {
            throw .system(paths.configuration, "cannot read the configuration", errno)
        }
        return paths
    }

    func configuration(_ paths: HomePaths) throws(CommandError) -> Configuration {
        try Configuration.load(from: paths.configuration, home: environment["HOME"])
    }

    /// The configuration that the chat is started with. Only a chat that continues (`listens`) takes calls.
    func chatConfiguration(
        _ settings: Configuration, _ paths: HomePaths, listens: Bool
    ) throws(CommandError) -> ChatConfiguration {
        let wanted = try listenOption() ?? settings.listen
        var configuration = chatConfiguration(
            settings, paths, listen: listens ? wanted ?? Configuration.standardListen : nil,
            acceptsFilesUpTo: try arguments.size("--accept-files"))
        configuration.fallbackToAnyPort = wanted == nil
        // The command itself, not the rule, accepts files for `--output`.
        if arguments.command == .receive, arguments.has("--output") { configuration.acceptsFilesByRule = false }
        return configuration
    }

    /// The same with a place to listen at and a limit of one's own. The command line goes before the settings.
    func chatConfiguration(
        _ settings: Configuration, _ paths: HomePaths, listen: Endpoint?, acceptsFilesUpTo: UInt64?
    ) -> ChatConfiguration {
        var configuration = ChatConfiguration(
            name: settings.ownName(in: paths, environment: environment), listen: listen,
            downloadsFolder: settings.downloads ?? paths.downloads,
            acceptsRequests: arguments.has("--accept-requests"),
            acceptsFilesUpTo: acceptsFilesUpTo)
        configuration.spoolFolders = paths.spools
        configuration.roomFilesFolder = paths.roomFiles
        configuration.privateFiles = paths.privateFiles
        settings.apply(to: &configuration)
        return configuration
    }

    private func listenOption() throws(CommandError) -> Endpoint? {
        guard let text = arguments.text("--listen") else { return nil }
        guard let endpoint = Endpoint(text, defaultPort: PeerAddress.defaultPort) else {
            throw .badValue("--listen", text, "HOST:PORT, like 127.0.0.1:4985 or [::]:0")
        }
        return endpoint
    }

    /// How long to wait for the peer; `nil`: not at all, it is only queued.
    func sendingTimeout() throws(CommandError) -> Duration? {
        arguments.has("--queue") ? nil : try arguments.seconds("--timeout") ?? .seconds(10)
    }

    /// The name under which others see us; `nil` where the settings cannot be read, which other commands report.
    func ownName(_ paths: HomePaths) -> String? {
        guard let settings = try? configuration(paths) else { return nil }
        return settings.ownName(in: paths, environment: environment)
    }
}

extension CommandContext {
    /// Reads the history, a damaged one as far as it goes: then one sentence on standard error says so.
    func readHistory<Value>(
        _ paths: HomePaths, _ body: (HistoryDatabase) async throws(StoreError) -> Value
    ) async throws(CommandError) -> Value? {
        try await HistoryFile.read(paths, damaged: warnOfDamage, body)
    }

    func readHistory<Value>(
        _ paths: HomePaths, _ body: (HistoryDatabase) async throws(CommandError) -> Value
    ) async throws(CommandError) -> Value? {
        try await HistoryFile.read(paths, damaged: warnOfDamage, body)
    }

    private func warnOfDamage(_ error: CommandError) {
        streams.note("blipchat: \(error.subject): \(error.reason); showing what can be read")
    }
}
