// The real terminal code on a real pseudo-terminal: what it writes, what it reads, and that it gives everything back.

import CLinux
import Dispatch
import Glibc
import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

extension RealTerminals {
    @ScreenActor
    @Suite("NcursesTerminal")
    struct NcursesTerminalTests {
        // MARK: Start and stop

        @Test("takes raw mode and the modes on, and gives all of it back")
        func startAndStop() throws {
            let fixture = try TerminalFixture()
            let before = try #require(fixture.pty.mode())
            try fixture.start()
            fixture.present(fixture.canvas(["hello"]))
            let during = try #require(fixture.pty.mode())
            #expect(during.c_lflag & tcflag_t(ICANON | ECHO | ISIG | IEXTEN) == 0)
            #expect(during.c_iflag & tcflag_t(IXON | ICRNL) == 0)
            #expect(fixture.screen.modes.isSuperset(of: ["?1049", "?2004", "?1004", "?1"]))
            fixture.terminal.stop()
            fixture.terminal.stop()
            fixture.drain()
            let after = try #require(fixture.pty.mode())
            #expect(
                after.c_lflag == before.c_lflag && after.c_iflag == before.c_iflag && after.c_oflag == before.c_oflag)
            #expect(fixture.screen.modes.isDisjoint(with: ["?1049", "?2004", "?1004", "?1"]))
            #expect(fixture.screen.modes.contains("?25"))
            #expect(fixture.screen.violations == [])
        }

        @Test("can be started again after a stop")
        func startsAgain() throws {
            let fixture = try TerminalFixture()
            for round in 1...3 {
                try fixture.start()
                fixture.present(fixture.canvas(["round \(round)"]))
                #expect(fixture.screen.text.hasPrefix("round \(round)\n"))
                fixture.terminal.stop()
            }
        }

        @Test("says what is missing")
        func errors() throws {
            let pty = try #require(PseudoTerminal(columns: 20, rows: 5))
            let file = open("/dev/null", O_RDWR)
            defer { close(file) }
            func error(_ input: Int32, _ output: Int32, _ type: String?) -> TerminalError? {
                let terminal = NcursesTerminal(
                    input: input, output: output, environment: TerminalEnvironment(type: type))
                do throws(TerminalError) {
                    try terminal.start { _ in }
                    terminal.stop()
                    return nil
                } catch {
                    return error
                }
            }
            #expect(error(file, pty.slave, "xterm") == .inputIsNotATerminal)
            #expect(error(pty.slave, file, "xterm") == .outputIsNotATerminal)
            #expect(error(pty.slave, pty.slave, nil) == .typeNotSet)
            #expect(error(pty.slave, pty.slave, "") == .typeNotSet)
            #expect(error(pty.slave, pty.slave, "no-such-terminal") == .unknownType("no-such-terminal"))
            #expect(error(pty.slave, pty.slave, "dumb") == .cannotMoveCursor("dumb"))
            #expect(!TerminalError.unknownType("a\u{1B}[31m").description.contains("\u{1B}"))
            #expect(pty.output() == [])
        }

        @Test("starts on a tiny terminal", arguments: [(1, 1), (2, 1), (1, 5), (5, 2)])
        func tiny(columns: Int, rows: Int) throws {
            let fixture = try TerminalFixture(columns: columns, rows: rows)
            try fixture.start()
            defer { fixture.terminal.stop() }
            #expect(fixture.terminal.size == Size(columns: columns, rows: rows))
            var canvas = Canvas(size: Size(columns: 80, rows: 24))
            canvas.fill(canvas.bounds, with: SafeText(literal: "日x"))
            fixture.present(canvas)
            #expect(fixture.screen.violations == [])
        }

        // MARK: Painting

