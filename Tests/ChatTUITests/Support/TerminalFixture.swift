// The real terminal code on a pseudo-terminal, with the screen that its output makes.

import Glibc
import Testing

@testable import ChatTUI
@testable import ChatWords

/// A started terminal on a pty, and the screen that its output makes.
@ScreenActor
final class TerminalFixture {
    let pty: PseudoTerminal
    let terminal: NcursesTerminal
    var screen: ScreenModel
    var events: [InputEvent] = []
    var written: [UInt8] = []

    init(
        columns: Int = 40, rows: Int = 10, cell: (width: Int, height: Int) = (0, 0),
        environment: TerminalEnvironment? = nil, settings: ScreenSettings = ScreenSettings()
    ) throws {
        let pty = try #require(PseudoTerminal(columns: columns, rows: rows, cell: cell))
        self.pty = pty
        // Switches the C library to UTF-8, too.
        var usual = TerminalEnvironment.current()
        usual.type = "xterm-256color"
        usual.noColor = false
        terminal = NcursesTerminal(
            input: pty.slave, output: pty.slave, environment: environment ?? usual, settings: settings)
        // Nobody answers here, unless a test does.
        terminal.reportPatience = ReportPatience(afterQuestion: .zero)
        screen = ScreenModel(columns: columns, rows: rows)
        if cell.width > 0 { screen.cell = cell }
    }

    func start() throws { try terminal.start { [weak self] event in self?.events.append(event) } }

    func present(_ canvas: Canvas) {
        terminal.present(canvas)
        drain()
    }

    func drain() {
        let bytes = pty.output()
        written += bytes
        screen.receive(bytes)
    }

    func canvas(_ lines: [String]) -> Canvas {
        var canvas = Canvas(size: terminal.size)
        for (row, line) in lines.enumerated() {
            canvas.draw(SafeText(line, as: .line), at: Point(column: 0, row: row))
        }
        return canvas
    }

    /// Waits until `count` events have arrived.
    func waitForEvents(_ count: Int) async throws {
        let limit = ContinuousClock.now + .seconds(60)
        while events.count < count {
            guard ContinuousClock.now < limit else { throw TimedOut(events: events) }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    struct TimedOut: Error { var events: [InputEvent] }
}

extension TerminalFixture {
    /// The cells that every terminal must show alike: of clusters that terminals measure differently only the base,
    /// and not those near the right border, where such a cluster is replaced.
    func visible(_ canvas: Canvas, unicode: Bool = true) -> [[String]] {
        (0..<canvas.size.rows).map { row in
            (0..<canvas.size.columns - 5).flatMap { column -> [String] in
                guard let cluster = canvas[Point(column: column, row: row)].cluster else { return unicode ? [""] : [] }
                if !unicode { return ASCIIGlyphs.cell(of: cluster).map { String($0) } }
                return [isSimple(cluster) ? cluster.text == "\u{A0}" ? " " : cluster.text : base(cluster.text)]
            }
        }.map { Array($0.prefix(canvas.size.columns - 5)) }
    }

    func visibleScreen(like canvas: Canvas) -> [[String]] {
        (0..<canvas.size.rows).map { row in
            (0..<canvas.size.columns - 5).map { column in
                let shown = screen.cells[row][column]
                guard terminal.capabilities.unicode else { return shown }
                guard let cluster = canvas[Point(column: column, row: row)].cluster else { return "" }
                return isSimple(cluster) ? shown : base(shown)
            }
        }
    }

    /// Outside of titles nothing but ASCII was written.
    var screenBytesAreASCII: Bool { written.allSatisfy { $0 < 0x80 } }

    private func base(_ text: String) -> String { text.unicodeScalars.first.map { String($0) } ?? "" }

    private func isSimple(_ cluster: Cluster) -> Bool {
        let scalars = cluster.text.unicodeScalars
        return scalars.prefix(1).reduce(0) { $0 + TextWidth.width(of: $1) } == cluster.width
            && scalars.dropFirst().allSatisfy { TextWidth.width(of: $0) == 0 && !TextWidth.isJoiner($0.value) }
    }
}

extension SafeText {
    /// The text as it would be if all of it led to `link`.
    func linked(to link: Link) -> SafeText {
        SafeText(
            clusters: clusters.map { cluster in
                var cluster = cluster
                cluster.link = link
                return cluster
            })
    }
}
