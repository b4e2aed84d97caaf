// What the terminal draws how wide: the probe's answers, what is drawn instead, and that no answer becomes typed text.

import CLinux
import Dispatch
import Glibc
import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Width probe")
struct WidthProbeTests {
    private func cluster(_ text: String) throws -> Cluster {
        let clusters = SafeText(text, as: .line).clusters
        try #require(clusters.count == 1)
        return clusters[0]
    }

    @Test("asks about each kind in the second row and leaves nothing behind")
    func question() {
        var screen = ScreenModel(columns: 20, rows: 5)
        screen.receive(Array(WidthProbe.question.utf8))
        #expect(screen.violations == [])
        #expect(screen.text == "\n\n\n\n\n")
        #expect(screen.row == 0 && screen.column == 0)
        #expect(screen.questions == Array(repeating: "6n", count: 5) + ["c"])
    }

    @Test("takes the answers in order, ignores others, and ends with the terminal's attributes")
    func answers() {
        var probe = WidthProbe()
        for report in [
            TerminalReport.cursor(row: 7, column: 9), .cursor(row: 2, column: 3), .cursor(row: 2, column: 5),
            .cursor(row: 2, column: 99), .cursor(row: 2, column: 3),
        ] { probe.receive(report) }
        #expect(!probe.isFinished)
        probe.receive(.attributes([62, 4]))
        probe.receive(.cursor(row: 2, column: 2))
        #expect(probe.isFinished)
        #expect(probe.widths.measured == [.emojiPresentation: 2, .skinTone: 4, .flag: 2])
        #expect(probe.widths.agrees(on: .emojiPresentation) && !probe.widths.agrees(on: .skinTone))
        #expect(probe.widths.agrees(on: .joined), "not measured")
    }

    @Test("what a terminal would draw in another width is replaced by as many columns that it cannot misjudge")
    func substitutes() throws {
        let widths = TerminalWidths.perScalar
        #expect(widths.substitute(for: try cluster("❤\u{FE0F}")) == "❤ ")
        #expect(widths.substitute(for: try cluster("👍🏽")) == "👍")
        #expect(widths.substitute(for: try cluster("👩\u{200D}🚀")) == "👩")
        #expect(widths.substitute(for: try cluster("🇩🇪")) == "DE")
        #expect(widths.substitute(for: try cluster("é")) == nil)
        let family = try cluster("👨\u{200D}👩\u{200D}👧\u{200D}👦")
        #expect(TerminalWidths.perCluster.substitute(for: family, mostBytes: 21) == "👨", "tmux would cut it")
        let pair = try cluster("👩\u{200D}🚀")
        #expect(TerminalWidths.perCluster.substitute(for: pair, mostBytes: 21) == nil)
        for text in ["❤\u{FE0F}", "👍🏽", "👩\u{200D}🚀", "🇩🇪"] {
            #expect(TerminalWidths.perCluster.substitute(for: try cluster(text)) == nil)
            #expect(TerminalWidths().substitute(for: try cluster(text)) == nil)
        }
    }

    @Test("a terminal that has answered before is waited for, one that may be silent hardly")
    func patience() {
        let patience = ReportPatience()
        let question = ContinuousClock.now
        let leaving = question + .milliseconds(300)
        #expect(
            patience.end(askedAt: question, leavingAt: leaving, hasAnsweredBefore: true) == question + .seconds(1))
        #expect(
            patience.end(askedAt: question, leavingAt: leaving, hasAnsweredBefore: false)
                == leaving + patience.afterLeaving)
        #expect(patience.afterLeaving < .milliseconds(100))
        let late = question + .milliseconds(980)
        #expect(patience.end(askedAt: question, leavingAt: late, hasAnsweredBefore: false) == question + .seconds(1))
    }

    @Test("answers are no keys, alone, among keys and late")
    func answersAreNoKeys() {
        var decoder = InputDecoder()
        decoder.receive(Array("a\u{1B}[2;3Rb\u{1B}[?62;4c\u{1B}[24;80Rc".utf8), now: .now)
        var events: [InputEvent] = []
        while let event = decoder.nextEvent() { events.append(event) }
        #expect(events == ["a", "b", "c"].map { .key(Key(Character($0))) })
        #expect(
            decoder.takeReports() == [.cursor(row: 2, column: 3), .attributes([62, 4]), .cursor(row: 24, column: 80)])
        #expect(decoder.takeReports() == [])
        // In the first row it is F3 with a modifier.
        decoder.receive(Array("\u{1B}[1;5R".utf8), now: .now)
        #expect(decoder.nextEvent() == .key(Key(.function(3), .control)))
    }

    @Test("is remembered for each kind of terminal, and what is in the file does no harm")
    func memory() throws {
        let folder = try TemporaryDirectory()
        let memory = WidthMemory(path: folder.path + "/widths")
        let plain = TerminalEnvironment(type: "xterm-256color")
        let inTmux = TerminalEnvironment(type: "screen-256color", program: "tmux", isTmux: true)
        #expect(memory.widths(of: plain) == nil)
        memory.keep(.perScalar, of: plain)
        memory.keep(.perCluster, of: inTmux)
        memory.keep(TerminalWidths(measured: [.flag: 2]), of: plain)
        #expect(memory.widths(of: plain) == TerminalWidths(measured: [.flag: 2]))
        #expect(memory.widths(of: inTmux) == .perCluster)
        let file = try #require(fopen(memory.path, "w"))
        fputs("xterm-256color++ 99 x -1 \u{1B} 2 3 4 5\n\n \u{7}", file)
        fclose(file)
        #expect(memory.widths(of: plain) == TerminalWidths(measured: [.ambiguous: 2]))
        WidthMemory(path: folder.path + "/none/widths").keep(.perScalar, of: plain)
    }
}

