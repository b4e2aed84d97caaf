// The golden pictures through real ncurses into a real tmux: what stands in its pane is what `view` has drawn.

import Glibc
import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

extension RealTerminals.NcursesTerminalTests {
    @Test(
        "tmux shows each picture as it was drawn, one after the other",
        arguments: [(120, 40), (80, 24), (40, 10), (20, 5)])
    func picturesInTmux(columns: Int, rows: Int) async throws {
        let tmux = try await TmuxSession(columns: columns, rows: rows, environment: ["PATH": "/usr/bin:/bin"])
        // Nobody else reads what the terminal answers.
        try await tmux.enter("clear; stty -echo; echo ready; exec sleep 600")
        try await tmux.waitFor("the pane is ours") { $0.rows.first == "ready" }
        let descriptor = open(try await tmux.device(), O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var environment = TerminalEnvironment.current()
        environment.type = "tmux-256color"
        environment.noColor = false
        let terminal = NcursesTerminal(input: descriptor, output: descriptor, environment: environment)
        try terminal.start { _ in }
        for (name, canvas) in Self.pictures(columns: columns, rows: rows) {
            let expected = canvas.text().split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
            terminal.present(canvas)
            try await tmux.waitFor("\(name):\n\(canvas.text())") { $0.rows == expected }
        }
        terminal.stop()
        try await tmux.waitFor("what was there before") { $0.rows.first == "ready" }
    }

    /// The pictures of screens/, in an order in which little of one stays in the next.
    private static func pictures(columns: Int, rows: Int) -> [(name: String, canvas: Canvas)] {
        var pictures: [(name: String, canvas: Canvas)] = []
        func add(_ name: String, _ change: (inout ScreenFixture) -> Void) {
            var fixture = ScreenFixture.main(columns: columns, rows: rows)
            change(&fixture)
            pictures.append((name, fixture.canvas))
        }
        add("the main screen") {
            $0.addBuildLog()
            $0.type("one more thing")
        }
        add("the help") { $0.press("F1") }
        add("an offer") {
            $0.type("half-typed text stays here")
            $0.addOffer()
        }
        add("the transfers") {
            $0.addTransfers()
            $0.press("Alt-t")
        }
        add("the search") {
            $0.press("Alt-s")
            $0.type("build log")
        }
        add("the number to compare") {
            $0.enter("/verify")
            $0.send(.answer(.safetyNumber(ScreenFixture.alice, ScreenFixture.safetyNumber)))
        }
        let first = FirstRunScreen(
            form: FirstRunForm(.jo), capabilities: TerminalCapabilities(colors: 256, unicode: true))
        pictures.append(("the first start", first.draw(size: Size(columns: columns, rows: rows))))
        return pictures
    }
}
