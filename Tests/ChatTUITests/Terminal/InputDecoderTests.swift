// Bytes of the keyboard to events: every key of PRODUCT's key map, pastes, reports and noise.

import Testing

@testable import ChatTUI

@Suite("InputDecoder")
struct InputDecoderTests {
    private let start = ContinuousClock.now

    /// All events for `bytes` after every time-out has passed.
    private func decode(_ text: String, chunk: Int = .max, bursts: Bool = false) -> [InputEvent] {
        decode(Array(text.utf8), chunk: chunk, bursts: bursts)
    }

    private func decode(_ bytes: [UInt8], chunk: Int = .max, bursts: Bool = false) -> [InputEvent] {
        var decoder = InputDecoder(marksPastes: !bursts)
        var rest = bytes[...]
        while !rest.isEmpty {
            decoder.receive(rest.prefix(chunk), now: start)
            rest = rest.dropFirst(min(chunk, rest.count))
        }
        var events: [InputEvent] = []
        while true {
            while let event = decoder.nextEvent() { events.append(event) }
            guard let deadline = decoder.deadline else { return events }
            decoder.handleTimeout(now: deadline)
        }
    }

    @Test(
        "decodes keys",
        arguments: [
            ("a", "a"), ("A", "A"), ("é", "é"), ("日", "日"), ("😀", "😀"), (" ", "Space"), ("\r", "Enter"),
            ("\n", "Ctrl-j"),
            ("\t", "Tab"), ("\u{7F}", "Backspace"), ("\u{08}", "Backspace"), ("\u{01}", "Ctrl-a"), ("\u{03}", "Ctrl-c"),
            ("\u{11}", "Ctrl-q"), ("\u{13}", "Ctrl-s"), ("\u{1A}", "Ctrl-z"), ("\u{1F}", "Ctrl-_"),
            ("\0", "Ctrl-Space"),
            ("\u{1B}", "Esc"), ("\u{1B}x", "Alt-x"), ("\u{1B}A", "Alt-A"), ("\u{1B}1", "Alt-1"), ("\u{1B}/", "Alt-/"),
            ("\u{1B}é", "Alt-é"), ("\u{1B}\r", "Alt-Enter"), ("\u{1B}\u{7F}", "Alt-Backspace"), ("\u{1B}[", "Alt-["),
            ("\u{1B}O", "Alt-O"), ("\u{1B}]", "Alt-]"), ("\u{1B}P", "Alt-P"),
            ("\u{1B}[A", "Up"), ("\u{1B}OA", "Up"), ("\u{1B}[B", "Down"), ("\u{1B}OB", "Down"), ("\u{1B}[C", "Right"),
            ("\u{1B}OC", "Right"), ("\u{1B}[D", "Left"), ("\u{1B}OD", "Left"), ("\u{1B}[1;5C", "Ctrl-Right"),
            ("\u{1B}[1;5D", "Ctrl-Left"), ("\u{1B}[1;3A", "Alt-Up"), ("\u{1B}[1;3B", "Alt-Down"),
            ("\u{1B}\u{1B}[A", "Alt-Up"), ("\u{1B}\u{1B}OB", "Alt-Down"), ("\u{1B}Oc", "Ctrl-Right"),
            ("\u{1B}[a", "Shift-Up"), ("\u{1B}[H", "Home"), ("\u{1B}OH", "Home"), ("\u{1B}[1~", "Home"),
            ("\u{1B}[7~", "Home"),
            ("\u{1B}[F", "End"), ("\u{1B}OF", "End"), ("\u{1B}[4~", "End"), ("\u{1B}[8~", "End"),
            ("\u{1B}[1;3H", "Alt-Home"),
            ("\u{1B}[1;3F", "Alt-End"), ("\u{1B}[2~", "Insert"), ("\u{1B}[3~", "Delete"),
            ("\u{1B}[3;5~", "Ctrl-Delete"),
            ("\u{1B}[5~", "PgUp"), ("\u{1B}[6~", "PgDn"), ("\u{1B}[5;3~", "Alt-PgUp"), ("\u{1B}[6;3~", "Alt-PgDn"),
            ("\u{1B}[Z", "Shift-Tab"), ("\u{1B}OP", "F1"), ("\u{1B}[11~", "F1"), ("\u{1B}[[A", "F1"),
            ("\u{1B}OQ", "F2"),
            ("\u{1B}OR", "F3"), ("\u{1B}OS", "F4"), ("\u{1B}[15~", "F5"), ("\u{1B}[17~", "F6"), ("\u{1B}[18~", "F7"),
            ("\u{1B}[19~", "F8"), ("\u{1B}[20~", "F9"), ("\u{1B}[21~", "F10"), ("\u{1B}[23~", "F11"),
            ("\u{1B}[24~", "F12"),
            ("\u{1B}[1;2P", "Shift-F1"), ("\u{1B}[1;2R", "Shift-F3"), ("\u{1B}[5^", "Ctrl-PgUp"),
            ("\u{1B}[5$", "Shift-PgUp"),
            ("\u{1B}[13;3u", "Alt-Enter"), ("\u{1B}[97;5u", "Ctrl-a"), ("\u{1B}[27;5;9~", "Ctrl-Tab"),
            ("\u{1B}[9;2u", "Shift-Tab"),
        ])
    func keys(bytes: String, name: String) throws {
        let key = try #require(Key(named: name))
        #expect(decode(bytes) == [.key(key)])
        // The same however the bytes arrive.
        #expect(decode(bytes, chunk: 1) == [.key(key)])
    }

