// A QR code (ISO/IEC 18004) of an address, to be photographed from the terminal: `blipchat id qr`, `/qr`.

/// Dark and light modules of a code in byte mode with error correction level L.
public struct QRCode: Sendable, Equatable {
    /// 1 to 40: each step adds four modules to the side.
    let version: Int
    /// Modules of a side.
    public let size: Int
    /// Row by row; `true` is dark.
    private(set) var modules: [Bool]
    /// Modules that belong to the patterns and not to the data.
    private var isPattern: [Bool]

    /// The smallest code that holds `text` as UTF-8, with the mask that is easiest to read; `nil` beyond 2953 bytes.
    public init?(_ text: String) { self.init(text, masks: 0..<8) }

    /// With the easiest to read of some masks: readers take any.
    init?(_ text: String, masks: Range<Int>) {
        let bytes = Array(text.utf8)
        guard let version = (1...40).first(where: { QRCodewords(version: $0).holds(bytes.count) }) else { return nil }
        let codewords = QRCodewords(version: version).interleaved(bytes)
        let plain = QRCode(version: version, codewords: codewords)
        let masked = masks.map { plain.masked($0) }
        guard let best = masked.min(by: { $0.penalty < $1.penalty }) else { return nil }
        self = best
    }

    /// Whether the module is dark; all around the code is light.
    public func isDark(column: Int, row: Int) -> Bool {
        (0..<size).contains(column) && (0..<size).contains(row) && modules[row * size + column]
    }

    /// Light modules around the code, as many as cameras need on a screen.
    static let margin = 2

    /// Lines of half blocks, two rows of modules each, with the margin. To be shown as white on black: a light module
    /// is a filled one.
    public var halfBlocks: [String] {
        stride(from: -Self.margin, to: size + Self.margin, by: 2).map { row in
            var line = ""
            for column in -Self.margin..<(size + Self.margin) {
                switch (isDark(column: column, row: row), isDark(column: column, row: row + 1)) {
                case (false, false): line += "█"
                case (false, true): line += "▀"
                case (true, false): line += "▄"
                case (true, true): line += " "
                }
            }
            return line
        }
    }

    // MARK: Patterns and data

    private init(version: Int, codewords: [UInt8]) {
        self.version = version
        size = version * 4 + 17
        modules = Array(repeating: false, count: size * size)
        isPattern = modules
        drawPatterns()
        draw(codewords)
    }

    private mutating func set(_ column: Int, _ row: Int, _ isDark: Bool) {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return }
        modules[row * size + column] = isDark
        isPattern[row * size + column] = true
    }

    private mutating func drawPatterns() {
        // Timing.
        for place in 0..<size {
            set(6, place, place % 2 == 0)
            set(place, 6, place % 2 == 0)
        }
        // Finders with their light borders, in three corners.
        for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            for dy in -4...4 {
                for dx in -4...4 {
                    let distance = max(abs(dx), abs(dy))
                    set(column + dx, row + dy, distance != 2 && distance != 4)
                }
            }
        }
        let centres = alignmentCentres
        for row in centres {
            for column in centres where !isFinderCorner(column, row, last: centres.last ?? 0) {
                for dy in -2...2 { for dx in -2...2 { set(column + dx, row + dy, max(abs(dx), abs(dy)) != 1) } }
            }
        }
        drawFormat(mask: 0)
        drawVersion()
    }

    private func isFinderCorner(_ column: Int, _ row: Int, last: Int) -> Bool {
        (column == 6 && row == 6) || (column == 6 && row == last) || (column == last && row == 6)
    }

    /// Where alignment patterns stand on both axes (Annex E).
    private var alignmentCentres: [Int] {
        guard version > 1 else { return [] }
        let count = version / 7 + 2
        let step = (version * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (0..<(count - 1)).map { size - 7 - $0 * step }.reversed()
    }

    /// Level and mask, twice, protected by a BCH code (7.9).
    private mutating func drawFormat(mask: Int) {
        let data = 0b01 << 3 | mask
        var rest = data
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (data << 10 | rest) ^ 0x5412
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0..<6 { set(8, index, bit(index)) }
        set(8, 7, bit(6))
        set(8, 8, bit(7))
        set(7, 8, bit(8))
        for index in 9..<15 { set(14 - index, 8, bit(index)) }
        for index in 0..<8 { set(size - 1 - index, 8, bit(index)) }
        for index in 8..<15 { set(8, size - 15 + index, bit(index)) }
        set(8, size - 8, true)
    }

    /// The version, twice, from version 7 on (7.10).
    private mutating func drawVersion() {
        guard version >= 7 else { return }
        var rest = version
        for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
        let bits = version << 12 | rest
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            set(size - 11 + index % 3, index / 3, isDark)
            set(index / 3, size - 11 + index % 3, isDark)
        }
    }

    /// Two columns at a time from the right, upwards and downwards in turn, around the patterns (7.7.3).
    private mutating func draw(_ codewords: [UInt8]) {
        var index = 0
        var isUpward = true
        for right in stride(from: size - 1, through: 1, by: -2) {
            // The timing column is stepped over.
            let right = right <= 6 ? right - 1 : right
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isPattern[row * size + column] && index < codewords.count * 8 {
                    modules[row * size + column] = codewords[index / 8] >> (7 - UInt8(index % 8)) & 1 == 1
                    index += 1
                }
            }
            isUpward.toggle()
        }
    }

    // MARK: Masks

    /// The code with a mask over its data (7.8.2).
    private func masked(_ mask: Int) -> QRCode {
        var code = self
        for row in 0..<size {
            for column in 0..<size where !isPattern[row * size + column] && Self.inverts(mask, column, row) {
                code.modules[row * size + column].toggle()
            }
        }
        code.drawFormat(mask: mask)
        return code
    }

    private static func inverts(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    /// How hard the code is to read (7.8.3): runs, blocks, what looks like a finder, and too much of one colour.
    private var penalty: Int {
        var sum = 0
        for line in 0..<size {
            sum += Self.penalty(ofLine: (0..<size).map { modules[line * size + $0] })
            sum += Self.penalty(ofLine: (0..<size).map { modules[$0 * size + line] })
        }
        for row in 0..<(size - 1) {
            for column in 0..<(size - 1) {
                let place = row * size + column
                let first = modules[place]
                if modules[place + 1] == first, modules[place + size] == first, modules[place + size + 1] == first {
                    sum += 3
                }
            }
        }
        let dark = modules.count { $0 }
        return sum + abs(dark * 20 - modules.count * 10) / modules.count * 10
    }

    private static func penalty(ofLine line: [Bool]) -> Int {
        var sum = 0
        var run = 0
        for (index, isDark) in line.enumerated() {
            run = index > 0 && line[index - 1] == isDark ? run + 1 : 1
            if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
        }
        let finder = [true, false, true, true, true, false, true]
        for start in 0...(line.count - 7) where Array(line[start..<(start + 7)]) == finder {
            let before = line[max(0, start - 4)..<start].allSatisfy { !$0 }
            let after = line[(start + 7)..<min(line.count, start + 11)].allSatisfy { !$0 }
            if before || after { sum += 40 }
        }
        return sum
    }
}
