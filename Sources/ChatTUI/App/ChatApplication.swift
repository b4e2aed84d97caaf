// The running screen: the terminal gives input to the loop, and gets the picture of each state.

package import ChatCore
package import ChatWords

/// The choices that the command line makes for the screen.
package struct ChatApplicationOptions: Sendable {
    /// The home folder, shown as `~`.
    package var home: String
    package var version: String
    package var clock: LocalClock
    /// The contact whose chat opens first; the newest one when `nil`.
    package var contact: String?
    /// Somebody to be added first, as the first page took it: what /join takes.
    package var someone: String?
    /// Dim lines that are shown at the start (what the demo is, why nobody can call).
    package var notices: [String]
    package var settings = ScreenSettings()
    /// The theme that `settings.theme` names.
    package var theme = Theme.terminal
    /// Where the settings are kept; without it they cannot be changed.
    package var settingsStore: any SettingsStore = NoSettings()
    /// How /export, /import and /doctor are run; `nil`: they say that they cannot be.
    package var runsCommands: ProgramRunning?
    /// Keeps what was typed; without it each run begins with nothing.
    package var inputHistory: InputHistoryFile?
    /// The chat runs in another process, which has a screen of its own or can get one.
    package var isSecondScreen = false
    /// Lines are printed in place of a screen.
    var isLineMode = false
    /// Where pasted texts are kept that go out as files.
    package var pasteFolder: String?
    /// Reads pictures for previews; without it there are none.
    package var pictures: PictureReader?
    /// How long the first picture waits for what it is to show (a history on a slow disk): nobody takes that for a program
    /// that hangs.
    var patience = Duration.milliseconds(100)

    package init(
        home: String, version: String, clock: LocalClock = .system, contact: String? = nil, notices: [String] = []
    ) {
        self.home = home
        self.version = version
        self.clock = clock
        self.contact = contact
        self.notices = notices
    }
}

/// Runs the screen over a chat service until the user quits. All on the screen actor; nothing here blocks.
@ScreenActor
package final class ChatApplication {
    private let terminal: any Terminal
    private let options: ChatApplicationOptions
    private let loop: AppLoop
    private var painter = PaintSchedule()
    /// The first picture waits for what it is to show.
    private var isHeld = true
    private var shownTitle: SafeText?
    /// Has the terminal.
    private var editor: EditorSession?
    /// The event that ends the screen once the editor has ended.
    private var endAfterEditor: InputEvent?

    package init(service: any ChatService, terminal: any Terminal, options: ChatApplicationOptions) {
        self.terminal = terminal
        self.options = options
        loop = AppLoop(service: service, options)
    }

    /// The work that remains after `run`, as a line for standard output: the queue, unfinished transfers.
    package private(set) var farewell: String?

    /// The work that was begun and could not be finished, as a line for standard error.
    package private(set) var undone: String?

    /// The half-typed lines that were left on this screen.
    package private(set) var leftLines: [String] = []

    /// Opens the screen, and returns the exit code when the user has quit and the terminal is restored: 0, or
    /// 128 + signal when a signal ended it. Throws when there is no usable terminal.
    package func run() async throws(TerminalError) -> Int32 {
        let last = try await loop.run(size: terminal.size, options) { () throws(TerminalError) in
            try terminal.start { [weak self] event in self?.receive(event) }
            loop.onChange = { [weak self] action in self?.schedulePaint(after: action) }
            loop.onTyped = { [weak self] state in self?.echo(state) ?? false }
            loop.onEffect = { [weak self] effect in self?.carryOut(effect) }
            loop.terminalIs(terminal.capabilities)
            terminal.perform(.mouse(options.settings.mouse))
            ScreenActor.after(options.patience) { [weak self] in self?.loop.dispatch(.clock) }
            return terminal.size
        }
        terminal.stop()
        guard let last else { return 0 }
        farewell = Sentences.farewell(queued: last.world.queuedCount, transfers: last.world.transfers.begun)
        undone = last.ending.hasLeftUndone ? Sentences.undone : nil
        leftLines = Drafts.leftLines(last)
        return last.ending.exitCode
    }

    private func receive(_ event: InputEvent) {
        if let editor, event.isEnd {
            // The text written there is not lost: the end waits for it.
            endAfterEditor = event
            return editor.end()
        }
        // Answers of the terminal to our questions come as a resize.
        if case .resize = event {
            loop.terminalIs(terminal.capabilities)
            // Another program may have had the terminal, and has given it a title of its own.
            shownTitle = nil
        }
        loop.dispatch(.input(event))
    }

    private func carryOut(_ effect: AppEffect) {
        switch effect {
        case .bell: terminal.bell()
        case .terminal(let command): terminal.perform(command)
        case .edit(let text): edit(text)
        case .redraw: terminal.redraw()
        case .suspend: terminal.suspend()
        case .run, .ask, .spawn, .keepLine, .forgetLines, .quit, .giveUp: break
        }
    }

    /// The terminal is the editor's until that has ended; news of the chat are taken meanwhile, and shown then.
    private func edit(_ text: String) {
        terminal.lend()
        let editor = EditorSession.current()
        self.editor = editor
        Task { [weak self] in
            let outcome = await editor.edit(text)
            self?.takeBack(outcome)
        }
    }

    private func takeBack(_ outcome: EditorOutcome) {
        editor = nil
        terminal.takeBack()
        loop.dispatch(.edited(outcome))
        if let event = endAfterEditor { loop.dispatch(.input(event)) }
    }

    // MARK: Painting

    /// The echo of a key is painted at once, by the code that read the key; news are painted together, a little later.
    private func schedulePaint(after action: AppAction) {
        let now = loop.now.uptime
        if isHeld {
            guard let state = loop.state, !state.isOpening || now >= options.patience else { return }
            isHeld = false
        }
        let isEcho = if case .input = action { true } else { false }
        if !loop.hasOnlyTyped { loop.shown = loop.shown?.outdated(to: isEcho ? .beforeKey : .beforeNews) }
        guard let delay = painter.request(at: now, asEcho: isEcho) else { return }
        if isEcho, delay <= .zero { return paint() }
        ScreenActor.after(delay) { [weak self] in self?.paintIfDue() }
    }

    /// Shows a typed character in the picture that is there, so that no key waits until everything that has come with
    /// it or before it is drawn.
    private func echo(_ state: AppState) -> Bool {
        let now = state.surface.moment.uptime
        guard !isHeld, painter.mayEcho(at: now), presentTyped(state) else { return false }
        painter.echoed(at: now)
        return true
    }

    /// `false` when a typed character is not all that the picture lacks, as far as that is its own.
    private func presentTyped(_ state: AppState) -> Bool {
        guard let typed = loop.shown?.typed(state) else { return false }
        loop.shown = typed
        terminal.present(typed.canvas)
        return true
    }

    /// Paints, unless a key in between has painted already.
    private func paintIfDue() {
        if painter.isDue(at: loop.now.uptime) { paint() }
    }

    private func paint() {
        painter.painted(at: loop.now.uptime)
        guard let state = loop.state else { return }
        if loop.shown?.age == .current, presentTyped(state) { return }
        let whole = view(state)
        loop.shown = whole
        terminal.present(whole.canvas)
        let title = state.windowTitle
        if state.surface.settings.title, title != shownTitle {
            shownTitle = title
            terminal.setTitle(title)
        }
    }
}
