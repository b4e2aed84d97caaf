// Runs the page of the first start on a terminal.

/// Shows the first page and returns what the user decided. Writes nothing.
@ScreenActor
public final class FirstRunApplication {
    private let terminal: any Terminal
    private let theme: Theme
    private var form: FirstRunForm
    private var size: Size
    private let examine: @Sendable (FirstRunAnswer) throws(FirstRunProblem) -> Void
    private var answered: CheckedContinuation<FirstRunAnswer, Never>?

    /// `examine` throws what keeps an answer from being carried out; the page says it, and waits for another one.
    public init(
        terminal: any Terminal, defaults: FirstRunDefaults, theme: Theme = .terminal,
        examine: @escaping @Sendable (FirstRunAnswer) throws(FirstRunProblem) -> Void = { _ in }
    ) {
        self.terminal = terminal
        self.theme = theme
        self.examine = examine
        form = FirstRunForm(defaults)
        size = terminal.size
    }

    /// Takes the terminal until the user has decided, then gives it back. Throws when there is no usable terminal.
    public func run() async throws(TerminalError) -> FirstRunAnswer {
        try terminal.start { [weak self] event in self?.receive(event) }
        terminal.perform(.mouse(true))
        size = terminal.size
        paint()
        let answer = await withCheckedContinuation { answered = $0 }
        terminal.stop()
        return answer
    }

    private func receive(_ event: InputEvent) {
        if case .resize(let newSize) = event { size = newSize }
        var event = event
        if case .mouse(let mouse) = event, mouse.action == .press, mouse.button == .left,
            let key = screen.key(at: mouse.point, size: size)
        {
            event = .key(key)
        } else if case .mouse(let mouse) = event, mouse.action == .press, mouse.button == .left,
            let place = screen.field(at: mouse.point, size: size)
        {
            form.focus(place.field, at: place.offset)
        }
        guard let answer = form.receive(event) else { return paint() }
        do throws(FirstRunProblem) {
            try examine(answer)
            answered?.resume(returning: answer)
            answered = nil
        } catch {
            form.refuse(error)
            paint()
        }
    }

    private func paint() {
        terminal.present(screen.draw(size: size))
    }

    private var screen: FirstRunScreen {
        FirstRunScreen(form: form, capabilities: terminal.capabilities, theme: theme)
    }
}
