// Pictures by sixels: the bytes, which part of a picture is where, and a terminal that shows them and forgets them.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Sixels")
struct SixelTests {
    /// Red above blue, `width` x `height` pixels.
    static func flag(_ width: Int, _ height: Int) throws -> PixelImage {
        let upper: [[UInt8]] = Array(repeating: [255, 0, 0], count: width * (height / 2))
        let lower: [[UInt8]] = Array(repeating: [0, 0, 255], count: width * (height - height / 2))
        return try #require(PixelImage(width: width, height: height, bytes: (upper + lower).flatMap { $0 }))
    }

    /// Every pixel another colour, and no two runs alike.
    private static func noise(_ width: Int, _ height: Int) throws -> PixelImage {
        var state: UInt64 = 1
        let bytes = (0..<3 * width * height).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        return try #require(PixelImage(width: width, height: height, bytes: bytes))
    }

    private func read(_ bytes: [UInt8]) -> SixelReader {
        #expect(bytes.prefix(2) == [0x1B, UInt8(ascii: "P")] && bytes.suffix(2) == [0x1B, UInt8(ascii: "\\")])
        return SixelReader(bytes.dropFirst(2).dropLast(2))
    }

    // MARK: The bytes

    @Test("a picture of two colours, byte by byte")
    func bytes() throws {
        let sixels = SixelPicture(try Self.flag(5, 8), width: 5, height: 8, registers: 256)
        let text = String(decoding: sixels.sequence(columns: 0..<5, rows: 0..<8), as: UTF8.self)
        #expect(text == "\u{1B}P0;1q\"1;1;5;8#0;2;0;0;100#1;2;100;0;0#1!5N$#0!5o-#0!5B\u{1B}\\")
    }

    @Test("any picture has exactly its size, sets every pixel and stays within the colours of the terminal")
    func size() throws {
        for (width, height, registers) in [(1, 1, 2), (7, 13, 16), (64, 45, 64), (100, 80, 1_024), (50, 50, 27)] {
            let sixels = SixelPicture(
                try Self.noise(31, 29), width: width, height: height, registers: registers)
            let picture = read(sixels.sequence(columns: 0..<width, rows: 0..<height))
            #expect(picture.violations == [])
            #expect(picture.width == width && picture.height == height)
            #expect(picture.pixels.allSatisfy { $0 != nil })
            #expect(picture.registers.keys.allSatisfy { $0 < max(8, registers) })
        }
    }

    @Test("the steps of the colours stay as they are, and others are mixed of their neighbours")
    func colors() throws {
        let steps: [[UInt8]] = [[0, 51, 102], [153, 204, 255], [255, 255, 255], [0, 0, 0]]
        let image = try #require(PixelImage(width: 4, height: 1, bytes: steps.flatMap { $0 }))
        let picture = read(
            SixelPicture(image, width: 4, height: 1, registers: 256).sequence(columns: 0..<4, rows: 0..<1))
        #expect(picture[0, 0] == .init(red: 0, green: 20, blue: 40))
        #expect(picture[1, 0] == .init(red: 60, green: 80, blue: 100))
        #expect(picture[2, 0] == .init(red: 100, green: 100, blue: 100))
        #expect(picture[3, 0] == .init(red: 0, green: 0, blue: 0))
        let grey = try #require(PixelImage(width: 1, height: 1, bytes: [128, 128, 128]))
        let mixed = read(
            SixelPicture(grey, width: 16, height: 16, registers: 8).sequence(columns: 0..<16, rows: 0..<16))
        let light = mixed.pixels.count { $0?.red == 100 }
        #expect((120...136).contains(light), "half of the pixels are white: \(light)")
    }

