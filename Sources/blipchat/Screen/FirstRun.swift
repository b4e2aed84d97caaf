// The first start: the page, what this machine has against its answers, and what of them is kept.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI
import ChatWords
import Glibc
import Storage

/// The first start of a home.
struct FirstRun: Sendable {
    let screen: ScreenCommand
    private var context: CommandContext { screen.context }

    /// Asks, and opens the chat or the demo; the demo leads back to the page and what was typed there.
    func run(
        _ paths: HomePaths, _ settings: Configuration, on terminal: NcursesTerminal, _ target: ScreenTarget
    ) async throws(CommandError) -> ExitCode {
        let identity: TLSIdentity
        do { identity = try TLSIdentity.generate(commonName: "blipchat") } catch {
            throw CommandError(IdentityError.cannotGenerate)
        }
        let configuration = try context.chatConfiguration(settings, paths, listens: true)
        var defaults = firstRunDefaults(paths, settings, configuration, PeerID(identity.fingerprint))
        let presets = defaults.choices
        // The page shows an address that is given to others: with a port that can be had.
        if configuration.fallbackToAnyPort, let port = FirstRunCheck.freePort(from: presets.listenPort) {
            defaults.choices.listenPort = port
        }
        let page = await FirstRunApplication(terminal: terminal, defaults: defaults) { answer throws(FirstRunProblem) in
            // Where another first page has been answered meanwhile its answers hold, and its port is taken.
            guard case .start(let choices) = answer, !paths.hasIdentity else { return }
            // A port that nobody has chosen gives way to a free one.
            let isChosen = choices.listenPort != presets.listenPort || !configuration.fallbackToAnyPort
            if isChosen || choices.listenHost != presets.listenHost { try FirstRunCheck.listen(as: choices) }
            try FirstRunCheck.folder(choices.downloads)
        }
        while true {
            let answer: FirstRunAnswer
            do { answer = try await page.run() } catch { throw CommandError(error) }
            switch answer {
            case .quit: return .done
            case .ended(let signal): return ExitCode(rawValue: 128 &+ signal) ?? .done
            case .demo:
                let exit = try await DemoCommand(context: context).run(on: terminal)
                guard exit == .done else { return exit }
            case .start(let choices):
                let notices = try begin(identity, choices, insteadOf: presets, paths)
                return try await screen.chat(
                    paths, context.configuration(paths), on: Task { terminal },
                    target, someone: choices.someone, notices: notices)
            }
        }
    }

    private func firstRunDefaults(
        _ paths: HomePaths, _ settings: Configuration, _ configuration: ChatConfiguration, _ peerID: PeerID
    ) -> FirstRunDefaults {
        var choices = FirstRunChoices(
            name: configuration.name, listenPort: PeerAddress.defaultPort, asksForFiles: settings.asksForFiles,
            downloads: configuration.downloadsFolder, keep: settings.keep)
        if case .host(let host, let port)? = configuration.listen {
            choices.listenHost = host == Self.allAddresses ? nil : host
            choices.listenPort = port
        }
        let everywhere = Endpoint.host(Self.allAddresses, port: choices.listenPort)
        return FirstRunDefaults(
            choices, isListenFixed: context.arguments.has("--listen"),
            reachableHost: PeerAddress.ofListener(at: everywhere, peerID: peerID, name: "").host, peerID: peerID,
            keyPath: paths.identity, home: context.environment["HOME"] ?? "",
            lacksOldKey: SmallFile.exists(paths.history))
    }

    fileprivate static let allAddresses = "::"

    /// Writes settings and key; where another first page has done that meanwhile its answers hold, and that is said.
    private func begin(
        _ identity: TLSIdentity, _ choices: FirstRunChoices, insteadOf presets: FirstRunChoices, _ paths: HomePaths
    ) throws(CommandError) -> [String] {
        let meanwhile = ["Another blipchat started here meanwhile: its key and settings apply (/myid, /set)"]
        guard !paths.hasIdentity else { return meanwhile }
        try save(choices, insteadOf: presets, paths)
        do throws(IdentityError) {
            try IdentityFile.install(identity, at: paths.identity)
        } catch {
            guard case .exists = error else { throw CommandError(error) }
            return meanwhile
        }
        return []
    }

