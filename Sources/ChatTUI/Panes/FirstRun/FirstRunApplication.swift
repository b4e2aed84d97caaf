// Runs the page of the first start on a terminal.

import ChatWords

/// Shows the first page and returns what the user decided. Writes nothing.
@ScreenActor
package final class FirstRunApplication {
    private let terminal: any Terminal
    private let theme: Theme
    private var form: FirstRunForm
    private var size: Size
    /// What the terminal shows: a click means that.
    private var shown: Canvas?
    private let examine: @Sendable (FirstRunAnswer) throws(FirstRunProblem) -> Void
    private var answered: CheckedContinuation<FirstRunAnswer, Never>?
    /// Our address as a QR code, shown until the next key.
    private var code: QRPane?

    /// `examine` throws what keeps an answer from being carried out; the page says it, and waits for another one.
    package init(
        terminal: any Terminal, defaults: FirstRunDefaults, theme: Theme = .terminal,
        examine: @escaping @Sendable (FirstRunAnswer) throws(FirstRunProblem) -> Void = { _ in }
    ) {
        self.terminal = terminal
        self.theme = theme
        self.examine = examine
        form = FirstRunForm(defaults)
        size = terminal.size
    }

    /// Takes the terminal until the user has decided, then gives it back; may be run again, and has what was typed.
    /// Throws when there is no usable terminal.
    package func run() async throws(TerminalError) -> FirstRunAnswer {
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
        guard code == nil else { return receiveOverCode(event) }
        if let step = form.receive(clicked(event)) { take(step) } else { paint() }
    }

    /// A click on a hint or a button is its key; this handles one on a field.
    private func clicked(_ event: InputEvent) -> InputEvent {
        guard case .mouse(let mouse) = event, mouse.action == .press, mouse.button == .left,
            let target = shown?.target(at: mouse.point)
        else { return event }
        if case .key(let key) = target { return .key(key) }
        if case .field(let target) = target, case .form(let field) = target.name {
            form.click(field, at: target.offset(in: form.line(field), at: mouse.point.column))
        }
        return event
    }

    /// Any key or click closes the code; the ends of the program are the page's.
    private func receiveOverCode(_ event: InputEvent) {
        switch event {
        case .key: code = nil
        case .mouse(let mouse) where mouse.action == .press: code = nil
        case .terminate, .hangup: if let step = form.receive(event) { return take(step) }
        default: break
        }
        paint()
    }

    private func take(_ step: FirstRunStep) {
        switch step {
        case .copy(let address):
            terminal.perform(.copy(address))
            form.say("Copied, if the terminal allows it")
        case .code(let address):
            do throws(QRCodeError) {
                code = QRPane(address: address, code: try QRCode(address))
            } catch {
                form.say("No QR code: \(error.reason) (\(error.advice))")
            }
        case .answer(let answer):
            do throws(FirstRunProblem) {
                try examine(answer)
                answered?.resume(returning: answer)
                answered = nil
                return
            } catch {
                form.refuse(error)
            }
        }
        paint()
    }

    private func paint() {
        let screen = FirstRunScreen(form: form, capabilities: terminal.capabilities, theme: theme, code: code)
        let canvas = screen.draw(size: size)
        shown = canvas
        terminal.present(canvas)
    }
}