    @Test("a part of a picture is what the whole shows there")
    func parts() throws {
        let sixels = SixelPicture(try Self.noise(40, 40), width: 60, height: 50, registers: 256)
        let whole = read(sixels.sequence(columns: 0..<60, rows: 0..<50))
        let part = read(sixels.sequence(columns: 13..<41, rows: 7..<30))
        #expect(part.width == 28 && part.height == 23)
        for y in 0..<part.height {
            for x in 0..<part.width { #expect(part[x, y] == whole[13 + x, 7 + y]) }
        }
    }

    // MARK: Places

    @Test("cells of a picture are found again, whole, cut and covered")
    func pieces() {
        var canvas = Canvas(size: Size(columns: 20, rows: 6))
        #expect(canvas.picturePieces == [])
        let rows = PictureRows.cells(ofPicture: 9, size: Size(columns: 6, rows: 4))
        // The first row is scrolled away.
        for (row, line) in rows.dropFirst().enumerated() { canvas.draw(line, at: Point(column: 3, row: row)) }
        let cut = PicturePiece(
            number: 9, part: Rect(column: 0, row: 1, columns: 6, rows: 3), place: Point(column: 3, row: 0))
        #expect(canvas.picturePieces == [cut])
        canvas.draw(SafeText("ab", as: .line), at: Point(column: 5, row: 1))
        #expect(
            canvas.picturePieces == [
                PicturePiece(
                    number: 9, part: Rect(column: 0, row: 1, columns: 6, rows: 1), place: Point(column: 3, row: 0)),
                PicturePiece(
                    number: 9, part: Rect(column: 0, row: 2, columns: 2, rows: 1), place: Point(column: 3, row: 1)),
                PicturePiece(
                    number: 9, part: Rect(column: 4, row: 2, columns: 2, rows: 1), place: Point(column: 7, row: 1)),
                PicturePiece(
                    number: 9, part: Rect(column: 0, row: 3, columns: 6, rows: 1), place: Point(column: 3, row: 2)),
            ])
    }

    @Test("no text from outside is a cell of a picture")
    func hostile() {
        let text = PictureCell(number: 1, column: 0, row: 0).cluster.text
        var canvas = Canvas(size: Size(columns: 20, rows: 1))
        for kind in [SafeText.Kind.line, .multiline, .name, .fileName] {
            canvas.draw(SafeText(text + text, as: kind), at: Point(column: 0, row: 0), style: Style(.palette(1)))
            #expect(canvas.picturePieces == [])
        }
    }

    @Test("the terminal's answers about sixels are no keys")
    func answers() {
        var decoder = InputDecoder()
        decoder.receive(Array("a\u{1B}[?1;0;1024S\u{1B}[?1;3;0S\u{1B}[?2;0;480;312S\u{1B}[6;18;9tb".utf8), now: .now)
        #expect(decoder.takeReports() == [.colorRegisters(1024), .cellSize(width: 9, height: 18)])
        #expect(
            [decoder.nextEvent(), decoder.nextEvent(), decoder.nextEvent()] == [.key(Key("a")), .key(Key("b")), nil])
    }
}

extension RealTerminals {
    @ScreenActor
    @Suite("Sixels on a terminal")
    struct SixelTerminalTests {
        private static let image = Size(columns: 4, rows: 2)

        /// A started terminal that has said what it is, and the picture that it was handed.
        private func fixture(
            _ preview: ScreenSettings.ImagePreview = .auto, attributes: String = "62;4;22",
            cell: (width: Int, height: Int) = (10, 20), columns: Int = 30, rows: Int = 8
        ) async throws -> TerminalFixture {
            var settings = ScreenSettings()
            settings.preview = preview
            let fixture = try TerminalFixture(columns: columns, rows: rows, cell: cell, settings: settings)
            try fixture.start()
            fixture.pty.type("\u{1B}[?\(attributes)cx")
            try await fixture.waitForEvents(1)
            while fixture.events.last != .key(Key("x")) { try await fixture.waitForEvents(fixture.events.count + 1) }
            fixture.terminal.perform(.picture(try SixelTests.flag(4, 4), number: 3, size: Self.image))
            fixture.drain()
            return fixture
        }

        private func canvas(_ fixture: TerminalFixture, at place: Point?, words: String = "words") -> Canvas {
            var canvas = fixture.canvas([words, "more"])
            guard let place else { return canvas }
            for (row, line) in PictureRows.cells(ofPicture: 3, size: Self.image).enumerated() {
                canvas.draw(line, at: Point(column: place.column, row: place.row + row))
            }
            return canvas
        }

        private func places(_ area: Rect) -> Set<String> {
            Set(area.rows.flatMap { row in area.columns.map { "\(row):\($0)" } })
        }