    @Test("tells keys apart in a row")
    func rows() {
        #expect(
            decode("a\u{1B}[A\u{1B}xé\u{1B}\u{1B}").map(\.keyName) == ["a", "Up", "Alt-x", "é", "Esc", "Esc"])
        #expect(decode("\u{1B}\u{1B}q").map(\.keyName) == ["Esc", "Alt-q"])
    }

    @Test("a sequence that another one interrupts is dropped, also behind Esc", .timeLimit(.minutes(1)))
    func interruptedSequences() {
        #expect(decode("\u{1B}\u{1B}[2\u{1B}[A").map(\.keyName) == ["Up"])
        let nested = String(repeating: "\u{1B}\u{1B}[>*\u{1B}\u{1B}[2>*", count: 60)
        #expect(decode(nested + "\u{1B}[A").map(\.keyName) == ["Up"])
    }

    @Test("holds a lone Esc no longer than its delay")
    func escapeDelay() throws {
        var decoder = InputDecoder(escapeDelay: .milliseconds(25))
        decoder.receive([0x1B], now: start)
        #expect(decoder.nextEvent() == nil)
        let deadline = try #require(decoder.deadline)
        #expect(deadline == start + .milliseconds(25))
        decoder.handleTimeout(now: deadline - .milliseconds(1))
        #expect(decoder.nextEvent() == nil)
        decoder.handleTimeout(now: deadline)
        #expect(decoder.nextEvent() == .key(Key(.escape)))
        #expect(decoder.deadline == nil)
    }

    @Test(
        "drops what it does not know instead of typing it",
        arguments: [
            "\u{1B}[?1;2c", "\u{1B}[>41;354;0c", "\u{1B}[12;40R", "\u{1B}[0n", "\u{1B}[?2026;2$y", "\u{1B}[99~",
            "\u{1B}[1;2;3;4q",
            "\u{1B}]11;rgb:0000/0000/0000\u{07}", "\u{1B}]52;c;aGk=\u{1B}\\", "\u{1B}P1+r\u{1B}\\",
            "\u{1B}_Gi=1;OK\u{1B}\\",
            "\u{1B}[M !!", "\u{1B}[57399u", "\u{1B}[97;1:3u", "\u{9B}2;3R", "\u{9B}?62;4c", "\u{9D}11;rgb:0\u{07}",
            "\u{1B}[999999999999999999999999~", "\u{1B}[12",
        ])
    func drops(report: String) {
        #expect(decode(report + "x").map(\.keyName).suffix(1) == ["x"] || report == "\u{1B}[12")
        #expect(decode(report) == [])
        #expect(decode(report, chunk: 1) == [])
    }

    @Test("drops broken UTF-8 and goes on")
    func brokenUTF8() {
        #expect(
            decode([0xFF, 0x61, 0xC3, 0x62, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0x63]).map(\.keyName) == ["a", "b", "c"])
    }

    @Test("never types a control character, whatever arrives")
    func noise() {
        var seed: UInt64 = 42
        for _ in 0..<2_000 {
            let bytes = (0..<40).map { _ -> UInt8 in
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let byte = UInt8(truncatingIfNeeded: seed >> 40)
                return byte.isMultiple(of: 5) ? 0x1B : byte.isMultiple(of: 7) ? UInt8(ascii: "[") : byte
            }
            for case .key(let key) in decode(bytes) {
                guard case .character(let text) = key.code else { continue }
                #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
            }
        }
    }

    // MARK: Paste

    private func paste(_ text: String) -> String { "\u{1B}[200~\(text)\u{1B}[201~" }

    @Test("makes one event of a paste, with everything in it as text", arguments: [1, 2, 7, .max])
    func pastes(chunk: Int) {
        let text = "ls\u{1B}[A\u{1B}[20\u{1B}[201\u{03}é\u{1B}\u{1B}x"
        #expect(decode("a" + paste(text) + "b", chunk: chunk) == [.key(Key("a")), .paste(text), .key(Key("b"))])
    }

    @Test("gives line ends in a paste as LF")
    func pasteLines() { #expect(decode(paste("a\rb\r\nc\nd")) == [.paste("a\nb\nc\nd")]) }

    @Test("takes an end of paste inside a paste for text", arguments: [1, .max])
    func nestedEnd(chunk: Int) {
        let text = "x\u{1B}[201~\rrm -rf ~\r\u{1B}[201~y"
        #expect(decode(paste(text), chunk: chunk) == [.paste("x\u{1B}[201~\nrm -rf ~\n\u{1B}[201~y")])
    }

    @Test("tells two pastes in a row apart")
    func twoPastes() {
        #expect(decode(paste("a") + paste("b") + "\r") == [.paste("a"), .paste("b"), .key(Key(.enter))])
    }

    @Test("bounds a paste to 1 MiB")
    func hugePaste() {
        let events = decode(paste(String(repeating: "x", count: 3 << 20)) + "q", chunk: 16_384)
        #expect(events.count == 2)
        guard case .paste(let text) = events.first else { return #expect(Bool(false), "no paste") }
        #expect(text.utf8.count == InputDecoder.maxPasteBytes)
        #expect(events.last == .key(Key("q")))
    }

    @Test("gives out a paste that was broken off")
    func brokenPaste() { #expect(decode("\u{1B}[200~half") == [.paste("half")]) }

    @Test("takes a burst with a line end for a paste where the terminal does not mark pastes")
    func bursts() {
        #expect(decode("ab\rcd", bursts: true) == [.paste("ab\ncd")])
        #expect(decode("ab\r").map(\.keyName) == ["a", "b", "Enter"])
        #expect(decode("\r\r\r", bursts: true).map(\.keyName) == ["Enter", "Enter", "Enter"])
        #expect(decode("\u{1B}OP\r", bursts: true).map(\.keyName) == ["F1", "Enter"])
    }

    /// Events of pieces that come after pauses, with every time-out that passes in them.
    private func decode(pieces: [(String, milliseconds: Int)], marks: Bool) -> [InputEvent] {
        var decoder = InputDecoder(marksPastes: marks)
        var now = start
        var events: [InputEvent] = []
        func take() { while let event = decoder.nextEvent() { events.append(event) } }
        for (text, pause) in pieces {
            now += .milliseconds(pause)
            if let deadline = decoder.deadline, deadline <= now { decoder.handleTimeout(now: now) }
            decoder.receive(Array(text.utf8), now: now)
            take()
        }
        while let deadline = decoder.deadline {
            decoder.handleTimeout(now: deadline)
            take()
        }
        return events
    }

    @Test("a paste that comes in pieces stays one: its last line end is no Enter")
    func burstsInPieces() {
        #expect(
            decode(pieces: [("ab\rcd", 0), ("ef", 1), ("\r", 4)], marks: false)
                == [.paste("ab\ncd"), .paste("ef"), .paste("\n")])
        let typed = decode(pieces: [("a", 0), ("b", 1), ("\r", 1)], marks: false)
        #expect(typed.prefix(2).map(\.keyName) == ["a", "b"] && typed.last == .paste("\n"))
        #expect(
            decode(pieces: [("a", 0), ("b", 30), ("\r", 30)], marks: false).map(\.keyName) == ["a", "b", "Enter"])
        #expect(decode(pieces: [("ab\rcd", 0), ("\r", 5)], marks: false).last.map(\.keyName) == "Enter")
    }

    @Test("a paste without marks is one where the terminal marks pastes, too: text behind a line end in the same read")
    func unmarked() {
        let lines = (0..<40).map { "secret line \($0)" }
        #expect(decode(lines.joined(separator: "\r")) == [.paste(lines.joined(separator: "\n"))])
        #expect(decode("a\rb") == [.paste("a\nb")])
        #expect(decode("ok\r\rsee you\r") == [.paste("ok\n\nsee you\n")])
        #expect(decode("\rsecret line") == [.paste("\nsecret line")])
        // What a program types and enters, what a person types while the program is busy, keys that repeat.
        #expect(decode("ab\r").map(\.keyName) == ["a", "b", "Enter"])
        #expect(decode("\rhe").map(\.keyName) == ["Enter", "h", "e"])
        #expect(decode("\r\r\r").map(\.keyName) == ["Enter", "Enter", "Enter"])
        #expect(decode("ab\r\u{11}").map(\.keyName) == ["a", "b", "Enter", "Ctrl-q"])
        #expect(decode("ab\u{1B}\rcd").map(\.keyName) == ["a", "b", "Alt-Enter", "c", "d"])
    }

    @Test("the pieces of a paste without marks, cut anywhere, send nothing")
    func unmarkedInPieces() {
        let text = "first lïne\rsecond 日本\rthird\r"
        let bytes = Array(text.utf8)
        for cut in 1..<bytes.count {
            var decoder = InputDecoder()
            decoder.receive(bytes[..<cut], now: start)
            decoder.receive(bytes[cut...], now: start + .milliseconds(2))
            var typed = ""
            while let event = decoder.nextEvent() {
                switch event {
                case .paste(let text): typed += text
                case .key(let key):
                    #expect(key.code != .enter, "cut at \(cut)")
                    typed += key.typedText ?? ""
                default: Issue.record("\(event)")
                }
            }
            #expect(typed == text.replacing("\r", with: "\n"), "cut at \(cut)")
        }
    }

    @Test("Enter behind quick text waits for the rest of a paste, and no longer")
    func heldEnter() throws {
        #expect(
            decode(pieces: [("one\r", 0), ("two\r", 1)], marks: true).map(\.keyName)
                == ["o", "n", "e", "\(InputEvent.paste("\ntwo\n"))"])
        #expect(
            decode(pieces: [("one\r", 0), ("two\r", 30)], marks: true).map(\.keyName)
                == ["o", "n", "e", "Enter", "t", "w", "o", "Enter"])
        var decoder = InputDecoder()
        decoder.receive(Array("one\r".utf8), now: start)
        let deadline = try #require(decoder.deadline)
        #expect(deadline == start + .milliseconds(5))
        // A key that is no text is pressed behind it.
        decoder.receive([0x1B], now: start + .milliseconds(1))
        decoder.handleTimeout(now: start + .seconds(1))
        var names: [String] = []
        while let event = decoder.nextEvent() { names.append(event.keyName) }
        #expect(names == ["o", "n", "e", "Enter", "Esc"])
    }

    @Test("no key is pressed by what stands in a paste without marks; what the terminal tells comes through")
    func sequencesInPaste() {
        #expect(
            decode("one\r\u{1B}[31mtwo\u{1B}[A\u{1B}y\u{1B}[I\rthree\u{11}")
                == [.focus(true), .paste("one\ntwo\nthree\u{11}")])
        #expect(
            decode("\u{1B}[200~a\rb\u{1B}[201~").map(\.keyName) == ["\(InputEvent.paste("a\nb"))"])
        #expect(
            decode("x\u{1B}[200~a\rb\u{1B}[201~").map(\.keyName) == ["x", "\(InputEvent.paste("a\nb"))"])
    }

    // MARK: Mouse and focus

    @Test("decodes focus and mouse reports")
    func reports() {
        #expect(decode("\u{1B}[I\u{1B}[O") == [.focus(true), .focus(false)])
        #expect(decode("\u{1B}[<0;5;3M") == [.mouse(MouseEvent(.press, .left, at: Point(column: 4, row: 2)))])
        #expect(decode("\u{1B}[<2;1;1m") == [.mouse(MouseEvent(.release, .right, at: Point(column: 0, row: 0)))])
        #expect(decode("\u{1B}[<65;1;1M") == [.mouse(MouseEvent(.wheelDown, .none, at: Point(column: 0, row: 0)))])
        #expect(decode("\u{1B}[<0;0;3M\u{1B}[<;;M") == [])
    }

    @Test("knows the sequences of the terminal type")
    func ownSequences() {
        var decoder = InputDecoder(ownSequences: [Array("\u{1B}Q9".utf8): Key(.function(9))])
        decoder.receive(Array("\u{1B}Q9".utf8), now: start)
        #expect(decoder.nextEvent()?.keyName != nil)
    }
}

extension InputEvent {
    /// The key's name; anything else as it is.
    fileprivate var keyName: String {
        if case .key(let key) = self { key.name } else { "\(self)" }
    }
}
