// What screen, line mode and demo share: the chat that is shown, and what it is shown with.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI
import ChatWords
import Glibc
import Storage

struct ChatScreen: Sendable {
    let context: CommandContext

    /// The terminal of this process as the user wants it, with what earlier runs have measured.
    @ScreenActor func makeTerminal(_ settings: Configuration, _ paths: HomePaths) -> NcursesTerminal {
        var screen = settings.screen
        // The command line goes before the settings.
        if let color = context.arguments.text("--color").flatMap(ScreenSettings.ColorMode.init) { screen.color = color }
        return NcursesTerminal(settings: screen, memory: WidthMemory(path: paths.terminals))
    }

    /// The chat of this home; should it move here later, it is as the settings are then.
    func open(_ paths: HomePaths, _ configuration: ChatConfiguration) async throws(CommandError) -> OpenChat {
        let waiting = Task {
            try await Task.sleep(for: Self.silence)
            context.streams.note("blipchat: opening \(paths.history) is taking long: another program may be holding it")
        }
        defer { waiting.cancel() }
        return try await OpenChat.open(paths, configuration) { () async throws(CommandError) in
            waiting.cancel()
            return try await HomeKey(context: context).open(paths)
        } reading: {
            try? context.chatConfiguration(context.configuration(paths), paths, listens: true)
        }
    }

    /// A user who sees nothing for longer learns why.
    private static let silence = Duration.seconds(1)

    /// The options of ours that name the home, for commands that are run on the same one.
    private var globals: [String] {
        ["--data-dir", "--profile"].flatMap { name in context.arguments.text(name).map { [name, $0] } ?? [] }
    }

    /// Runs the screen until the user leaves it; a signal is passed on as the exit code. `reconfigure` gives the chat
    /// what /set and a reload change of it.
    @ScreenActor func show(
        _ service: any ChatService, of paths: HomePaths, _ settings: Configuration, on terminal: NcursesTerminal,
        contact: String?, someone: String? = nil, notices: [String], saysFarewell: Bool = true,
        isSecondScreen: Bool = false, commands: ScreenCommands? = nil, goesOn: () async -> Bool = { false },
        reconfigure: @escaping @Sendable (ChatConfiguration) async -> Void = { _ in }
    ) async throws(CommandError) -> ExitCode {
        var options = try self.options(
            paths, settings, contact: contact, notices: notices, commands, reconfigure: reconfigure)
        options.isSecondScreen = isSecondScreen
        options.someone = someone
        let application = ChatApplication(service: service, terminal: terminal, options: options)
        do {
            let code = try await application.run()
            if let undone = application.undone { context.streams.note(undone) }
            // A chat that continues in another process leaves nothing undone.
            if await goesOn() {
                // A line that is sent on another screen empties the stored draft of all.
                if !isSecondScreen { application.leftLines.forEach { options.inputHistory?.append($0) } }
            } else if saysFarewell, let farewell = application.farewell {
                context.streams.note(farewell)
            }
            return ExitCode(rawValue: code) ?? .done
        } catch {
            throw CommandError(error)
        }
    }

    /// The options that the screen and line mode are started with.
    func options(
        _ paths: HomePaths, _ settings: Configuration, contact: String?, notices: [String],
        _ commands: ScreenCommands? = nil, reconfigure: @escaping @Sendable (ChatConfiguration) async -> Void
    ) throws(CommandError) -> ChatApplicationOptions {
        var options = ChatApplicationOptions(
            home: context.environment["HOME"] ?? "", version: Version.text, contact: contact, notices: notices)
        options.settings = settings.screen
        options.theme = try ThemeFolder(path: paths.themes).theme(named: options.settings.theme)
        options.settingsStore = SettingsKeeper(
            file: ConfigurationFile(paths: paths, home: context.environment["HOME"]), atStart: settings
        ) { settings in
            await reconfigure(context.chatConfiguration(settings, paths, listen: nil, acceptsFilesUpTo: nil))
        }
        options.inputHistory = InputHistoryFile(path: paths.inputHistory)
        options.pasteFolder = paths.pasted
        options.pictures = PictureReader()
        let commands = commands ?? ScreenCommands(globals: globals, environment: context.environment)
        options.runsCommands = { await commands.run($0) }
        return options
    }
}

extension CommandError {
    init(_ error: TerminalError) {
        self.init(.localIO, "terminal", error.description)
    }
}