    /// Writes what was decided. What is as it would be anyway is left as it is: above all, an address to listen at that
    /// was set before stays the only one.
    private func save(
        _ choices: FirstRunChoices, insteadOf presets: FirstRunChoices, _ paths: HomePaths
    ) throws(CommandError) {
        try paths.createFolders()
        var changes: [(section: String, name: String, value: ConfigurationValue)] = [
            (paths.nameSetting.section, paths.nameSetting.name, .string(choices.name))
        ]
        if choices.listenHost != presets.listenHost || choices.listenPort != presets.listenPort {
            let listen = Endpoint.host(choices.listenHost ?? Self.allAddresses, port: choices.listenPort)
            changes.append(("", "listen", .string(listen.description)))
        }
        if choices.asksForFiles != presets.asksForFiles {
            changes.append(("files", "ask", .bool(choices.asksForFiles)))
        }
        if choices.downloads != presets.downloads { changes.append(("files", "dir", .string(choices.downloads))) }
        if choices.keep != presets.keep { changes.append(("history", "keep", Setting.retentionValue(choices.keep))) }
        let file = ConfigurationFile(paths: paths, home: context.environment["HOME"])
        for change in changes {
            try file.set(SettingPath(section: change.section, name: change.name), to: change.value)
        }
    }
}

/// Checks whether this machine can do what the user typed; leaves nothing on it.
private enum FirstRunCheck {
    static func listen(as choices: FirstRunChoices) throws(FirstRunProblem) {
        let host = choices.listenHost ?? FirstRun.allAddresses
        do throws(NetError) {
            try TCPListener.listen(on: .host(host, port: choices.listenPort)).close()
        } catch {
            if case .dns(_, let reason) = error { throw .host("\(reason): \(host)") }
            guard case .posix(_, let errno) = error else { throw .host("\(host): \(error)") }
            let reason = Sentences.words(forErrno: errno)
            guard errno != EADDRNOTAVAIL else { throw .host("\(host): \(reason)") }
            throw .port("port \(choices.listenPort): \(reason)")
        }
    }

    /// The first port from `port` on that nobody listens at, else any; `nil` where none can be had.
    static func freePort(from port: UInt16) -> UInt16? {
        let others = port < .max - 15 ? Array(port + 1...port + 15) : []
        for candidate in [port] + others + [0] {
            guard
                let listener = try? TCPListener.listen(
                    on: .host(FirstRun.allAddresses, port: candidate))
            else { continue }
            defer { listener.close() }
            if candidate > 0 { return candidate }
            if case .host(_, let found) = listener.localEndpoint, found > 0 { return found }
        }
        return nil
    }

    /// Makes the folder and something in it, and takes both away again: permissions do not tell everything.
    static func folder(_ folder: String) throws(FirstRunProblem) {
        var missing: [String] = []
        var place = folder
        while access(place, F_OK) != 0, errno == ENOENT, place != "/" {
            missing.append(place)
            place = HomePaths.parent(of: place)
        }
        guard SmallFile.isFolder(place) else { throw .downloads("not a folder: \(place)") }
        var made: [String] = []
        defer { made.reversed().forEach { rmdir($0) } }
        for path in missing.reversed() {
            guard mkdir(path, 0o700) == 0 else {
                throw .downloads("cannot be created, \(Sentences.words(forErrno: errno)): \(path)")
            }
            made.append(path)
        }
        let probe = "\(folder)/.blipchat-\(getpid())"
        guard mkdir(probe, 0o700) == 0 else {
            throw .downloads("cannot be written to, \(Sentences.words(forErrno: errno)): \(folder)")
        }
        rmdir(probe)
    }
}
