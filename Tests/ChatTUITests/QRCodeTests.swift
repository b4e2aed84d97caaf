// QR codes, compared with what qrencode 4.1 (level L, byte mode) makes of the same text.

import Testing

@testable import ChatTUI

@Suite("QR codes")
struct QRCodeTests {
    @Test("makes the same modules as qrencode")
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
        // The format information of the rows above says mask 4; ours may be another one of the eight.
        let code = try #require(QRCode(text, masks: 4..<5))
        #expect(code.size == 21)
        for (row, line) in rows.enumerated() {
            let own = (0..<code.size).map { code.isDark(column: $0, row: row) ? "#" : "." }.joined()
            #expect(own == line)
        }
        let best = try #require(QRCode(text))
        #expect((0..<8).contains { QRCode(text, masks: $0..<($0 + 1)) == best })
    }

    @Test("takes the smallest version that holds the text, up to 2953 bytes")
    func versions() {
        for (count, size) in [(0, 21), (17, 21), (18, 25), (134, 41), (154, 45)] {
            #expect(QRCode(String(repeating: "x", count: count))?.size == size, "\(count)")
        }
        #expect(QRCodewords(version: 40).holds(2953))
        #expect(QRCode(String(repeating: "x", count: 2954)) == nil)
    }

    @Test("draws two rows of modules in a line, with a light margin around")
    func halfBlocks() throws {
        let code = try #require(QRCode("x"))
        let lines = code.halfBlocks
        #expect(lines.count == 13)
        #expect(lines.allSatisfy { $0.count == 25 })
        #expect(lines.first == String(repeating: "█", count: 25))
        // The finder's top: dark over light between the margins.
        #expect(lines[1].hasPrefix("██ ▄▄▄▄▄ █"))
    }
}