extension RealTerminals {
    @ScreenActor
    @Suite("Width probe on a terminal")
    struct WidthProbeTerminalTests {
        @Test("the terminal's answers decide how doubtful clusters are drawn, without waiting for them")
        func probes() async throws {
            let fixture = try TerminalFixture(columns: 40, rows: 5)
            try fixture.start()
            defer { fixture.terminal.stop() }
            let canvas = fixture.canvas(["👩\u{200D}🚀 astronaut", "🇩🇪 flag", "❤\u{FE0F} heart"])
            fixture.present(canvas)
            #expect(fixture.screen.questions.count == 6)
            #expect(fixture.screen.cells[0][0].unicodeScalars.first == "👩")
            fixture.pty.type("x\u{1B}[2;2R\u{1B}[2;5R\u{1B}[2;5Ry\u{1B}[2;5R\u{1B}[2;2R\u{1B}[?1;2c")
            try await fixture.waitForEvents(3)
            #expect(fixture.events.contains(.resize(fixture.terminal.size)), "the picture must be drawn anew")
            #expect(fixture.events.filter { $0 != .resize(fixture.terminal.size) } == [.key(Key("x")), .key(Key("y"))])
            #expect(fixture.terminal.capabilities.widths == .perScalar)
            fixture.present(canvas)
            #expect(fixture.screen.text == "👩 astronaut\nDE flag\n❤  heart\n\n\n")
            #expect(fixture.screen.violations == [])
        }

        @Test("what the terminal answers while the screen ends is not left for the shell")
        func lateAnswers() throws {
            let fixture = try TerminalFixture(columns: 40, rows: 5)
            fixture.terminal.reportPatience = ReportPatience(afterQuestion: .seconds(600), afterLeaving: .seconds(600))
            try fixture.start()
            let pty = fixture.pty
            let answered = DispatchSemaphore(value: 0)
            // Later than the key that ended it.
            DispatchQueue.global().async {
                usleep(50_000)
                for answer in ["\u{1B}[2;3R\u{1B}[2;3R\u{1B}[", "2;3R\u{1B}[2;3R\u{1B}[2;2R\u{1B}[?62", ";4c"] {
                    pty.type(answer)
                    usleep(5_000)
                }
                answered.signal()
            }
            fixture.terminal.stop()
            let mode = pty.mode()
            #expect(
                mode.map { $0.c_lflag & UInt32(ECHO | ICANON) } == UInt32(ECHO | ICANON), "and the shell has its lines")
            answered.wait()
            var waiting: Int32 = -1
            #expect(ioctl(fixture.pty.slave, UInt(FIONREAD), &waiting) == 0 && waiting == 0)
            fixture.drain()
            #expect(!String(decoding: fixture.written, as: UTF8.self).contains("2;3R"), "nor is it echoed")
        }

        @Test("the screen goes at once, whether the terminal answers or not")
        func leavesAtOnce() async throws {
            let fixture = try TerminalFixture(columns: 40, rows: 5)
            let forever = ReportPatience(afterQuestion: .seconds(600), afterLeaving: .seconds(600))
            fixture.terminal.reportPatience = forever
            try fixture.start()
            let pty = fixture.pty
            let (steps, step) = AsyncStream<Bool>.makeStream()
            DispatchQueue(label: "terminal").async {
                var written: [UInt8] = []
                let limit = ContinuousClock.now + .seconds(120)
                // Answers only when the screen has gone.
                while written.firstRange(of: Array("\u{1B}[?1049l".utf8)) == nil, ContinuousClock.now < limit {
                    written += pty.peek()
                    usleep(1_000)
                }
                step.yield(ContinuousClock.now < limit)
                pty.type("\u{1B}[2;2R\u{1B}[?1;2c")
            }
            fixture.terminal.stop()
            var iterator = steps.makeAsyncIterator()
            #expect(await iterator.next() == true)
        }

        @Test("nothing is asked when the settings say how wide things are, or the terminal would show the question")
        func noProbe() throws {
            var settings = ScreenSettings()
            settings.width = .wcwidth
            for (type, settings) in [
                ("xterm-256color", settings), ("vt100", ScreenSettings()), ("linux", ScreenSettings()),
            ] {
                let pty = try #require(PseudoTerminal(columns: 40, rows: 5))
                let terminal = NcursesTerminal(
                    input: pty.slave, output: pty.slave, environment: TerminalEnvironment(type: type),
                    settings: settings)
                try terminal.start { _ in }
                terminal.stop()
                #expect(!String(decoding: pty.output(), as: UTF8.self).contains("\u{1B}[6n"))
            }
        }
    }
}
