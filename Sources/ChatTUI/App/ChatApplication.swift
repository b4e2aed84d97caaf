// The running screen: turns input and chat events into actions, carries out the effects of `update`, paints `view`.

import CLinux
public import ChatCore
import Dispatch
import Glibc

/// What the command line decides about the screen.
public struct ChatApplicationOptions: Sendable {
    /// The home folder, shown as `~`.
    public var home: String
    public var version: String
    public var clock: LocalClock
    /// The contact whose chat opens first; the newest one when `nil`.
    public var contact: String?
    /// Dim lines that are shown at the start (what the demo is, why nobody can call).
    public var notices: [String]
    public var settings = ScreenSettings()
    /// What `settings.theme` names.
    public var theme = Theme.terminal
    /// Where the settings are kept; without it they cannot be changed.
    public var settingsStore: any SettingsStore = NoSettings()

    public init(
        home: String, version: String, clock: LocalClock = .system, contact: String? = nil, notices: [String] = []
    ) {
        self.home = home
        self.version = version
        self.clock = clock
        self.contact = contact
        self.notices = notices
    }
}

/// Runs the screen over a chat service until the user quits.
///
/// Errands run one after the other in the order in which the user gave them; questions are asked beside them.
/// All on the main actor; nothing here blocks.
@MainActor
public final class ChatApplication {
    private let terminal: any Terminal
    private let service: any ChatService
    private let options: ChatApplicationOptions
    private let runner: EffectRunner
    private let errands: AsyncStream<Errand>
    private let errandInput: AsyncStream<Errand>.Continuation
    private let start = ContinuousClock.now
    private var state: AppState?
    private var painter = PaintSchedule()
    private var shownTitle: SafeText?
    private var timer: (any DispatchSourceTimer)?
    private var timerDeadline: Duration?
    private var searches: Task<Void, Never>?
    private let launcher = ProgramLauncher()

    public init(service: any ChatService, terminal: any Terminal, options: ChatApplicationOptions) {
        self.service = service
        self.terminal = terminal
        self.options = options
        runner = EffectRunner(service: service, settings: options.settingsStore)
        (errands, errandInput) = AsyncStream.makeStream()
    }

    /// What stays to be done after `run`, as a line for standard output: the queue, unfinished transfers.
    public private(set) var farewell: String?

    /// Opens the screen, and returns the exit code when the user has quit and the terminal is restored: 0, or
    /// 128 + signal when a signal ended it. Throws when there is no usable terminal.
    public func run() async throws(TerminalError) -> Int32 {
        // News first, then the state: nothing that happens in between is missed.
        let events = await service.events()
        var first = AppState(
            size: terminal.size, clock: options.clock, moment: now, home: options.home, version: options.version,
            identity: await service.identity)
        first.firstContact = options.contact
        first.settings = options.settings
        first.theme = options.theme
        first.settingKeys = options.settingsStore.keys
        if !options.notices.isEmpty { first.note(options.notices) }
        state = first
        try terminal.start { [weak self] event in self?.dispatch(.input(event)) }
        state?.size = terminal.size
        state?.terminal = terminal.capabilities
        terminal.perform(.mouse(options.settings.mouse))
        let listener = Task { [weak self] in
            for await event in events { self?.dispatch(.chat(event)) }
        }
        for question: Question in [.conversations, .transfers, .requests, .downloads] { carryOut(.ask(question)) }
        dispatch(.clock)
        for await errand in errands { dispatch(await runner.run(errand)) }
        listener.cancel()
        searches?.cancel()
        timer?.cancel()
        terminal.stop()
        guard let state else { return 0 }
        farewell = Sentences.farewell(queued: state.queuedCount, transfers: state.transfers.unfinished.count)
        return state.exitCode
    }

    // MARK: Actions and effects

    private var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        return Moment(wall: Timestamp(milliseconds: milliseconds), uptime: ContinuousClock.now - start)
    }

    private func dispatch(_ action: AppAction) {
        guard var state else { return }
        // Answers of the terminal come as a resize.
        if case .input(.resize) = action { state.terminal = terminal.capabilities }
        // The only owner while it changes, so that nothing is copied.
        self.state = nil
        let effects = update(&state, action, at: now)
        self.state = state
        for effect in effects { carryOut(effect) }
        if case .input = action { schedulePaint(asEcho: true) } else { schedulePaint(asEcho: false) }
        scheduleTimer()
    }

    private func carryOut(_ effect: AppEffect) {
        switch effect {
        case .run(let errand): errandInput.yield(errand)
        case .ask(let question): ask(question)
        case .bell: terminal.bell()
        case .terminal(let command): terminal.perform(command)
        case .spawn(let words):
            let code = launcher.launch(words)
            if code != 0 { dispatch(.launchFailed(program: words.first ?? "", errno: code)) }
        case .redraw:
            terminal.redraw()
        case .suspend: terminal.suspend()
        case .quit: errandInput.finish()
        }
    }

    private func ask(_ question: Question) {
        let task = Task { [weak self, runner] in
            guard let answer = await runner.answer(question), !Task.isCancelled else { return }
            self?.dispatch(.answer(answer))
        }
        if case .search = question {
            // The query before is not wanted any more.
            searches?.cancel()
            searches = task
        }
    }

    // MARK: Painting and time

    /// The echo of a key is painted at once, by whoever has read the key; news are painted together, a little later.
    private func schedulePaint(asEcho isEcho: Bool) {
        let uptime = now.uptime
        guard let delay = painter.request(at: uptime, asEcho: isEcho) else { return }
        if isEcho, delay <= .zero { return paint() }
        DispatchQueue.main.asyncAfter(deadline: .now() + delay.dispatchInterval) { [weak self] in
            MainActor.assumeIsolated { self?.paintIfDue() }
        }
    }

    /// What was to be painted may have been painted by a key in between.
    private func paintIfDue() {
        if painter.isDue(at: now.uptime) { paint() }
    }

    private func paint() {
        painter.painted(at: now.uptime)
        guard let state else { return }
        terminal.present(view(state, size: state.size))
        let title = state.windowTitle
        if state.settings.title, title != shownTitle {
            shownTitle = title
            terminal.setTitle(title)
        }
    }

    private func scheduleTimer() {
        guard let deadline = state?.deadline, deadline != timerDeadline else { return }
        timerDeadline = deadline
        let timer = self.timer ?? makeTimer()
        let delay = max(.zero, deadline - now.uptime) + .milliseconds(1)
        timer.schedule(deadline: .now() + delay.dispatchInterval, leeway: .milliseconds(5))
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.setEventHandler { [weak self] in
            MainActor.assumeIsolated {
                self?.timerDeadline = nil
                self?.dispatch(.clock)
            }
        }
        timer.resume()
        self.timer = timer
        return timer
    }
}

extension Duration {
    /// For Dispatch; at most some years.
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let seconds = min(components.seconds, 1_000_000_000)
        return .nanoseconds(Int(seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000))
    }
}
