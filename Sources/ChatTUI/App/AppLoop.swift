// The loop that every front end with a person before it shares: actions change the state by `update`, effects are
// carried out against the chat service. The owner of the loop (ChatApplication, PlainApplication) decides what becomes
// of the state.

import CLinux
import ChatCore
import ChatWords
import Dispatch
import Glibc

/// Runs `update` over a chat service until the user quits.
///
/// Errands run one after the other in the order in which the user gave them, but none waits for a folder of thousands of
/// files to be offered; questions are asked beside them.
/// All on the screen actor; nothing here blocks.
@ScreenActor
final class AppLoop {
    /// Called after each action; `state` is what it has led to.
    var onChange: @ScreenActor (AppAction) -> Void = { _ in }
    /// Called with what an action has led to that only typed; true when that is all shown, and `onChange` is not called.
    var onTyped: @ScreenActor (AppState) -> Bool = { _ in false }
    /// Carries out what concerns the terminal: the loop knows none.
    var onEffect: @ScreenActor (AppEffect) -> Void = { _ in }

    /// Called after each answer to a question.
    var onAnswered: @ScreenActor () -> Void = {}
    /// Questions without an answer yet.
    private(set) var openQuestions = 0
    /// Errands that are to be done, and are not yet.
    private(set) var openErrands = 0

    private(set) var state: AppState?
    /// The picture that the terminal shows, which a click means; `nil` before the first one and in line mode.
    var shown: Picture?
    /// Actions that come before the front end has begun; they wait until it has. `nil` from then on.
    private var early: [AppAction]? = []
    /// The value in `state` after the last action.
    private(set) var hasOnlyTyped = false
    /// When (uptime) to look at `state` again.
    private var deadline: Duration?
    private let service: any ChatService
    private let runner: EffectRunner
    private let errands: AsyncStream<Errand>
    private let errandInput: AsyncStream<Errand>.Continuation
    private let start = ContinuousClock.now
    private var timer: (any DispatchSourceTimer)?
    private var timerDeadline: Duration?
    private var searches: Task<Void, Never>?
    /// Questions whose answers are files.
    private var writing: [Int: Task<Void, Never>] = [:]
    private var zoneWatch = ZoneWatch()
    private let launcher = ProgramLauncher()
    private let inputHistory: InputHistoryFile?
    /// Writes the input history in the order of Enter, away from the screen.
    private let historyQueue = DispatchQueue(label: "input history")

    init(service: any ChatService, _ options: ChatApplicationOptions) {
        self.service = service
        runner = EffectRunner(
            service: service, settings: options.settingsStore, runsCommands: options.runsCommands,
            pasteFolder: options.pasteFolder, pictures: options.pictures)
        inputHistory = options.inputHistory
        (errands, errandInput) = AsyncStream.makeStream()
    }

    /// Reads the chat, follows its news and carries out errands until the user has quit and all of them are done.
    /// `begin` is called once, when there is a state and before anything has happened to it.
    ///
    /// Returns the last state. Throws what `begin` throws.
    func run(
        size: Size, _ options: ChatApplicationOptions, begin: @ScreenActor () throws(TerminalError) -> Size?
    ) async throws(TerminalError) -> AppState? {
        // News first, then the state: nothing that happens in between is missed.
        let events = await service.events()
        state = await firstState(size: size, options)
        for question: Question in [.conversations, .transfers, .requests, .downloads] { carryOut(.ask(question)) }
        // The first page has checked it.
        if let someone = options.someone, let errand = try? Introduction.errand(for: someone) {
            carryOut(.run(errand))
            if case .meet? = errand.call { state?.say(Introduction.looking) }
        }
        // On another processor they are answered while the terminal is started.
        await Task.yield()
        if let size = try begin() { state?.surface.resize(to: size) }
        let early = self.early ?? []
        self.early = nil
        for action in early { dispatch(action) }
        let listener = listen(to: events)
        dispatch(.clock)
        await carryOutErrands()
        // A task that writes a file does not end in the middle of it.
        for task in writing.values { await task.value }
        listener.cancel()
        searches?.cancel()
        timer?.cancel()
        historyQueue.sync {}
        return state
    }

    private func firstState(size: Size, _ options: ChatApplicationOptions) async -> AppState {
        let limit = options.settings.historyCount
        let surface = Surface(
            size: size, clock: options.clock, moment: now, home: options.home, version: options.version,
            settings: options.settings, theme: options.theme, settingNames: options.settingsStore,
            isLineMode: options.isLineMode)
        let world = World(identity: await service.identity, isSecondScreen: options.isSecondScreen)
        let lines = inputHistory?.read(limit: limit)
        var first = AppState(
            surface: surface, world: world, history: lines.map { InputHistory($0, limit: limit) },
            firstContact: options.contact)
        if !options.notices.isEmpty { first.note(options.notices) }
        return first
    }

