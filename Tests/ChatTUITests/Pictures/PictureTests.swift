// Previews of pictures: read by the system's library, drawn as characters, handed to terminals that know how.

import ChatCore
import Glibc
import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Pictures")
struct PictureTests {
    /// Red above blue, 4 x 4 pixels.
    private static let flag = PixelImage(
        width: 4, height: 4,
        bytes: Array(repeating: [255, 0, 0], count: 8).flatMap { $0 }
            + Array(repeating: [0, 0, 255], count: 8).flatMap { $0 })

    private func row(_ line: StyledLine) -> String { line.spans.map(\.text.text).joined() }

    // MARK: Drawing

    @Test("two pixels share a cell: the upper one is the foreground, the lower one the background")
    func halfBlocks() throws {
        let image = try #require(PixelImage(width: 1, height: 3, bytes: [255, 0, 0, 0, 255, 0, 128, 128, 128]))
        let rows = PictureRows.halfBlocks(image, columns: 40)
        #expect(rows.map(row) == ["▀", "▀"])
        #expect(rows[0].spans[0].style == Style(.palette(196), on: .palette(46)))
        #expect(rows[1].spans[0].style == Style(.palette(244)))
    }

    @Test("without colours brightness becomes characters")
    func shades() throws {
        let image = try #require(
            PixelImage(
                width: 3, height: 2,
                bytes: [0, 0, 0, 128, 128, 128, 255, 255, 255, 0, 0, 0, 128, 128, 128, 255, 255, 255]))
        #expect(PictureRows.shades(image, columns: 40).map(row) == [" +@"])
    }

    @Test("a large picture is made smaller by averaging, and keeps its shape")
    func scaling() throws {
        let flag = try #require(Self.flag)
        let small = flag.scaled(toFit: (2, 2))
        #expect(small.width == 2 && small.height == 2)
        #expect(small[0, 0] == (255, 0, 0) && small[1, 1] == (0, 0, 255))
        #expect(flag.scaled(toFit: (4, 1)) == PixelImage(width: 1, height: 1, bytes: [127, 0, 127]))
        #expect(flag.scaled(toFit: (100, 100)) == flag)
    }

    @Test("bytes that do not fit the size are no picture")
    func sizes() {
        #expect(PixelImage(width: 2, height: 2, bytes: [1, 2, 3]) == nil)
        #expect(PixelImage(width: 0, height: 0, bytes: []) == nil)
    }

    @Test("each palette colour is its own nearest one")
    func nearest() {
        let levels = [0, 95, 135, 175, 215, 255]
        for (index, red) in levels.enumerated() {
            #expect(PictureRows.nearest((red, 0, 255)) == UInt8(16 + 36 * index + 5))
        }
        #expect(PictureRows.nearest((8, 8, 8)) == 232)
        #expect(PictureRows.nearest((238, 238, 238)) == 255)
    }

    // MARK: Files

    /// Has the built program decode, as the screen does.
    private func reader() throws -> PictureReader { PictureReader(program: try #require(BlipchatProgram.path)) }

    @Test(
        "a photo that lies on its side is turned upright, as its Exif data says",
        .enabled(if: PictureLibrary.isInstalled, "gdk-pixbuf is not installed (libgdk-pixbuf-2.0-0)"))
    func turned() async throws {
        let reader = try reader()
        // 16 x 8 pixels, red beside blue, Orientation 6.
        let image = try await reader.picture(at: GoldenFile.path("turned.jpg"), toFit: (40, 24))
        #expect(image.width == 8 && image.height == 16)
        #expect(image[3, 2].0 > 200 && image[3, 13].2 > 200, "red above blue")
        let small = try await reader.picture(at: GoldenFile.path("turned.jpg"), toFit: (40, 8))
        #expect(small.width == 4 && small.height == 8)
    }

    @Test("reads a PNG file where the library is installed, and nothing else than pictures")
    func files() async throws {
        let folder = try TemporaryDirectory()
        let reader = try reader()
        let png = folder.file("red.png")
        try write(Self.png, to: png)
        if !PictureLibrary.isInstalled {
            await #expect(throws: PictureError.noLibrary) { try await reader.picture(at: png, toFit: (40, 24)) }
        } else {
            let image = try await reader.picture(at: png, toFit: (40, 24))
            #expect(image.width == 2 && image.height == 1)
            #expect(image[0, 0] == (255, 0, 0))
        }
        for (name, bytes, error) in [
            ("short.png", Array(Self.png.prefix(30)), PictureError.unreadable),
            ("svg.png", Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), .unknownKind),
            ("empty.gif", [], .unknownKind),
            ("zero.gif", Array("GIF89a".utf8) + [0, 0, 0, 0, 0, 0, 0, 0x3B], .unreadable),
        ] {
            try write(bytes, to: folder.file(name))
            guard PictureLibrary.isInstalled || error == .unknownKind else { continue }
            await #expect(throws: error) { try await reader.picture(at: folder.file(name), toFit: (40, 24)) }
        }
        await #expect(throws: PictureError.unreadable) {
            try await reader.picture(at: folder.path, toFit: (40, 24))
        }
        await #expect(throws: PictureError.unreadable) { try await reader.picture(at: "/none", toFit: (40, 24)) }
    }

    @Test(
        "a picture that takes too long, or too much memory, is given up, and the next one is read",
        .enabled(if: PictureLibrary.isInstalled, "gdk-pixbuf is not installed"), .timeLimit(.minutes(2)))
    func greedy() async throws {
        let folder = try TemporaryDirectory()
        let reader = try reader()
        let slow = folder.file("slow.jpg")
        try write(Self.scans(4_000), to: slow)
        await #expect(throws: PictureError.unreadable) { try await reader.picture(at: slow, toFit: (40, 24)) }
        let wide = folder.file("wide.jpg")
        try write(Self.scans(1, side: 65_000), to: wide)
        await #expect(throws: PictureError.tooLarge) { try await reader.picture(at: wide, toFit: (40, 24)) }
        let png = folder.file("red.png")
        try write(Self.png, to: png)
        #expect(try await reader.picture(at: png, toFit: (40, 24)).width == 2)
    }

    @Test("a child that says more than a picture can be, or nothing, gives no picture")
    func strangeChildren() async throws {
        let folder = try TemporaryDirectory()
        let png = folder.file("red.png")
        try write(Self.png, to: png)
        for script in ["exit 0", "yes", "printf '\\0\\377\\377\\377\\377'", "kill -9 $$"] {
            let program = folder.file("child")
            try TestFile.writeProgram("#!/bin/sh\n\(script)\n", to: program)
            await #expect(throws: PictureError.unreadable, "\(script)") {
                try await PictureReader(program: program).picture(at: png, toFit: (40, 24))
            }
        }
    }

    /// A progressive JPEG of one grey plane, 4,096 pixels wide and high, whose every scan has the whole of it decoded anew
    /// (ITU T.81: SOF2, spectral selection 0, a scan without data).
    private static func scans(_ count: Int, side: UInt16 = 4_096) -> [UInt8] {
        let size = [UInt8(side >> 8), UInt8(side & 0xFF)]
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + Array(repeating: 1, count: 64)
        bytes += [0xFF, 0xC2, 0, 11, 8] + size + size + [1, 1, 0x11, 0]
        // One code of one bit, which says: no difference.
        bytes += [0xFF, 0xC4, 0, 20, 0x00, 1] + Array(repeating: 0, count: 15) + [0]
        bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0x00, 0, 0, 0x01, 0]
        for _ in 1..<max(2, count) { bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0x00, 0, 0, 0x10, 0] }
        return bytes + [0xFF, 0xD9]
    }

    @Test("what the library complains of does not reach standard error, which is the terminal")
    func complaints() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("zero.gif")
        try write(Array("GIF89a".utf8) + [0, 0, 0, 0, 0, 0, 0, 0x3B], to: path)
        // It may write into a pipe, and into no file.
        let child = try ChildProcess(
            ["/bin/sh", "-c", "\"$0\" \(PictureChild.word) 40 24 | cat", try #require(BlipchatProgram.path)],
            environment: ["PATH": "/usr/bin:/bin"], folder: folder, input: path)
        #expect(try await child.waitForExit() == .exited(0))
        #expect(child.errorOutput.isEmpty)
        #expect(child.output.utf8.count == 1, "what went wrong, in one byte")
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try #require(fopen(path, "w"))
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    /// Two red pixels: IHDR 2 x 1 RGB, one stored deflate block, IEND.
    private static let png: [UInt8] = {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let row: [UInt8] = [0, 255, 0, 0, 255, 0, 0]
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in row { (a, b) = ((a + UInt32(byte)) % 65_521, (b + a + UInt32(byte)) % 65_521) }
        let count = UInt8(row.count)
        let data = [0x78, 0x01, 0x01, count, 0, ~count, 0xFF] + row + big(b << 16 | a)
        for (name, content) in [("IHDR", big(2) + big(1) + [8, 2, 0, 0, 0]), ("IDAT", data), ("IEND", [])] {
            let body = Array(name.utf8) + content
            bytes += big(UInt32(content.count)) + body + big(checksum(body))
        }
        return bytes
    }()

    private static func big(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    // MARK: In the history

    private func fixture(_ preview: ScreenSettings.ImagePreview) -> ScreenFixture {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.preview, to: preview)
        var photo = ScreenFixture.transfer(4, .incoming, "photo.PNG", size: 70, .complete, transferred: 70)
        photo.path = "/home/jo/Downloads/photo.PNG"
        fixture.effects = []
        fixture.send(
            .chat(.messageAdded(ScreenFixture.fileMessage(photo, position: 40, at: ScreenFixture.time(21, 9, 7)))))
        return fixture
    }

    private func pictureQuestions(_ fixture: ScreenFixture) -> [Question] {
        fixture.questions.filter { if case .picture = $0 { true } else { false } }
    }

    @Test("nothing is read unless the user wants previews")
    func off() {
        #expect(pictureQuestions(fixture(.off)) == [])
    }

    @Test("a picture that is there is asked for once, and stands below the line of its file")
    func preview() throws {
        var fixture = fixture(.blocks)
        let asked = pictureQuestions(fixture)
        try #require(asked.count == 1)
        guard case .picture(let id, "/home/jo/Downloads/photo.PNG", false) = asked[0] else {
            Issue.record("\(asked)")
            return
        }
        fixture.effects = []
        fixture.press("x")
        #expect(pictureQuestions(fixture) == [])
        fixture.send(.answer(.picture(id, Self.flag)))
        let rows = fixture.canvas.text().split(separator: "\n").map(String.init)
        let line = try #require(rows.firstIndex { $0.contains("photo.PNG") })
        #expect(rows[line + 1].hasSuffix("▀▀▀▀") && rows[line + 2].hasSuffix("▀▀▀▀"))
        fixture.state.surface.setTerminal(\.colors, to: 0)
        #expect(!fixture.canvas.text().contains("▀"))
    }

    @Test("of more pictures than are kept the newest are asked for, and once")
    func many() {
        var fixture = fixture(.blocks)
        for number in Int64(50)..<80 {
            var photo = ScreenFixture.transfer(
                number, .incoming, "photo \(number).png", size: 70, .complete, transferred: 70)
            photo.path = "/home/jo/Downloads/photo \(number).png"
            fixture.send(
                .chat(
                    .messageAdded(
                        ScreenFixture.fileMessage(photo, position: number, at: ScreenFixture.time(21, 9, 8)))))
        }
        fixture.effects = []
        for rows in 25...29 { fixture.send(.input(.resize(Size(columns: 80, rows: rows)))) }
        #expect(pictureQuestions(fixture) == [])
        fixture.state.world.pictures.forget()
        fixture.send(.input(.resize(Size(columns: 80, rows: 30))))
        #expect(pictureQuestions(fixture).count == PictureShelf.limit)
        #expect(fixture.state.world.pictures.previews.count == PictureShelf.limit)
    }

    @Test("what cannot be shown leaves the line of the file alone")
    func unreadable() throws {
        var fixture = fixture(.blocks)
        guard case .picture(let id, _, _)? = pictureQuestions(fixture).last else {
            Issue.record("no picture is read")
            return
        }
        let before = fixture.canvas
        fixture.send(.answer(.picture(id, nil)))
        #expect(fixture.canvas.text() == before.text())
    }

    @Test("a terminal that knows kitty's protocol gets the picture and its placeholders")
    func kitty() throws {
        var fixture = fixture(.auto)
        fixture.state.surface.setTerminal(\.graphics, to: .kitty)
        fixture.state.world.pictures.forget()
        fixture.effects = []
        fixture.send(.clock)
        guard case .picture(let id, _, true)? = fixture.questions.last else {
            Issue.record("\(fixture.questions)")
            return
        }
        let flag = try #require(Self.flag)
        fixture.effects = []
        fixture.send(.answer(.picture(id, flag)))
        let size = Size(columns: 4, rows: 2)
        #expect(fixture.effects == [.terminal(.picture(flag, number: 1, size: size))])
        let text = fixture.canvas.text()
        #expect(text.contains("\u{10EEEE}\u{305}\u{305}\u{10EEEE}\u{305}\u{30D}"))
        #expect(text.contains("\u{10EEEE}\u{30D}\u{305}"))
        // Back from the shell: the terminal has forgotten it.
        fixture.effects = []
        fixture.send(.input(.resize(fixture.state.surface.size)))
        #expect(fixture.effects == [.terminal(.picture(flag, number: 1, size: size))])
    }

    @Test("the shelf forgets the oldest, and numbers stay between 1 and 255")
    func shelf() throws {
        var shelf = PictureShelf()
        var numbers: Set<UInt8> = []
        for number in 1...300 as ClosedRange<Int64> {
            let id = ScreenFixture.messageID(number)
            let isNew = [shelf.ask(for: id), shelf.ask(for: id)]
            #expect(isNew == [true, false])
            let preview = shelf.put(Self.flag, for: id, asPicture: true)
            numbers.insert(try #require(preview?.number))
        }
        #expect(shelf.previews.count == PictureShelf.limit)
        #expect(numbers.count == 255 && !numbers.contains(0))
    }

    @Test("a picture is handed over in pieces, and a terminal's answer is no key")
    func sequences() throws {
        let image = try #require(PixelImage(width: 64, height: 64, bytes: Array(repeating: 7, count: 3 * 64 * 64)))
        let text = KittyGraphics.transmit(image, number: 9, size: Size(columns: 40, rows: 10))
        let pieces = text.components(separatedBy: "\u{1B}\\").dropLast()
        #expect(pieces.count == 4)
        #expect(pieces[0].hasPrefix("\u{1B}_Ga=T,U=1,q=2,f=24,i=9,s=64,v=64,c=40,r=10,m=1;"))
        #expect(pieces.dropLast().allSatisfy { $0.contains("m=1;") } && pieces.last?.contains("m=0;") == true)
        var decoder = InputDecoder()
        decoder.receive(
            Array("a\u{1B}_Gi=31;OK\u{1B}\\b\u{1B}_Gi=31;ENOTSUPPORTED\u{1B}\\\u{1B}]Gi=31;OK\u{7}".utf8), now: .now)
        #expect(decoder.takeReports() == [.graphics])
        // A kitty before 0.28 answers the question without the key of the placeholders, too, and cannot draw them.
        let keys = KittyGraphics.query.split(separator: ";")[0].split(separator: ",")
        #expect(keys.contains("a=q") && keys.contains("U=1"))
        #expect(
            [decoder.nextEvent(), decoder.nextEvent(), decoder.nextEvent()] == [.key(Key("a")), .key(Key("b")), nil])
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