        @Test("paints what the canvas shows, with the cursor", arguments: [(20, 5), (40, 10), (80, 24), (120, 40)])
        func paints(columns: Int, rows: Int) throws {
            let fixture = try TerminalFixture(columns: columns, rows: rows)
            try fixture.start()
            defer { fixture.terminal.stop() }
            var canvas = fixture.canvas(["Grüße, 日本語", "e\u{0301}a\u{0334}\u{0334}b", "│ ✓✓ ● ○ …"])
            canvas.frame(canvas.bounds.inset(columns: 1, rows: 1), title: SafeText(literal: "Help"))
            canvas.cursor = Point(column: 3, row: 2)
            fixture.present(canvas)
            #expect(fixture.screen.text == canvas.text())
            #expect(fixture.screen.row == 2 && fixture.screen.column == 3)
            #expect(fixture.screen.violations == [])
        }

        @Test("follows any change from one canvas to the next, also when lines move", arguments: [(20, 5), (60, 24)])
        func changes(columns: Int, rows: Int) throws {
            let fixture = try TerminalFixture(columns: columns, rows: rows)
            try fixture.start()
            defer { fixture.terminal.stop() }
            var seed: UInt64 = 3
            func random(_ count: Int) -> Int {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(seed >> 33 % UInt64(count))
            }
            let pieces = [
                "a", "日本", "  ", "x\u{A0}y", "👩\u{200D}🚀", "e\u{0323}\u{0334}", "────", "❤\u{FE0F}", "🇩🇪", "क्षि",
            ]
            var lines: [SafeText] = []
            for round in 0..<200 {
                // New lines come in at the bottom, as in a chat; sometimes one in the middle changes.
                for _ in 0..<(round == 0 ? rows : random(4)) {
                    lines.append(
                        (0..<columns / 2).map { _ in SafeText(pieces[random(pieces.count)], as: .line) }.joined())
                }
                lines = lines.suffix(rows)
                if random(2) == 0 { lines[random(rows)] = SafeText(pieces[random(pieces.count)], as: .line) }
                var canvas = Canvas(size: fixture.terminal.size)
                for (row, line) in lines.enumerated() {
                    canvas.draw(line, at: Point(column: 0, row: row), style: line.width % 2 == 0 ? Style(.red) : .plain)
                }
                fixture.present(canvas)
                #expect(fixture.screen.violations == [])
                try #require(fixture.visibleScreen(like: canvas) == fixture.visible(canvas), "round \(round)")
            }
        }

        @Test("writes doubtful clusters anew when curses lets the terminal move lines")
        func movesLines() throws {
            let fixture = try TerminalFixture(columns: 40, rows: 10)
            try fixture.start()
            defer { fixture.terminal.stop() }
            let lines = (1...6).map { String(repeating: "line \($0) ", count: 5) }
            // To curses both are the same, so it takes the heart that moves up for the astronaut that stays.
            let (astronaut, heart) = ("👩\u{200D}🚀", "❤\u{FE0F}")
            fixture.present(fixture.canvas(lines + [astronaut, heart, "end"]))
            fixture.present(fixture.canvas(lines.dropFirst() + [astronaut, astronaut, "end"]))
            #expect((5...6).map { fixture.screen.cells[$0][0].unicodeScalars.first } == ["👩", "👩"])
        }

        @Test("writes only what has changed")
        func writesDifferences() throws {
            let fixture = try TerminalFixture(columns: 80, rows: 24)
            try fixture.start()
            defer { fixture.terminal.stop() }
            let lines = (0..<24).map { "row \($0) " + String(repeating: "text ", count: 12) }
            fixture.present(fixture.canvas(lines))
            let first = fixture.written.count
            fixture.present(fixture.canvas(lines))
            #expect(fixture.written.count == first)
            var changed = lines
            changed[7].replaceSubrange(
                changed[7].startIndex..<changed[7].index(after: changed[7].startIndex), with: "R")
            fixture.present(fixture.canvas(changed))
            #expect(fixture.written.count - first < 40)
            #expect(fixture.screen.text == fixture.canvas(changed).text())
        }

