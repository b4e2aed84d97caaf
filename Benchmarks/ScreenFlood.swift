// The screen in a flood of messages: keys echo, pictures stay below 60 a second, memory stays where it was.

internal import ChatTUI
internal import ChatWords
internal import Glibc
internal import TestSupport
internal import Workbench

/// A table of the part `screen`, and the role that it starts: the screen over a service that floods it.
enum ScreenFlood {
    static let duration = Duration.seconds(10)

    static func run(_ folder: TemporaryDirectory, _ effort: Effort) throws {
        let terminal = try MeasuredTerminal(
            [ChildProgram.ownPath, "screen-flood"], environment: ScreenProgram.environment(home: folder.path))
        try terminal.waitFor("F1 help")
        terminal.settle()
        // The first key begins the flood. What the first second makes grow is the window of the chat.
        _ = try ScreenPart.typing(on: terminal, keys: 20)
        let before = try terminal.figures.residentBytes()
        let processor = try terminal.figures.processorSeconds()
        let start = ContinuousClock.now
        let keys = try ScreenPart.typing(on: terminal, keys: 160)
        let seconds = (ContinuousClock.now - start).seconds
        let load = (try terminal.figures.processorSeconds() - processor) / seconds
        let growth = Double(try terminal.figures.residentBytes() - before) / 1_048_576
        let after = try terminal.figures.residentBytes()
        terminal.settle()
        try terminal.type("\u{11}")
        let counts = try terminal.waitForNumbers(behind: "pictures")
        let p99 = keys.latencies.p99.seconds * 1000
        Report.heading("\(FloodService.perSecond) messages a second for 10 s", "median", "p99")
        Report.row(
            "echo of a key", ScreenPart.milliseconds(keys.latencies.median.seconds * 1000),
            ScreenPart.milliseconds(p99), goal: .below(50, p99, unit: " ms"))
        let most = counts.last ?? 0
        Report.row("most pictures in a second", String(most), "", goal: .atMost(60, Double(most)))
        Report.row("share of one processor", Figure.percent(load), "")
        Report.row("resident", ScreenPart.mebibytes(after), "")
        Report.row(
            "resident, more than after the first second", Figure.tenths(growth) + " MiB", "",
            goal: .below(2, growth, unit: " MiB"))
        Report.end()
    }

    /// The flooded screen. Prints at its end how many pictures it has painted, and how many at most in one second.
    @ScreenActor static func show() async throws {
        let terminal = CountingTerminal()
        let application = ChatApplication(
            service: FloodService(lasting: duration), terminal: terminal,
            options: ChatApplicationOptions(home: "/", version: "bench"))
        _ = try await application.run()
        print("pictures \(terminal.pictures.count) \(terminal.mostInASecond) end")
    }
}

/// The real terminal, with the times of its pictures.
@ScreenActor
private final class CountingTerminal: Terminal {
    private let terminal = NcursesTerminal()
    private(set) var pictures: [ContinuousClock.Instant] = []

    var size: Size { terminal.size }
    var capabilities: TerminalCapabilities { terminal.capabilities }

    func start(onInput: @escaping @ScreenActor (InputEvent) -> Void) throws(TerminalError) {
        try terminal.start(onInput: onInput)
    }

    func present(_ canvas: Canvas) {
        pictures.append(.now)
        terminal.present(canvas)
    }

    func redraw() { terminal.redraw() }
    func bell() { terminal.bell() }
    func setTitle(_ title: SafeText) { terminal.setTitle(title) }
    func perform(_ command: TerminalCommand) { terminal.perform(command) }
    func suspend() { terminal.suspend() }
    func lend() { terminal.lend() }
    func takeBack() { terminal.takeBack() }
    func stop() { terminal.stop() }

    var mostInASecond: Int {
        var first = 0
        var most = 0
        for (index, time) in pictures.enumerated() {
            while time - pictures[first] >= .seconds(1) { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }
}