        @Test("a terminal that answers DA1 with 4 shows the picture in its cells, and nothing of it when it is closed")
        func shows() async throws {
            let fixture = try await fixture()
            defer { fixture.terminal.stop() }
            #expect(fixture.terminal.capabilities.graphics == .sixel)
            #expect(fixture.events.contains(.resize(fixture.terminal.size)), "the picture must be drawn anew")
            let place = Point(column: 5, row: 3)
            fixture.present(canvas(fixture, at: place))
            #expect(fixture.screen.violations == [])
            #expect(fixture.screen.pictures.count == 1)
            let picture = try #require(fixture.screen.pictures.first)
            #expect(picture.width == 40 && picture.height == 40)
            #expect(picture[0, 0] == .init(red: 100, green: 0, blue: 0))
            #expect(picture[39, 19] == .init(red: 100, green: 0, blue: 0))
            #expect(picture[0, 20] == .init(red: 0, green: 0, blue: 100))
            #expect(fixture.screen.picturePlaces == places(Rect(origin: place, size: Self.image)))
            #expect(fixture.screen.row == 0 && fixture.screen.column == 0, "the cursor is put back")
            fixture.present(canvas(fixture, at: nil))
            #expect(fixture.screen.picturePlaces == [])
            #expect(fixture.screen.text == "words\nmore\n\n\n\n\n\n\n")
        }

        @Test("what stays where it is is not drawn again; what moves is, and leaves nothing behind")
        func moves() async throws {
            let fixture = try await fixture()
            defer { fixture.terminal.stop() }
            fixture.present(canvas(fixture, at: Point(column: 5, row: 3)))
            fixture.present(canvas(fixture, at: Point(column: 5, row: 3), words: "other words"))
            #expect(fixture.screen.pictures.count == 1)
            fixture.present(canvas(fixture, at: Point(column: 5, row: 2)))
            #expect(fixture.screen.picturePlaces == places(Rect(column: 5, row: 2, columns: 4, rows: 2)))
            #expect(fixture.screen.pictures.count == 2)
            #expect(fixture.screen.pictureCells[2][5] == 1 && fixture.screen.pictureCells[3][8] == 1)
            // Under the cursor of browse mode: curses has written the cells in another style.
            var marked = canvas(fixture, at: Point(column: 5, row: 2))
            marked.restyle(Rect(column: 0, row: 2, columns: 30, rows: 2)) { $0.adding(.reverse) }
            fixture.present(marked)
            #expect(fixture.screen.picturePlaces == places(Rect(column: 5, row: 2, columns: 4, rows: 2)))
            fixture.present(canvas(fixture, at: Point(column: 5, row: 2)))
            #expect(fixture.screen.picturePlaces == places(Rect(column: 5, row: 2, columns: 4, rows: 2)))
            let drawn = fixture.screen.pictures.count
            // Ctrl-l, a resize, the way back from the shell: everything is drawn again.
            fixture.terminal.redraw()
            fixture.present(canvas(fixture, at: Point(column: 5, row: 2)))
            #expect(fixture.screen.pictures.count == drawn + 1)
            #expect(fixture.screen.violations == [])
        }

        @Test("an overlay covers a part, and gives it back")
        func covers() async throws {
            let fixture = try await fixture()
            defer { fixture.terminal.stop() }
            let free = canvas(fixture, at: Point(column: 5, row: 3))
            fixture.present(free)
            var covered = free
            covered.fill(Rect(column: 7, row: 0, columns: 10, rows: 4), with: SafeText("#", as: .line))
            fixture.present(covered)
            let seen = places(Rect(column: 5, row: 3, columns: 2, rows: 1))
                .union(places(Rect(column: 5, row: 4, columns: 4, rows: 1)))
            #expect(fixture.screen.picturePlaces == seen)
            let lower = try #require(fixture.screen.pictures.last)
            #expect(lower.width == 40 && lower.height == 20 && lower[0, 0] == .init(red: 0, green: 0, blue: 100))
            fixture.present(free)
            #expect(fixture.screen.picturePlaces == places(Rect(column: 5, row: 3, columns: 4, rows: 2)))
            #expect(fixture.screen.violations == [])
        }

        @Test("sizes and colours are those that the terminal tells")
        func details() async throws {
            let fixture = try await fixture(cell: (0, 0))
            defer { fixture.terminal.stop() }
            #expect(fixture.screen.questions.suffix(2) == ["?1;1;0S", "16t"])
            let count = fixture.events.count
            fixture.pty.type("\u{1B}[?1;0;16S\u{1B}[6;12;7t")
            try await fixture.waitForEvents(count + 2)
            fixture.screen.cell = (7, 12)
            fixture.present(canvas(fixture, at: Point(column: 5, row: 3)))
            let picture = try #require(fixture.screen.pictures.first)
            #expect(picture.width == 28 && picture.height == 24)
            #expect(picture.registers.count <= 16)
            #expect(fixture.screen.violations == [])
        }

