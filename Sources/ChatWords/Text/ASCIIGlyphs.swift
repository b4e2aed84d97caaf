// Substitutes for clusters where the output cannot show Unicode (a locale that is not UTF-8, `glyphs=ascii`).

/// ASCII forms of the glyphs that blipchat draws. Anything else becomes `?`.
package enum ASCIIGlyphs {
    /// The spelled-out form for plain output: may be longer than the cluster (`␛` becomes `^[`).
    package static func spelling(of cluster: Cluster) -> String {
        let scalar = cluster.base
        if let control = control(scalar) { return control }
        if scalar == "…" { return "..." }
        return cell(of: cluster)
    }

    /// The form for a cell of the canvas: exactly as many columns as the cluster.
    package static func cell(of cluster: Cluster) -> String {
        let scalar = cluster.base
        // A letter loses its marks.
        if scalar.value < 0x80 { return fill(String(scalar), columns: cluster.width) }
        if let control = control(scalar) { return String(control.prefix(cluster.width)) }
        return fill(single[scalar] ?? "?", columns: cluster.width)
    }

    /// `^[` of `␛`, the picture of a control character.
    private static func control(_ picture: Unicode.Scalar) -> String? {
        switch picture.value {
        case 0x2400...0x241F: Unicode.Scalar(picture.value - 0x2400 + 0x40).map { "^" + String($0) }
        case 0x2421: "^?"
        case 0x2424: "\\n"
        default: nil
        }
    }

    private static func fill(_ text: String, columns: Int) -> String {
        text + String(repeating: "?", count: max(0, columns - 1))
    }

    /// Corners are slashes and bars are `=`, because `+` and `#` mean something: a delivered message, a number.
    private static let single: [Unicode.Scalar: String] = [
        "─": "-", "━": "-", "╌": "-", "┄": "-", "│": "|", "┃": "|", "┌": "/", "┐": "\\", "└": "\\", "┘": "/", "├": "|",
        "┤": "|", "┬": "-", "┴": "-", "┼": "|", "╭": "/", "╮": "\\", "╰": "\\", "╯": "/",
        "█": "=", "▉": "=", "▊": "=", "▋": "=", "▌": ">", "▍": "-", "▎": "-", "▏": "-", "▀": "\"", "░": ".", "▒": ":",
        "▓": "=", "▲": "^", "▼": "v", "◀": "<", "▶": ">", "·": ".", "•": "*", "…": ".", "‹": "<", "›": ">", "«": "<",
        "»": ">", "✓": "+", "✔": "+", "✗": "x", "✘": "x", "●": "*", "○": "-", "◐": "%", "◌": "o", "□": "?", "■": "#",
        "↑": "^", "↓": "v", "←": "<", "→": ">", "↵": "<", "–": "-", "—": "-", "‘": "'", "’": "'", "“": "\"", "”": "\"",
        "×": "x", "≈": "=", "≤": "<", "≥": ">", "\u{A0}": " ", "\u{3000}": " ",
    ]
}