        @Test("a terminal that took a part of a picture gets a whole one when it takes bytes again")
        func cutPicture() async throws {
            let fixture = try TerminalFixture(columns: 120, rows: 40)
            try fixture.start()
            func page(_ number: Int) -> Canvas {
                fixture.canvas((0..<40).map { "page \(number) row \($0) " + String(repeating: "\(number)", count: 90) })
            }
            fixture.present(page(0))
            // As any program does that shares the terminal and does not care.
            let flags = fcntl(fixture.pty.slave, F_GETFL)
            _ = fcntl(fixture.pty.slave, F_SETFL, flags | O_NONBLOCK)
            fixture.pty.hold(true)
            fixture.events = []
            var number = 0
            while number < 100, fixture.terminal.shown != nil {
                number += 1
                fixture.terminal.present(page(number % 9 + 1))
            }
            #expect(fixture.terminal.shown == nil, "it is known that not all of it went")
            fixture.pty.hold(false)
            try await eventually("a picture is asked for") {
                fixture.events.contains(.resize(Size(columns: 120, rows: 40)))
            }
            fixture.present(page(8))
            #expect(fixture.screen.text.split(separator: "\n").allSatisfy { $0.hasPrefix("page 8 row") })
            fixture.terminal.stop()
        }

        @Test("paints everything again after redraw")
        func redraws() throws {
            let fixture = try TerminalFixture()
            try fixture.start()
            defer { fixture.terminal.stop() }
            let canvas = fixture.canvas(["hello 👩\u{200D}🚀 world", "second"])
            fixture.present(canvas)
            fixture.screen.receive(Array("\u{1B}[H\u{1B}[J".utf8))
            #expect(fixture.screen.text.first == "\n")
            fixture.terminal.redraw()
            fixture.present(canvas)
            #expect(fixture.screen.text.contains("second\n"))
            #expect(fixture.screen.cells[0][..<7].joined().unicodeScalars.starts(with: "hello 👩".unicodeScalars))
            #expect(fixture.screen.cells[0][9...].joined().hasPrefix("world"))
        }

        @Test(
            "lets no hostile text act on the terminal",
            arguments: [(20, 5), (40, 10), (80, 24), (120, 40)], ["xterm-256color", "xterm", "xterm-mono"])
        func hostileText(size: (columns: Int, rows: Int), type: String) throws {
            let fixture = try TerminalFixture(columns: size.columns, rows: size.rows)
            var environment = fixture.terminal.environment
            environment.type = type
            let terminal = NcursesTerminal(
                input: fixture.pty.slave, output: fixture.pty.slave, environment: environment)
            try terminal.start { _ in }
            var seed: UInt64 = 11
            let corpus = HostileTexts.all
            for round in 0..<40 {
                var canvas = Canvas(size: terminal.size)
                for row in 0..<size.rows {
                    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    let raw = round < 20 ? corpus[(round * 7 + row) % corpus.count] : HostileTexts.random(&seed)
                    let kinds: [SafeText.Kind] = [.line, .name, .fileName, .multiline]
                    canvas.draw(SafeText(raw, as: kinds[row % 4]), at: Point(column: row % 3, row: row))
                }
                terminal.present(canvas)
                fixture.drain()
            }
            terminal.setTitle(SafeText(corpus.joined(), as: .line))
            terminal.stop()
            fixture.drain()
            #expect(fixture.screen.violations == [])
            #expect(fixture.screen.bells == 0)
            #expect(fixture.screen.titles.count == 1 && fixture.screen.titles[0].utf8.count <= 258)
        }

        // MARK: Colours

