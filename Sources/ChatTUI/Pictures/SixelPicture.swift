// A picture as sixels: rows of six pixels, one character for each column and colour (DEC STD 070, "Sixel Graphics";
// VT330/VT340 Programmer Reference Manual, volume 2, chapter 14). Pure; NcursesTerminal+Pictures writes it.

import ChatWords

/// The pixels of a picture in the size in which a terminal shows them.
struct SixelPicture {
    /// Of the whole picture, in the terminal's pixels.
    let width: Int
    let height: Int
    private let image: PixelImage
    /// Steps of red, green and blue: as many as the terminal has colours for.
    private let levels: Int

    /// `registers`: how many colours the terminal has for one picture, at least 2.
    init(_ image: PixelImage, width: Int, height: Int, registers: Int) {
        self.width = max(1, width)
        self.height = max(1, height)
        self.image = image.scaled(toFit: (self.width, self.height))
        levels = (2...6).last { $0 * $0 * $0 <= registers } ?? 2
    }

    /// The sequence that draws these columns and rows of the picture at the cursor. Every pixel of them is set, so
    /// that nothing of another picture remains.
    func sequence(columns: Range<Int>, rows: Range<Int>) -> [UInt8] {
        let columns = columns.clamped(to: 0..<width)
        let rows = rows.clamped(to: 0..<height)
        let colors = colors(columns, rows)
        let used = Set(colors).sorted()
        // Pixels as wide as high; those below the last row are left as they are.
        var bytes = Array("\u{1B}P0;1q\"1;1;\(columns.count);\(rows.count)".utf8)
        var registers: [UInt8: Int] = [:]
        for (register, color) in used.enumerated() {
            registers[color] = register
            bytes += Array("#\(register);2;\(percents(of: color))".utf8)
        }
        var band = SixelBand(columns: columns.count)
        for top in stride(from: 0, to: rows.count, by: 6) {
            if top > 0 { bytes.append(UInt8(ascii: "-")) }
            band.fill(colors[(top * columns.count)..<(min(top + 6, rows.count) * columns.count)])
            band.append(registers, to: &bytes)
        }
        return bytes + Array("\u{1B}\\".utf8)
    }

    /// The colour of each pixel, row by row: red, green and blue as digits to the base `levels`. An ordered dither
    /// hides the steps; a colour that is one of the steps stays as it is.
    private func colors(_ columns: Range<Int>, _ rows: Range<Int>) -> [UInt8] {
        var colors: [UInt8] = []
        colors.reserveCapacity(columns.count * rows.count)
        let sources = columns.map { $0 * image.width / width }
        for y in rows {
            let source = y * image.height / height
            let thresholds = Self.thresholds[y & 3]
            for (offset, x) in sources.enumerated() {
                let pixel = image[x, source]
                let threshold = thresholds[(columns.lowerBound + offset) & 3]
                let color = (step(pixel.red, threshold) * levels + step(pixel.green, threshold)) * levels
                colors.append(UInt8(clamping: color + step(pixel.blue, threshold)))
            }
        }
        return colors
    }

    /// The step of 0...255 that is shown for `value`: the one below or above, by the threshold of the place (0...15).
    private func step(_ value: Int, _ threshold: Int) -> Int {
        (value * (levels - 1) * 32 + 255 * (2 * threshold + 1)) / (255 * 32)
    }

    /// Bayer's matrix of 4 by 4.
    private static let thresholds = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]

    private func percents(of color: UInt8) -> String {
        let parts = [Int(color) / (levels * levels), Int(color) / levels % levels, Int(color) % levels]
        return parts.map { "\($0 * 100 / (levels - 1))" }.joined(separator: ";")
    }
}

/// Six rows of pixels (fewer at the bottom) as one line of characters for each colour in them.
private struct SixelBand {
    private let columns: Int
    /// By colour: for each column the pixels that have it, the uppermost as bit 0. Only those of `used` count.
    private var masks: [[UInt8]] = Array(repeating: [], count: 256)
    private var used: [UInt8] = []

    init(columns: Int) { self.columns = columns }

    /// Takes the colours of its pixels, row by row.
    mutating func fill(_ colors: ArraySlice<UInt8>) {
        for color in used { masks[Int(color)] = [] }
        used = []
        for (offset, color) in colors.enumerated() {
            if masks[Int(color)].isEmpty {
                masks[Int(color)] = Array(repeating: 0, count: columns)
                used.append(color)
            }
            masks[Int(color)][offset % columns] |= 1 << UInt8(truncatingIfNeeded: offset / columns)
        }
    }

    /// `#1!12~??@$#2...`: the register, and a character for each column; repeated ones as their count.
    func append(_ registers: [UInt8: Int], to bytes: inout [UInt8]) {
        for (index, color) in used.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "$")) }
            bytes += Array("#\(registers[color] ?? 0)".utf8)
            let masks = masks[Int(color)]
            let end = (masks.lastIndex { $0 != 0 } ?? -1) + 1
            var column = 0
            while column < end {
                let first = column
                while column < end, masks[column] == masks[first] { column += 1 }
                let character = masks[first] + 0x3F
                if column - first > 3 { bytes += Array("!\(column - first)".utf8) }
                bytes += repeatElement(character, count: column - first > 3 ? 1 : column - first)
            }
        }
    }
}
