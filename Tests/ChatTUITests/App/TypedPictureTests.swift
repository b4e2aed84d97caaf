// The short way of a typed character: the picture that it makes is the one that the whole screen would be drawn as.

import ChatCore
import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite struct TypedPictureTests {
    /// Where somebody types, and what else is on the screen.
    private static func fixtures(_ size: Size) -> [ScreenFixture] {
        var chat = ScreenFixture.main(columns: size.columns, rows: size.rows)
        chat.effects = []
        var vi = chat
        vi.state.surface.set(\.editMode, to: .vi)
        var reply = chat
        reply.press("Esc", "Up")
        reply.press("r")
        var said = chat
        said.state.say("something was said")
        var misspelt = chat
        misspelt.state.surface.set(\.spellCommand, to: "checker")
        misspelt.state.composer.spelling.end(unknown: ["a", "ab", "c"])
        var light = chat
        light.state.surface.adopt(.light)
        return [ScreenFixture(columns: size.columns, rows: size.rows), chat, vi, reply, said, misspelt, light]
    }

    @Test(
        "random keys at every size: the quick picture is the whole one",
        arguments: [Size(columns: 20, rows: 5), Size(columns: 40, rows: 10), Size(columns: 80, rows: 24)], 1...6)
    func randomKeys(size: Size, seed: UInt64) async {
        var random = SeededGenerator(seed: seed)
        let names = ["Backspace", "Left", "Alt-Enter", "Tab", "Esc", "Ctrl-a", "Ctrl-w", "Up", "Alt-l", "F1", "Alt-j"]
        let characters = Array("abc /:日é🙂-~")
        for var fixture in Self.fixtures(size) {
            await Task.yield()
            var picture = view(fixture.state)
            for _ in 0..<60 {
                if Int.random(in: 0..<8, using: &random) == 0 {
                    fixture.press(names.randomElement(using: &random) ?? "Esc")
                } else if Int.random(in: 0..<20, using: &random) == 0 {
                    fixture.advance(.milliseconds(Int.random(in: 1...70_000, using: &random)))
                } else {
                    fixture.type(String(characters.randomElement(using: &random) ?? "x"))
                }
                let whole = view(fixture.state)
                let quick = fixture.state.composer.hasOnlyTyped ? picture.typed(fixture.state) : nil
                picture = quick ?? whole
                let isSame = picture.canvas == whole.canvas
                #expect(isSame, "\(picture.canvas.text())")
            }
        }
    }

    @Test("a character shares every row with the picture before but that of the input")
    func sharedRows() {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        let before = view(fixture.state)
        fixture.type("x")
        #expect(fixture.state.composer.hasOnlyTyped)
        let after = before.typed(fixture.state)
        let changed = (0..<24).filter { before.canvas.row($0) != after?.canvas.row($0) }
        #expect(changed.count == 1)
    }

    @Test("while news wait to be drawn, what is typed stands in the picture of before, and only that", arguments: 1...6)
    func staleRows(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let characters = Array("abc /:日é🙂-~")
        for var fixture in Self.fixtures(Size(columns: 80, rows: 24)) {
            var picture = view(fixture.state)
            for number in 1...40 as ClosedRange<Int64> {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    let message = ScreenFixture.message(
                        1000 + number, .incoming, "news \(number)", at: ScreenFixture.time(21, 18, 0))
                    fixture.send(.chat(.messageAdded(message)))
                    picture = picture.outdated()
                    continue
                }
                fixture.type(String(characters.randomElement(using: &random) ?? "x"))
                let whole = view(fixture.state)
                guard fixture.state.composer.hasOnlyTyped, let quick = picture.typed(fixture.state) else {
                    picture = whole
                    continue
                }
                #expect(quick.age == picture.age)
                let draft = ScreenLayout(fixture.state).input.rows
                for row in 0..<24 {
                    let before = draft.contains(row) ? whole.canvas : picture.canvas
                    #expect(quick.canvas.row(row) == before.row(row), "\(quick.canvas.text())")
                }
                #expect(quick.canvas.cursor == whole.canvas.cursor)
                picture = quick
            }
        }
    }

    @Test("nothing is typed into a picture of another size, of another box, or under an overlay")
    func otherPictures() {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        let before = view(fixture.state).outdated()
        fixture.type("x")
        #expect(before.typed(fixture.state) != nil)
        var larger = fixture
        larger.send(.input(.resize(Size(columns: 81, rows: 24))))
        #expect(before.typed(larger.state) == nil)
        var taller = fixture
        taller.press("Alt-Enter")
        #expect(before.typed(taller.state) == nil)
        var covered = fixture
        covered.press("F1")
        #expect(view(covered.state).outdated().typed(fixture.state) == nil)
        #expect(before.typed(covered.state) == nil)
    }

    @Test("what changes more than the input goes the long way")
    func otherKeys() {
        for key in ["Enter", "Tab", "F1", "Alt-k", "Left", "Ctrl-u"] {
            var fixture = ScreenFixture.main(columns: 80, rows: 24)
            fixture.type("x")
            fixture.press(key)
            #expect(!fixture.state.composer.hasOnlyTyped, "\(key)")
        }
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        fixture.type("x")
        fixture.advance(.seconds(60))
        #expect(!fixture.state.composer.hasOnlyTyped)
        fixture.press("F1")
        fixture.type("x")
        #expect(!fixture.state.composer.hasOnlyTyped)
    }
}
