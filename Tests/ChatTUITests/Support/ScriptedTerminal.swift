// A terminal that a test types into: it keeps the last canvas and counts the pictures.

@testable import ChatTUI
@testable import ChatWords

@ScreenActor
final class ScriptedTerminal: Terminal {
    var size: Size
    let capabilities = TerminalCapabilities(colors: 256, unicode: true)
    private(set) var canvas = Canvas(size: Size(columns: 0, rows: 0))
    private(set) var presentCount = 0
    /// The first picture.
    private(set) var first: Canvas?
    private(set) var title: SafeText?
    private(set) var isStopped = false
    private(set) var suspendCount = 0
    private(set) var commands: [TerminalCommand] = []
    private var onInput: (@ScreenActor (InputEvent) -> Void)?

    init(columns: Int = 80, rows: Int = 24) {
        size = Size(columns: columns, rows: rows)
    }

    func start(onInput: @escaping @ScreenActor (InputEvent) -> Void) throws(TerminalError) {
        self.onInput = onInput
    }

    func present(_ canvas: Canvas) {
        self.canvas = canvas
        first = first ?? canvas
        presentCount += 1
    }

    func bell() {}
    func setTitle(_ title: SafeText) { self.title = title }
    func suspend() { suspendCount += 1 }
    func stop() { isStopped = true }
    func perform(_ command: TerminalCommand) { commands.append(command) }

    var isStarted: Bool { onInput != nil }
    var text: String { ScreenFixture.text(canvas) }

    func send(_ event: InputEvent) { onInput?(event) }

    func type(_ text: String) {
        for character in text { send(.key(Key(character))) }
    }

    func press(_ name: String) {
        guard let key = Key(named: name) else { preconditionFailure("no key is called \(name)") }
        send(.key(key))
    }

    /// Waits until the screen shows `words`; `false` after ten minutes. A machine that builds beside the tests has taken two.
    func waits(for words: String) async -> Bool {
        await waits { $0.text.contains(words) }
    }

    func waits(until condition: (ScriptedTerminal) -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(600)
        while ContinuousClock.now < end {
            if condition(self) { return true }
            // Each look draws the whole text, which must not keep the program itself from its processor.
            try? await Task.sleep(for: .milliseconds(5))
        }
        return condition(self)
    }
}
