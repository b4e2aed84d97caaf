// The looks of a picture as text, beside its letters: what each kind of terminal is told about each cell.

@testable import ChatTUI

/// One letter for each cell and a legend, for terminals of a number of colours.
struct StyleLayer {
    /// 256, 16, 8 colours, and none.
    static let colorCounts = [256, 16, 8, 0]

    let canvas: Canvas
    let colors: Int

    /// The rows as letters (`.` is the terminal's own look), then what each letter stands for.
    var text: String {
        var letters: [String: Character] = [:]
        var legend: [String] = []
        let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        var lines = [colors == 0 ? "-- no colours --" : "-- \(colors) colours --"]
        for row in 0..<canvas.size.rows {
            var line = ""
            for column in 0..<canvas.size.columns {
                let words = words(canvas[Point(column: column, row: row)].style)
                if words.isEmpty {
                    line.append(".")
                } else {
                    let letter = letters[words] ?? alphabet[min(letters.count, alphabet.count - 1)]
                    if letters.updateValue(letter, forKey: words) == nil { legend.append("\(letter): \(words)") }
                    line.append(letter)
                }
            }
            while line.last == "." { line.removeLast() }
            lines.append(line)
        }
        return (lines + legend).joined(separator: "\n") + "\n"
    }

    private func words(_ style: Style) -> String {
        var words: [String] = []
        let foreground = style.foreground.index(of: colors)
        let background = style.background.index(of: colors)
        if foreground >= 0 { words.append("colour \(foreground)") }
        if background >= 0 { words.append("on \(background)") }
        let names: [(Style.Attributes, String)] = [
            (.bold, "bold"), (.dim, "dim"), (.italic, "italic"), (.underline, "underline"), (.reverse, "reverse"),
        ]
        words += names.filter { style.attributes.contains($0.0) }.map(\.1)
        return words.joined(separator: " ")
    }
}
