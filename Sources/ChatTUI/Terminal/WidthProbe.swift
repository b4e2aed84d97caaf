// Measures at start how wide the terminal draws five samples (PRODUCT "Hostile text", rule 4). Pure: NcursesTerminal
// writes the question and hands the answers over; nothing waits for them.

import ChatWords

/// Asks the terminal where its cursor is after each sample (DSR 6), and then what it is (DA1): the last answer tells
/// that no further ones come, also from terminals that do not know the first question.
struct WidthProbe: Sendable, Equatable {
    /// The samples are written here, never in the first row: `ESC [ 1 ; n R` could also be F3 with a modifier.
    static let row = 2
    /// Columns and rows that the terminal must have for it.
    static let minimumSize = Size(columns: 10, rows: 3)

    /// What is written: each sample at the beginning of an empty row, which is empty again at the end.
    static let question: String =
        DoubtfulKind.allCases.map { "\u{1B}[\(row);1H\($0.sample)\u{1B}[6n" }.joined()
        + "\u{1B}[\(row);1H\u{1B}[K\u{1B}[H\u{1B}[c"

    private var waiting = DoubtfulKind.allCases[...]
    private(set) var widths = TerminalWidths()
    private(set) var isFinished = false

    /// Takes an answer; answers that do not belong to the probe change nothing.
    mutating func receive(_ report: TerminalReport) {
        guard !isFinished else { return }
        switch report {
        case .cursor(let row, let column):
            guard row == Self.row, let kind = waiting.popFirst() else { return }
            if (2...10).contains(column) { widths.measured[kind] = column - 1 }
        case .attributes: isFinished = true
        case .graphics, .colorRegisters, .cellSize: break
        }
    }
}

/// An answer of the terminal to a question of ours. It never becomes typed text.
enum TerminalReport: Sendable, Equatable {
    /// CPR: the place of the cursor, from 1.
    case cursor(row: Int, column: Int)
    /// DA1: the numbers of what the terminal can do; 4 is sixel graphics.
    case attributes([Int])
    /// The terminal knows kitty's graphics protocol.
    case graphics
    /// XTSMGRAPHICS: how many colours a picture of sixels may have.
    case colorRegisters(Int)
    /// XTWINOPS 16: the pixels of one character.
    case cellSize(width: Int, height: Int)
}
