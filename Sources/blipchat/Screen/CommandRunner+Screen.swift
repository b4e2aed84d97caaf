// `blipchat [ADDRESS|CONTACT]`: the chat on this terminal, after the first-run page where there is no key yet.

import BLIPNet
import ChatCore
import ChatTUI
import ChatWords
import Glibc
import Storage

extension CommandRunner {
    func openScreen() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        // Everything that can be wrong without a terminal is found before the terminal is touched; of the settings all of
        // it at once, or a slip costs a start.
        let settings = try ConfigurationFile(paths: paths, home: environment["HOME"]).checked()
        _ = try chatConfiguration(settings, paths, listens: true)
        let target = try await openingTarget(paths)
        try await openKeyToStart(paths)
        guard !arguments.has("--plain") else { return try await openPlain(paths, settings, target) }
        let making = Task {
            let terminal = await makeTerminal(settings, paths)
            Task { ChatApplication.rehearse() }
            return terminal
        }
        guard !paths.hasIdentity else { return try await chat(paths, settings, on: making, target) }
        let terminal = await making.value

        if arguments.has("--no-input") {
            throw CommandError(
                .usage, "first start", "there are questions to answer",
                advice: "leave out --no-input, or create the key with blipchat id")
        }
        return try await startFirst(paths, settings, on: terminal, target)
    }

    /// The terminal of this process as the user wants it, with what earlier runs have measured.
    @ScreenActor func makeTerminal(_ settings: Configuration, _ paths: HomePaths) -> NcursesTerminal {
        var screen = settings.screen
        // The command line goes before the settings.
        if let color = arguments.text("--color").flatMap(ScreenSettings.ColorMode.init) { screen.color = color }
        return NcursesTerminal(settings: screen, memory: WidthMemory(path: paths.terminals))
    }

    /// What the screen opens with.
    enum ScreenTarget {
        case newest
        case contact(String)
        case address(String)
        /// Typed on the first page: what is wrong with it keeps nobody from the chat.
        case firstAddress(String)
    }

    private func openingTarget(_ paths: HomePaths) async throws(CommandError) -> ScreenTarget {
        guard let word = arguments.operands.first else { return .newest }
        let contacts = try await contacts(paths)
        if let peer = try? contacts.find(word) { return .contact(peer.name) }
        // Only what looks like an address is one: HOST alone would turn every mistyped command into a host.
        guard word.utf8.contains(UInt8(ascii: ":")) else { throw ArgumentParser.unknownCommand(word) }
        do {
            _ = try PeerAddress(parsing: word)
        } catch {
            throw CommandError(error, address: word)
        }
        return .address(word)
    }

    func chat(
        _ paths: HomePaths, _ settings: Configuration, on terminal: Task<NcursesTerminal, Never>,
        _ target: ScreenTarget, notices: [String] = []
    ) async throws(CommandError) -> ExitCode {
        let configuration = try chatConfiguration(settings, paths, listens: true)
        let chat: OpenChat
        do throws(CommandError) {
            chat = try await openChat(paths, configuration)
        } catch {
            guard error.exit == .store, let damage = try await damage(of: paths) else { throw error }
            return try await showDamaged(paths, settings, configuration.name, on: terminal.value, damage)
        }
        do throws(CommandError) {
            var notices = chat.notices + notices
            notices += ToldOnce(path: paths.told).advice(in: Multiplexer(environment: environment))
            if chat.isAttached, arguments.has("--listen") {
                notices.append("--listen has no effect: the blipchat running here keeps its own address")
            }
            var contact: String?
            do throws(CommandError) {
                contact = try await chat.contact(for: target)
            } catch {
                guard case .firstAddress = target else { throw error }
                notices += error.words
            }
            let result = try await show(
                chat.service, of: paths, settings, on: terminal.value, contact: contact, notices: notices,
                isSecondScreen: chat.isAttached, goesOn: { await chat.goesOn },
                reconfigure: { await chat.reconfigure($0, paths) })
            await chat.close()
            return result
        } catch {
            await chat.close()
            throw error
        }
    }

    /// The chat of this home; should it move here later, it is as the settings are then.
    func openChat(_ paths: HomePaths, _ configuration: ChatConfiguration) async throws(CommandError) -> OpenChat {
        let waiting = Task { [streams] in
            try await Task.sleep(for: Self.silence)
            streams.note("blipchat: opening \(paths.history) is taking long: another program may be holding it")
        }
        defer { waiting.cancel() }
        return try await OpenChat.open(paths, configuration) { () async throws(CommandError) in
            waiting.cancel()
            return try await openKey(paths)
        } reading: {
            try? self.chatConfiguration(self.configuration(paths), paths, listens: true)
        }
    }

    /// Somebody who sees nothing for longer is told why.
    private static let silence = Duration.seconds(1)

    /// What is wrong with the history when it is damaged; `nil` when it is not, or when that is found later.
    private func damage(of paths: HomePaths) async throws(CommandError) -> StoreError? {
        guard SmallFile.exists(paths.history) else { return nil }
        do throws(StoreError) {
            await (try HistoryDatabase.open(at: paths.history, readOnly: true)).close()
        } catch {
            if case .damaged = error { return error }
        }
        return nil
    }

    /// The screen over what can be read of a damaged history, with the way to recover on it.
    private func showDamaged(
        _ paths: HomePaths, _ settings: Configuration, _ name: String, on terminal: NcursesTerminal,
        _ damage: StoreError
    ) async throws(CommandError) -> ExitCode {
        // Nobody is called, so a sealed key stays closed.
        let fingerprint = try Self.fingerprintMakingKey(paths)
        let store = try await HistoryFile.about(paths) { () throws(StoreError) in
            try await HistoryDatabase.open(at: paths.history, evenIfDamaged: true)
        }
        let service = DamagedHistory(
            store: store, damage: damage, peerID: PeerID(fingerprint), name: name)
        do throws(CommandError) {
            let result = try await show(
                service, of: paths, settings, on: terminal, contact: nil,
                notices: ["The history is read-only: " + Sentences.reason(of: damage)])
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }

    /// The options of ours that name the home, for commands that are run on the same one.
    private var globals: [String] {
        ["--data-dir", "--profile"].flatMap { name in arguments.text(name).map { [name, $0] } ?? [] }
    }

    /// Runs the screen until the user leaves it; a signal is passed on as the exit code. `reconfigure` gives the chat
    /// what /set and a reload change of it.
    @ScreenActor func show(
        _ service: any ChatService, of paths: HomePaths, _ settings: Configuration, on terminal: NcursesTerminal,
        contact: String?, notices: [String], saysFarewell: Bool = true, isSecondScreen: Bool = false,
        commands: ScreenCommands? = nil, goesOn: () async -> Bool = { false },
        reconfigure: @escaping @Sendable (ChatConfiguration) async -> Void = { _ in }
    ) async throws(CommandError) -> ExitCode {
        var options = try applicationOptions(
            paths, settings, contact: contact, notices: notices, commands, reconfigure: reconfigure)
        options.isSecondScreen = isSecondScreen
        let application = ChatApplication(service: service, terminal: terminal, options: options)
        do {
            let code = try await application.run()
            if let undone = application.undone { streams.note(undone) }
            // Of a chat that goes on in another process nothing stays undone.
            if await goesOn() {
                // A line that is sent on another screen empties the stored draft of all.
                if !isSecondScreen { application.leftLines.forEach { options.inputHistory?.append($0) } }
            } else if saysFarewell, let farewell = application.farewell {
                streams.note(farewell)
            }
            return ExitCode(rawValue: code) ?? .done
        } catch {
            throw CommandError(error)
        }
    }

    /// What the screen and line mode are started with.
    func applicationOptions(
        _ paths: HomePaths, _ settings: Configuration, contact: String?, notices: [String],
        _ commands: ScreenCommands? = nil, reconfigure: @escaping @Sendable (ChatConfiguration) async -> Void
    ) throws(CommandError) -> ChatApplicationOptions {
        var options = ChatApplicationOptions(
            home: environment["HOME"] ?? "", version: Version.text, contact: contact, notices: notices)
        options.settings = settings.screen
        options.theme = try ThemeFolder(path: paths.themes).theme(named: options.settings.theme)
        options.settingsStore = SettingsKeeper(
            file: ConfigurationFile(paths: paths, home: environment["HOME"]), atStart: settings
        ) { settings in
            await reconfigure(chatConfiguration(settings, paths, listen: nil, acceptsFilesUpTo: nil))
        }
        options.inputHistory = InputHistoryFile(path: paths.inputHistory)
        options.pasteFolder = paths.pasted
        options.pictures = PictureReader()
        let commands = commands ?? ScreenCommands(globals: globals, environment: environment)
        options.runsCommands = { await commands.run($0) }
        return options
    }
}

extension CommandError {
    static func alreadyRunning(_ lock: String, process: Int32) -> CommandError {
        var error = CommandError(
            .store, HomePaths.parent(of: lock),
            "blipchat is already running here as " + (process > 0 ? "process \(process)" : "another process"),
            advice: "use that one, or choose another --profile or --data-dir")
        error.isAlreadyRunning = true
        return error
    }
}