        @Test("a terminal without sixels gets none, nor does one whose user does not want them")
        func without() async throws {
            for (preview, attributes) in [
                (ScreenSettings.ImagePreview.auto, "1;2"), (.blocks, "62;4"), (.kitty, "62;4"), (.off, "62;4"),
            ] {
                let fixture = try await fixture(preview, attributes: attributes)
                #expect(fixture.terminal.capabilities.graphics == .none)
                fixture.terminal.stop()
                fixture.drain()
                #expect(fixture.screen.pictures.isEmpty && fixture.screen.violations == [])
            }
        }

        @Test("a terminal that knows kitty's protocol, too, gets sixels")
        func both() async throws {
            let fixture = try await fixture()
            defer { fixture.terminal.stop() }
            let count = fixture.events.count
            fixture.pty.type("\u{1B}_Gi=31;OK\u{1B}\\y")
            try await fixture.waitForEvents(count + 1)
            #expect(fixture.terminal.capabilities.graphics == .sixel)
        }

        @Test("the user may change the mind: the terminal is asked then, and the pictures go at once")
        func wishes() async throws {
            let fixture = try await fixture(.off)
            defer { fixture.terminal.stop() }
            let place = Point(column: 5, row: 3)
            for preview in [ScreenSettings.ImagePreview.sixel, .auto] {
                let asked = fixture.screen.questions.count
                let count = fixture.events.count
                fixture.terminal.perform(.previews(preview))
                fixture.drain()
                #expect(fixture.screen.questions.dropFirst(asked) == ["c"])
                fixture.pty.type("\u{1B}[?62;4c")
                try await fixture.waitForEvents(count + 2)
                #expect(fixture.terminal.capabilities.graphics == .sixel)
                fixture.terminal.perform(.picture(try SixelTests.flag(4, 4), number: 3, size: Self.image))
                fixture.present(canvas(fixture, at: place))
                #expect(fixture.screen.picturePlaces.count == 8)
                fixture.terminal.perform(.previews(.off))
                #expect(fixture.terminal.capabilities.graphics == .none)
                fixture.present(canvas(fixture, at: nil))
                #expect(fixture.screen.picturePlaces == [])
            }
            #expect(fixture.screen.violations == [])
        }

        @Test("a picture in a chat, from the message to the pixels, and away by Esc, by scrolling and by the settings")
        func chat() async throws {
            let screen = try await fixture(columns: 80, rows: 24)
            defer { screen.terminal.stop() }
            var chat = ScreenFixture.main(columns: 80, rows: 24)
            chat.state.surface.setTerminal(\.graphics, to: .sixel)
            chat.state.surface.set(\.preview, to: .auto)
            var photo = ScreenFixture.transfer(4, .incoming, "photo.png", size: 70, .complete, transferred: 70)
            photo.path = "/home/jo/photo.png"
            chat.effects = []
            chat.send(
                .chat(.messageAdded(ScreenFixture.fileMessage(photo, position: 40, at: ScreenFixture.time(21, 9, 7)))))
            let id = try #require(
                chat.questions.lazy.compactMap { question -> MessageID? in
                    if case .picture(let id, _, isLarge: true) = question { id } else { nil }
                }.first)
            chat.effects = []
            chat.send(.answer(.picture(id, try SixelTests.flag(20, 10))))
            guard case .terminal(let command)? = chat.effects.first else {
                Issue.record("\(chat.effects)")
                return
            }
            screen.terminal.perform(command)
            screen.present(chat.canvas)
            #expect(screen.screen.picturePlaces.count == 20 * 5)
            #expect(screen.screen.pictures.last.map { [$0.width, $0.height] } == [200, 100])
            chat.press("F1")
            screen.present(chat.canvas)
            #expect(screen.screen.picturePlaces.count < 20 * 5, "the help covers it")
            chat.press("Escape")
            screen.present(chat.canvas)
            #expect(screen.screen.picturePlaces.count == 20 * 5)
            chat.press("Alt-PageUp", "Alt-PageUp", "Alt-PageUp")
            screen.present(chat.canvas)
            #expect(screen.screen.picturePlaces.count == 20 * 2 || screen.screen.picturePlaces.count == 20 * 5)
            chat.state.surface.set(\.preview, to: .off)
            screen.present(chat.canvas)
            #expect(screen.screen.picturePlaces == [])
            #expect(screen.screen.violations == [])
        }
    }
}