        @Test("uses the colours that there are, and none with NO_COLOR")
        func colors() throws {
            for (type, noColor, count, code) in [
                ("xterm-256color", false, 256, "38;5;208"), ("xterm-16color", false, 16, "9"),
                ("xterm", false, 8, "31"),
                ("vt220", false, 0, ""), ("xterm-256color", true, 0, ""),
            ] {
                let fixture = try TerminalFixture(
                    environment: TerminalEnvironment(type: type, noColor: noColor, unicode: true))
                do { try fixture.start() } catch TerminalError.unknownType { continue }
                defer { fixture.terminal.stop() }
                #expect(fixture.terminal.capabilities.colors == count)
                var canvas = Canvas(size: fixture.terminal.size)
                canvas.draw(SafeText(literal: "colour"), at: Point(column: 0, row: 0), style: Style(.palette(208)))
                fixture.present(canvas)
                let text = String(decoding: fixture.written, as: UTF8.self)
                if count == 0 {
                    #expect(!text.contains("[3"), "\(type)")
                } else {
                    #expect(text.contains(code), "\(type)")
                }
            }
        }

        // MARK: Input

        @Test("delivers keys, also those that stop other programs, and pastes")
        func input() async throws {
            let fixture = try TerminalFixture()
            try fixture.start()
            defer { fixture.terminal.stop() }
            fixture.pty.type("é\u{13}\u{11}\u{1A}\u{03}\r\u{1B}[1;3A\u{1B}OP\u{1B}[200~a\rb\u{1B}[201~")
            try await fixture.waitForEvents(9)
            let keys = ["é", "Ctrl-s", "Ctrl-q", "Ctrl-z", "Ctrl-c", "Enter", "Alt-Up", "F1"].compactMap(
                Key.init(named:))
            #expect(fixture.events == keys.map(InputEvent.key) + [.paste("a\nb")])
            fixture.pty.type("\u{1B}")
            try await fixture.waitForEvents(10)
            #expect(fixture.events.last == .key(Key(.escape)))
        }

        @Test("may be stopped by a key")
        func stopsInHandler() async throws {
            let fixture = try TerminalFixture()
            try fixture.terminal.start { event in
                fixture.events.append(event)
                fixture.terminal.stop()
            }
            fixture.pty.type("qrs")
            try await fixture.waitForEvents(1)
            #expect(fixture.events == [.key(Key("q"))])
        }

        @Test("reports a new size and paints for it")
        func resizes() async throws {
            let fixture = try TerminalFixture()
            try fixture.start()
            defer { fixture.terminal.stop() }
            fixture.present(fixture.canvas(["before"]))
            fixture.pty.resize(columns: 100, rows: 30)
            kill(getpid(), SIGWINCH)
            try await fixture.waitForEvents(1)
            #expect(fixture.events == [.resize(Size(columns: 100, rows: 30))])
            #expect(fixture.terminal.size == Size(columns: 100, rows: 30))
            fixture.screen = ScreenModel(columns: 100, rows: 30)
            fixture.present(fixture.canvas([String(repeating: "wide ", count: 19)]))
            #expect(fixture.screen.text.hasPrefix("wide wide "))
            #expect(fixture.screen.violations == [])
        }

        @Test("reports signals that ask to leave, and gives them back", arguments: [SIGTERM, SIGINT])
        func terminates(number: Int32) async throws {
            let fixture = try TerminalFixture()
            try fixture.start()
            kill(getpid(), number)
            try await fixture.waitForEvents(1)
            #expect(fixture.events == [.terminate(signal: number)])
            fixture.terminal.stop()
        }

        @Test("a SIGHUP sent by hand asks to reload; a terminal that goes away is reported once")
        func hangsUp() async throws {
            let fixture = try TerminalFixture()
            try fixture.start()
            kill(getpid(), SIGHUP)
            try await fixture.waitForEvents(1)
            #expect(fixture.events == [.reload])
            fixture.terminal.stop()

            let other = try TerminalFixture()
            try other.start()
            other.pty.hangUp()
            try await other.waitForEvents(1)
            #expect(other.events == [.hangup])
            other.terminal.stop()
        }

