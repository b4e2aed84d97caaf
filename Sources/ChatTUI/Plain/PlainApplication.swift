// The chat as lines, for screen readers, dumb terminals and pipes (`--plain`): the same state and commands as the screen,
// printed as they change. No cursor movement, no colours.

package import ChatCore
package import ChatWords

/// The input of line mode.
package enum PlainInput: Sendable, Equatable {
    /// Without its end. Several lines when they came as one paste.
    case line(String)
    /// The input has ended: everything that was entered is done, then the chat is left.
    case end
    /// SIGINT or SIGTERM.
    case terminate(signal: Int32)
    /// SIGHUP: the settings are read again. When the terminal has gone, its input ends, too.
    case reload
}

/// Runs line mode over a chat service until the user quits or the input ends.
@ScreenActor
package final class PlainApplication {
    private let options: ChatApplicationOptions
    private let loop: AppLoop
    /// A person types and reads the output: when nobody reads it any more, line mode waits for nothing more.
    private let isInteractive: Bool
    private let unicode: Bool
    private let print: @ScreenActor (SafeText) -> Bool
    private var before: AppState?
    /// Lines that wait for the answers to the questions before them.
    private var waiting: [PlainInput] = []
    /// Until when the first of them waits.
    private var patience: ContinuousClock.Instant?
    private var isTaking = false
    private static let lineLimit = Duration.seconds(1)
    /// Input that came before the chats were read.
    private var early: [PlainInput] = []
    private var peerNews = PeerNews()

    /// `print` writes a line, and returns `false` when nobody reads them any more: then a person's chat ends with what was
    /// entered until then (`isInteractive`), and what comes from a pipe is sent to its end, without a word.
    /// `unicode`: what is printed may be more than ASCII.
    package init(
        service: any ChatService, options: ChatApplicationOptions, isInteractive: Bool = true, unicode: Bool = true,
        print: @escaping @ScreenActor (SafeText) -> Bool
    ) {
        self.isInteractive = isInteractive
        self.unicode = unicode
        var options = options
        options.isLineMode = true
        self.options = options
        self.print = print
        loop = AppLoop(service: service, options)
    }

    /// The work that is left after `run`: the queue, unfinished transfers.
    package private(set) var farewell: String?

    /// Nobody reads what is printed any more.
    package private(set) var isUnread = false

    /// Returns the exit code: 0, or 128 + signal.
    package func run(_ input: AsyncStream<PlainInput>) async -> Int32 {
        loop.onChange = { [weak self] action in self?.printChange(action) }
        loop.onAnswered = { [weak self] in self?.takeNext() }
        loop.onEffect = { [weak self] effect in
            guard case .edit = effect else { return }
            self?.loop.dispatch(.edited(.failed("Line mode has no editor: just type your lines")))
        }
        // Lines have no size; this one is for what is only drawn.
        let size = Size(columns: 80, rows: 24)
        var reader: Task<Void, Never>?
        let last = try? await loop.run(size: size, options) { () throws(TerminalError) in
            for line in options.notices { _ = print(SafeText(line, as: .line)) }
            if var terminal = loop.state?.surface.terminal {
                terminal.unicode = unicode
                loop.terminalIs(terminal)
            }
            before = loop.state
            reader = Task { [weak self] in
                for await part in input { self?.take(part) }
            }
            return nil
        }
        reader?.cancel()
        guard let last else { return 0 }
        farewell = Sentences.farewell(queued: last.world.queuedCount, transfers: last.world.transfers.begun)
        return last.ending.exitCode
    }

    // MARK: Input

    private func take(_ input: PlainInput) {
        if case .terminate(let signal) = input { return loop.dispatch(.input(.terminate(signal: signal))) }
        // A line is for the open chat, and no chat is open before the chats were read.
        guard loop.state?.world.hasLoaded == true else {
            early.append(input)
            return
        }
        waiting.append(input)
        takeNext()
    }

    /// One line after the other: the request of a line is done and reported before the next line is read, which may be
    /// about it. A slow request holds nobody up for more than a second.
    private func takeNext() {
        guard !isTaking else { return }
        isTaking = true
        defer { isTaking = false }
        while let first = waiting.first {
            let isBusy = loop.openQuestions > 0 || loop.openErrands > 0
            guard !isBusy || patience.map({ ContinuousClock.now >= $0 }) ?? false else {
                guard patience == nil else { return }
                patience = .now + Self.lineLimit
                return ScreenActor.after(Self.lineLimit + .milliseconds(10)) { [weak self] in self?.takeNext() }
            }
            patience = nil
            waiting.removeFirst()
            switch first {
            case .line(let text): enter(text)
            case .end: endWhenAnswered()
            case .reload: loop.dispatch(.input(.reload))
            case .terminate: break
            }
        }
    }

    /// A user who has written `/search` and nothing after it wants the answer.
    private func endWhenAnswered() {
        guard loop.openQuestions > 0 else { return enter("/quit") }
        loop.onAnswered = { [weak self] in
            guard let self, loop.openQuestions == 0 else { return }
            loop.onAnswered = { [weak self] in self?.takeNext() }
            enter("/quit")
        }
    }

    private func enter(_ text: String) {
        if let pane = loop.state?.place.overlay?.pane, pane.takes(answer: text) {
            loop.dispatch(.input(.key(Key(.character(text)))))
        } else {
            loop.dispatch(.line(text))
        }
    }

    // MARK: Output

    private func printChange(_ action: AppAction) {
        guard let before, let after = loop.state else { return }
        self.before = after
        let news = peerNews.lines(after: action, in: after)
        for line in PlainTranscript(before: before, after: after, action: action).lines + news {
            guard !isUnread, !print(line) else { continue }
            isUnread = true
            if isInteractive { take(.end) }
        }
        let isElsewhere = after.openChat?.window.isAtBottom == false && after.openChat?.window.paging.request == nil
        let isOpen = after.place.overlay.map { !$0.pane.isWaiting } ?? false
        if isOpen || (isElsewhere && after.place.overlay == nil) { loop.dispatch(.printed) }
        if after.world.hasLoaded, !early.isEmpty {
            let waiting = early
            early = []
            for input in waiting { take(input) }
        }
    }
}
