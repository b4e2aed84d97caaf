// A terminal emulator just large enough for what blipchat writes. Whatever it does not know is a violation: the
// renderer's own grammar is the allowed one, so hostile text that acts on a terminal shows up here.

@testable import ChatTUI
@testable import ChatWords

/// The picture that a terminal of type xterm-256color would show. It draws scalar by scalar and knows no emoji
/// sequences: the kind of terminal that makes wide clusters doubtful.
struct ScreenModel {
    private(set) var cells: [[String]]
    private(set) var violations: [String] = []
    /// The addresses behind the cells (OSC 8).
    private(set) var links: [[String?]]
    private(set) var titles: [String] = []
    /// What was put on the clipboard (OSC 52), still in base64.
    private(set) var clipboard: [String] = []
    /// Notifications (OSC 9, 777, 99) as they came, without the introducer.
    private(set) var notifications: [String] = []
    /// The pictures that were drawn by sixels, and which of them is seen in each cell.
    private(set) var pictures: [SixelReader] = []
    private(set) var pictureCells: [[Int?]]
    /// The pixels of a character.
    var cell = (width: 10, height: 20)
    private var link: String?
    private(set) var modes: Set<String> = []
    /// What the terminal was asked: where the cursor is, what it can do.
    private(set) var questions: [String] = []
    private(set) var bells = 0
    private(set) var cursorShape = "0 "
    private(set) var row = 0
    private(set) var column = 0
    private let columns: Int
    private let rows: Int
    private var bytes: [UInt8] = []
    private var last = " "
    /// The scrolling region.
    private var top = 0
    private var bottom: Int

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        bottom = rows - 1
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        links = Array(repeating: Array(repeating: nil, count: columns), count: rows)
        pictureCells = Array(repeating: Array(repeating: nil, count: columns), count: rows)
    }

    /// Rows and columns of the cells that show a picture, each as `row:column`.
    var picturePlaces: Set<String> {
        var places: Set<String> = []
        for (row, cells) in pictureCells.enumerated() {
            for (column, cell) in cells.enumerated() where cell != nil { places.insert("\(row):\(column)") }
        }
        return places
    }

    /// The rows without blanks at their ends, each ended by LF, like `Canvas.text()`.
    var text: String {
        cells.map { cells in
            var text = cells.joined()
            while text.utf8.last == 0x20 { text.unicodeScalars.removeLast() }
            return text + "\n"
        }.joined()
    }

    mutating func receive(_ new: [UInt8]) {
        bytes += new
        var index = 0
        while index < bytes.count {
            let used = step(bytes[index...])
            guard used > 0 else { break }
            index += used
        }
        bytes.removeFirst(index)
    }

    /// Handles one character or sequence and returns its length; 0 when it is not complete.
    private mutating func step(_ rest: ArraySlice<UInt8>) -> Int {
        guard let first = rest.first else { return 0 }
        switch first {
        case 0x1B: return stepEscape(rest)
        case 0x07: bells += 1
        case 0x08: column = max(0, column - 1)
        case 0x0A: if row == bottom { scroll(from: top, by: 1) } else { row = min(rows - 1, row + 1) }
        case 0x0D: column = 0
        case 0x00...0x1F, 0x7F: violations.append("control \(first)")
        default:
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard rest.count >= length else { return 0 }
            guard let text = String(validating: rest.prefix(length), as: UTF8.self) else {
                violations.append("not UTF-8")
                return 1
            }
            put(text)
            return length
        }
        return 1
    }

    private mutating func put(_ text: String) {
        guard let scalar = text.unicodeScalars.first else { return }
        if (0x80...0x9F).contains(scalar.value) || ScalarRule(scalar) == .remove {
            violations.append("U+\(String(scalar.value, radix: 16))")
            return
        }
        if case .named = ScalarRule(scalar) { violations.append("bidi control") }
        let width = TextWidth.width(of: scalar)
        if width == 0 {
            if column == 0 { violations.append("a mark in the first column") }
            let place = max(0, min(column, columns) - 1)
            let base = cells[row][place].isEmpty && place > 0 ? place - 1 : place
            cells[row][base] += text
            return
        }
        if column + width > columns {
            column = 0
            row = min(rows - 1, row + 1)
        }
        if cells[row][column].isEmpty, column > 0 { cells[row][column - 1] = " " }
        if column + width < columns, cells[row][column + width].isEmpty { cells[row][column + width] = " " }
        cells[row][column] = text
        links[row][column] = link
        for column in column..<column + width { pictureCells[row][column] = nil }
        if width == 2 {
            cells[row][column + 1] = ""
            links[row][column + 1] = link
        }
        column += width
        last = text
    }

    private mutating func stepEscape(_ rest: ArraySlice<UInt8>) -> Int {
        let all = Array(rest.prefix(600_000))
        guard all.count >= 2 else { return 0 }
        switch all[1] {
        case UInt8(ascii: "["):
            guard let end = all.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return 0 }
            control(String(decoding: all[2..<end], as: UTF8.self), Character(UnicodeScalar(all[end])))
            return end + 1
        case UInt8(ascii: "]"):
            guard let end = all.dropFirst(2).firstIndex(of: 0x1B), end + 1 < all.count else { return 0 }
            guard all[end + 1] == UInt8(ascii: "\\") else {
                violations.append("ESC inside of OSC")
                return end
            }
            command(String(decoding: all[2..<end], as: UTF8.self))
            return end + 2
        case UInt8(ascii: "P"):
            guard let end = all.dropFirst(2).firstIndex(of: 0x1B), end + 1 < all.count else { return 0 }
            if all[end + 1] != UInt8(ascii: "\\") { violations.append("ESC inside of DCS") }
            drawSixels(SixelReader(all[2..<end]))
            return end + 2
        case UInt8(ascii: "_"):
            guard let end = all.dropFirst(2).firstIndex(of: 0x1B), end + 1 < all.count else { return 0 }
            let text = String(decoding: all[2..<end], as: UTF8.self)
            // This terminal does not know kitty's pictures; it may be asked about them.
            if !["Gi=31,", "Ga=d,d=A,"].contains(where: { text.hasPrefix($0) }) { violations.append("APC \(text)") }
            return end + 2
        case UInt8(ascii: "("), UInt8(ascii: ")"): return all.count >= 3 ? 3 : 0
        case UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "7"), UInt8(ascii: "8"): return 2
        case UInt8(ascii: "M"): if row == top { scroll(from: top, by: -1) } else { row = max(0, row - 1) }
        default: violations.append("ESC \(all[1])")
        }
        return 2
    }

    private mutating func drawSixels(_ picture: SixelReader) {
        violations += picture.violations
        pictures.append(picture)
        let size = ((picture.width + cell.width - 1) / cell.width, (picture.height + cell.height - 1) / cell.height)
        if row + size.1 >= rows || column + size.0 > columns { violations.append("a picture that scrolls the screen") }
        for row in row..<min(rows, row + size.1) {
            for column in column..<min(columns, column + size.0) { pictureCells[row][column] = pictures.count - 1 }
        }
        // Where the cursor is now is no two terminals' common opinion.
        (row, column) = (min(rows - 1, row + size.1), 0)
    }

    /// An operating system command (OSC): only those that blipchat writes, with nothing in them that could act.
    private mutating func command(_ text: String) {
        let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let payload = parts.count > 1 ? parts[1] : ""
        if payload.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) {
            violations.append("control inside of OSC \(parts[0])")
        }
        switch parts[0] {
        case "2": titles.append(text)
        case "8": follow(payload)
        case "9", "99", "777": notifications.append(text)
        case "52" where payload.hasPrefix("c;"): clipboard.append(String(payload.dropFirst(2)))
        default: violations.append("OSC \(parts[0])")
        }
    }

    /// OSC 8: `id=x;URI` begins a link, `;` ends it.
    private mutating func follow(_ payload: String) {
        let parts = payload.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            violations.append("OSC 8 \(payload)")
            return
        }
        link = parts[1].isEmpty ? nil : parts[1]
    }

    private mutating func control(_ parameters: String, _ final: Character) {
        let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        let first = max(1, numbers.first ?? 1)
        switch final {
        case "H":
            row = min(rows, max(1, numbers.first ?? 1)) - 1
            column = min(columns, max(1, numbers.count > 1 ? numbers[1] : 1)) - 1
        case "A": row = max(0, row - first)
        case "B": row = min(rows - 1, row + first)
        case "C": column = min(columns - 1, column + first)
        case "D": column = max(0, min(column, columns - 1) - first)
        case "G": column = min(columns, first) - 1
        case "d": row = min(rows, first) - 1
        case "J":
            clear(row, from: column)
            for row in row + 1..<max(rows, row + 1) { clear(row, from: 0) }
            if parameters == "2" { for row in 0..<rows { clear(row, from: 0) } }
        case "K": if parameters == "1" { clear(row, from: 0, to: column + 1) } else { clear(row, from: column) }
        case "X": clear(row, from: column, to: column + first)
        case "P":
            cells[row].removeSubrange(column..<min(columns, column + first))
            cells[row] += Array(repeating: " ", count: columns - cells[row].count)
            links[row].removeSubrange(column..<min(columns, column + first))
            links[row] += Array(repeating: nil, count: columns - links[row].count)
            pictureCells[row].removeSubrange(column..<min(columns, column + first))
            pictureCells[row] += Array(repeating: nil, count: columns - pictureCells[row].count)
        case "@":
            cells[row].insert(contentsOf: Array(repeating: " ", count: first), at: column)
            cells[row] = Array(cells[row].prefix(columns))
            links[row].insert(contentsOf: Array(repeating: nil, count: first), at: column)
            links[row] = Array(links[row].prefix(columns))
            pictureCells[row].insert(contentsOf: Array(repeating: nil, count: first), at: column)
            pictureCells[row] = Array(pictureCells[row].prefix(columns))
        case "S" where !parameters.hasPrefix("?"): scroll(from: top, by: first)
        case "T": scroll(from: top, by: -first)
        case "L": if (top...bottom).contains(row) { scroll(from: row, by: -first) }
        case "M": if (top...bottom).contains(row) { scroll(from: row, by: first) }
        case "r":
            top = min(rows, first) - 1
            bottom = numbers.count > 1 ? min(rows, numbers[1]) - 1 : rows - 1
            (row, column) = (0, 0)
        case "b": for _ in 0..<first { put(last) }
        case "h", "l":
            if !Self.knownModes.contains(parameters) { violations.append("mode \(parameters)") }
            if final == "h" { modes.insert(parameters) } else { modes.remove(parameters) }
        case "n" where parameters == "6": questions.append("6n")
        case "c" where parameters.isEmpty: questions.append("c")
        case "S" where parameters == "?1;1;0": questions.append("?1;1;0S")
        case "t" where parameters == "16": questions.append("16t")
        case "q" where ["0 ", "2 ", "6 "].contains(parameters): cursorShape = parameters
        case "t" where ["22;2", "23;2", "22;0;0", "23;0;0"].contains(parameters): break
        case "m":
            if !parameters.utf8.allSatisfy({ (0x30...0x3B).contains($0) }) { violations.append("SGR \(parameters)") }
        default: violations.append("CSI \(parameters)\(final)")
        }
    }

    /// The modes that curses and blipchat switch: keypad, insert, BDSM, auto-wrap, blink, cursor, alternate screen,
    /// mouse, focus, paste.
    private static let knownModes: Set<String> = [
        "?1", "4", "8", "?7", "?12", "?25", "?12;25", "?1049", "?1000", "?1006", "?1004", "?1034", "?2004", "?47", "34",
    ]

    /// Moves the lines from `start` to the end of the region up (or down, when negative).
    private mutating func scroll(from start: Int, by lines: Int) {
        let blank = Array(repeating: " ", count: columns)
        for _ in 0..<min(abs(lines), rows) {
            let (from, to) = lines > 0 ? (start, bottom) : (bottom, start)
            cells.remove(at: from)
            cells.insert(blank, at: to)
            links.remove(at: from)
            links.insert(Array(repeating: nil, count: columns), at: to)
            pictureCells.remove(at: from)
            pictureCells.insert(Array(repeating: nil, count: columns), at: to)
        }
    }

    private mutating func clear(_ row: Int, from start: Int, to end: Int = .max) {
        for column in start..<max(start, min(end, columns)) {
            cells[row][column] = " "
            links[row][column] = nil
            pictureCells[row][column] = nil
        }
    }
}