    /// Hands news of the chat to the screen actor, at the pace at which a screen can show them.
    private func listen(to events: AsyncStream<ChatEvent>) -> Task<Void, Never> {
        Task.detached { [weak self] in
            let news = NewsQueue()
            var pace = NewsPace(at: .now)
            for await event in events {
                let now = ContinuousClock.now
                if news.add(event) { ScreenActor.after(pace.tell(at: now)) { self?.take(news) } }
                guard pace.rests(at: now) else { continue }
                // Ends early when the listener is cancelled, and then so does the loop.
                try? await Task.sleep(for: NewsPace.rest)
                pace.begin(at: .now)
            }
        }
    }

    /// Carries out errands in their order until the user has quit. One that may take long holds up the others for a second.
    private func carryOutErrands() async {
        var offering: Task<Void, Never>?
        for await errand in errands {
            defer {
                openErrands -= 1
                onAnswered()
            }
            guard await EffectRunner.mayTakeLong(errand) else {
                dispatch(await runner.run(errand))
                continue
            }
            let (ends, end) = AsyncStream<Never>.makeStream()
            offering = Task { [offering] in
                await offering?.value
                dispatch(await runner.run(errand))
                end.finish()
            }
            // A large folder must not hold up what the user enters next.
            let patience = Task {
                try? await Task.sleep(for: .seconds(1))
                end.finish()
            }
            for await _ in ends {}
            patience.cancel()
        }
        await offering?.value
    }

    /// Notes what the terminal can do, as far as is known by now.
    func terminalIs(_ capabilities: TerminalCapabilities) {
        // Pictures are read in the size that they are shown in.
        if capabilities.graphics != state?.surface.terminal.graphics { state?.world.pictures.forget() }
        state?.surface.terminalIs(capabilities)
    }

    // MARK: Actions and effects

    var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        return Moment(wall: Timestamp(milliseconds: milliseconds), uptime: ContinuousClock.now - start)
    }

    func dispatch(_ action: AppAction) {
        guard early == nil else {
            early?.append(action)
            return
        }
        let moment = now
        if zoneWatch.isDue(at: moment.uptime) { SystemZone.lookAgain() }
        // The only owner while it changes, so that nothing is copied.
        guard var changing = state.take() else { return }
        let effects = update(&changing, action, at: moment, shown: shown)
        // Asked for and shown here: a state that is kept is copied for that, with a hundred counts of references.
        hasOnlyTyped = changing.composer.hasOnlyTyped
        let isShown = hasOnlyTyped && onTyped(changing)
        deadline = changing.deadline
        state = consume changing
        for effect in effects { carryOut(effect) }
        if !isShown { onChange(action) }
        scheduleTimer()
    }

    /// Passes on the events of the chat; keys that came meanwhile go between two portions.
    private func take(_ news: NewsQueue) {
        let (events, isMore) = news.take()
        for event in events { dispatch(.chat(event)) }
        if isMore { ScreenActor.enqueue { [weak self] in self?.take(news) } }
    }

    private func carryOut(_ effect: AppEffect) {
        switch effect {
        case .run(let errand):
            openErrands += 1
            errandInput.yield(errand)
        case .ask(let question): ask(question)
        case .quit: errandInput.finish()
        case .giveUp: Task { [service] in await service.giveUp() }
        case .spawn(let words):
            let program = words.first ?? ""
            let code = launcher.launch(words) { [weak self] failure in
                self?.dispatch(.programFailed(program: program, failure))
            }
            if code != 0 { dispatch(.launchFailed(program: program, errno: code)) }
        case .keepLine(let line):
            if let inputHistory { historyQueue.async { inputHistory.append(line) } }
        case .forgetLines: if let inputHistory { historyQueue.async { inputHistory.forget() } }
        case .bell, .terminal, .edit, .redraw, .suspend: onEffect(effect)
        }
    }

    private func ask(_ question: Question) {
        openQuestions += 1
        let number = (writing.keys.max() ?? 0) + 1
        let task = Task { [weak self, runner] in
            let answer = await runner.answer(question)
            self?.openQuestions -= 1
            self?.writing[number] = nil
            if let answer, !Task.isCancelled { self?.dispatch(.answer(answer)) }
            self?.onAnswered()
        }
        switch question {
        case .command, .backUp: writing[number] = task
        default: break
        }
        if case .search = question {
            // The query before is not wanted any more.
            searches?.cancel()
            searches = task
        }
    }

    // MARK: Time

    private func scheduleTimer() {
        guard let deadline, deadline != timerDeadline else { return }
        timerDeadline = deadline
        let timer = self.timer ?? makeTimer()
        let delay = max(.zero, deadline - now.uptime) + .milliseconds(1)
        timer.schedule(deadline: .now() + delay.dispatchInterval, leeway: .milliseconds(5))
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: ScreenActor.queue)
        timer.setEventHandler { [weak self] in
            ScreenActor.assumeIsolated {
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
    var dispatchInterval: DispatchTimeInterval {
        let seconds = min(components.seconds, 1_000_000_000)
        return .nanoseconds(Int(seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000))
    }
}