        @Test("paints anew after the process was continued")
        func continues() async throws {
            let fixture = try TerminalFixture()
            try fixture.start()
            defer { fixture.terminal.stop() }
            let canvas = fixture.canvas(["still here"])
            fixture.present(canvas)
            kill(getpid(), SIGCONT)
            try await fixture.waitForEvents(1)
            #expect(fixture.events == [.resize(fixture.terminal.size)])
            fixture.screen.receive(Array("\u{1B}[H\u{1B}[J".utf8))
            fixture.present(canvas)
            #expect(fixture.screen.text.hasPrefix("still here\n"))
        }

        @Test("comes back from Ctrl-z by itself where nothing can stop it")
        func suspendsWithoutShellInOwnProcess() async throws {
            let pty = try #require(PseudoTerminal(columns: 40, rows: 10))
            let path = pty.path
            await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
                // A session of its own: no shell is there, and the test runner is not stopped along with it.
                setsid()
                let slave = open(path, O_RDWR | O_NOCTTY)
                let resized = AsyncStream<InputEvent>.makeStream()
                await ScreenActor.run {
                    let terminal = NcursesTerminal(
                        input: slave, output: slave, environment: TerminalEnvironment(type: "xterm-256color"))
                    try? terminal.start { event in
                        terminal.present(Canvas(size: terminal.size))
                        resized.continuation.yield(event)
                    }
                    terminal.present(Canvas(size: terminal.size))
                    terminal.suspend()
                }
                for await event in resized.stream where event == .resize(Size(columns: 40, rows: 10)) { exit(7) }
            }
            let written = String(decoding: pty.output(), as: UTF8.self)
            #expect(written.matches(of: /\u{1B}\[\?1049h/).count == 2)
            #expect(written.matches(of: /\u{1B}\[\?1049l/).count == 2)
        }

        // MARK: The last resort

        @Test(
            "gives the terminal back when the process crashes or exits",
            arguments: [SIGSEGV, SIGABRT, SIGILL, SIGBUS, SIGFPE, 0])
        func crashesInOwnProcess(number: Int32) async throws {
            let pty = try #require(PseudoTerminal(columns: 40, rows: 10))
            let before = try #require(pty.mode())
            let path = pty.path
            await #expect(processExitsWith: number == 0 ? .exitCode(7) : .signal(number)) {
                [path = path as String, number = number as Int32] in
                let slave = open(path, O_RDWR | O_NOCTTY)
                await ScreenActor.run {
                    let terminal = NcursesTerminal(
                        input: slave, output: slave, environment: TerminalEnvironment(type: "xterm-256color"))
                    try? terminal.start { _ in }
                    terminal.present(Canvas(size: terminal.size))
                    if number == 0 { exit(7) }
                    // Dispatch blocks SIGABRT in its threads; abort() opens it again.
                    if number == SIGABRT { abort() }
                    raise(number)
                }
            }
            let written = String(decoding: pty.output(), as: UTF8.self)
            #expect(written.contains("\u{1B}[?1049h"))
            #expect(written.contains("\u{1B}[?1049l"))
            #expect(written.contains("\u{1B}[?2004l"))
            let after = try #require(pty.mode())
            #expect(
                after.c_lflag == before.c_lflag && after.c_iflag == before.c_iflag && after.c_oflag == before.c_oflag)
        }

        @Test("names the window without control characters and takes the name back")
        func titles() throws {
            let fixture = try TerminalFixture()
            try fixture.start()
            fixture.terminal.setTitle(SafeText("Alice\u{07}; \u{1B}]52;c;x", as: .line))
            fixture.terminal.bell()
            fixture.drain()
            #expect(fixture.screen.titles == ["2;Alice␇ ␛]52cx"])
            #expect(fixture.screen.bells == 1)
            fixture.terminal.stop()
            fixture.drain()
            #expect(String(decoding: fixture.written, as: UTF8.self).contains("\u{1B}[23;2t"))
        }
    }
}
