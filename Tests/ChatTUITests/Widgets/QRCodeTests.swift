// QR codes: what libqrencode makes, as modules and as half blocks, and what is said where there is none.

import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("QR codes")
struct QRCodeTests {
    @Test("gives the modules of the code")
    func reference() throws {
        let rows = """
            #######.#.##..#######
            #.....#.#...#.#.....#
            #.###.#.###...#.###.#
            #.###.#.#..##.#.###.#
            #.###.#..#.#..#.###.#
            #.....#.##..#.#.....#
            #######.#.#.#.#######
            .........###.........
            ##..###....##..#.####
            .#...#..#.##.#.#.#.#.
            #...#.##.#.#.##.##.#.
            ##.#......###.......#
            #.#.####..#....##..##
            ........##.#.#..#..#.
            #######..#.#..###..#.
            #.....#.###........#.
            #.###.#.#.##...###.##
            #.###.#..#####..#.#.#
            #.###.#..#....####...
            #.....#.##.....#.#...
            #######.#.#.#...##..#
            """.split(separator: "\n")
        // 17 bytes: as many as version 1 holds.
        let text = "blip://[::1]:4985"
        let code = try QRCode(text)
        #expect(code.size == 21)
        for (row, line) in rows.enumerated() {
            let own = (0..<code.size).map { code.isDark(column: $0, row: row) ? "#" : "." }.joined()
            #expect(own == line)
        }
    }

    @Test("takes the smallest version that holds the text, up to 2953 bytes")
    func versions() throws {
        for (count, size) in [(1, 21), (17, 21), (18, 25), (134, 41), (154, 45), (2953, 177)] {
            #expect(try QRCode(String(repeating: "x", count: count)).size == size, "\(count)")
        }
        #expect(throws: QRCodeError.tooLong) { try QRCode(String(repeating: "x", count: 2954)) }
    }

    @Test("without the library the sentence says what to install")
    func missing() throws {
        #expect(QRLibrary("libnothing-of-the-kind.so.4") == nil)
        #expect(throws: QRCodeError.noLibrary) { try QRCode("x", by: nil) }
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        fixture.send(.answer(.qrCode("blip://192.0.2.10:4985", .failure(.noLibrary))))
        #expect(fixture.state.place.overlay == nil)
        let words = "No QR code: libqrencode is not installed (install it: apt install libqrencode4)"
        let text = fixture.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("libqrencode4") && text.contains("blip://192.0.2.10:4985"), "\(words)")
    }

    @Test("draws two rows of modules in a line, with a light margin around")
    func halfBlocks() throws {
        let code = try QRCode("x")
        let lines = code.halfBlocks
        #expect(lines.count == 13)
        #expect(lines.allSatisfy { $0.count == 25 })
        #expect(lines.first == String(repeating: "█", count: 25))
        // The finder's top: dark over light between the margins.
        #expect(lines[1].hasPrefix("██ ▄▄▄▄▄ █"))
    }
}
