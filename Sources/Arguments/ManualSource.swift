// The source of a manual page in the macros of man(7), which both programs print and `man -l -` shows.

/// A manual page that is being written, from its beginning.
package struct ManualSource: Sendable {
    /// What the page says it is from: a constant, so that one version always gives the same bytes.
    private static let date = "2026-11-28"
    /// Lines of text are no longer than this, as mandoc(1) wants them.
    private static let width = 78

    /// The page as far as it is written.
    package private(set) var text: String

    /// `title` in capital letters, as `man` shows it; `summary` without a full stop; `source` is the program and its version.
    package init(title: String, section: Int, name: String, _ summary: String, source: String) {
        text = ".TH \(title) \(section) \(Self.date) \"\(Self.escaped(source))\"\n"
        heading("NAME")
        text += Self.escaped(name) + " \\- " + Self.escaped(summary) + "\n"
    }

    /// Begins a section.
    package mutating func heading(_ words: String) { text += ".SH \(Self.quoted(words))\n" }

    /// Begins a part of a section.
    package mutating func subheading(_ words: String) { text += ".SS \(Self.quoted(words))\n" }

    /// Paragraphs: an empty line ends one, and other ends of lines are blanks. A line with two blanks inside, or with one at
    /// its beginning, is a row of a table and stays as it is.
    package mutating func paragraph(_ words: String) {
        var running: [Substring] = []
        func isRow(_ line: Substring) -> Bool { line.hasPrefix(" ") || line.contains("  ") }
        let lines = words.split(separator: "\n", omittingEmptySubsequences: false)
        var index = 0
        while index < lines.count {
            let line = lines[index]
            if isRow(line) {
                flow(&running)
                let rows = lines[index...].prefix(while: isRow)
                literal(rows.map(String.init))
                index += rows.count
                continue
            }
            if line.isEmpty {
                flow(&running)
                if index + 1 < lines.count { text += ".PP\n" }
            } else {
                running += line.split(separator: " ")
            }
            index += 1
        }
        flow(&running)
    }

    /// Lines as they are.
    package mutating func literal(_ lines: [String]) {
        text += ".nf\n" + lines.map { Self.escaped($0) + "\n" }.joined() + ".fi\n"
    }

    /// An entry of a list: its label, and what it means.
    package mutating func item(_ label: String, _ words: String) {
        text += ".TP\n.B \"\(Self.quotedWords(label))\"\n"
        paragraph(words)
    }

    /// An entry below an entry.
    package mutating func subitem(_ label: String, _ words: String) {
        text += ".RS\n"
        item(label, words)
        text += ".RE\n"
    }

    /// Other pages: `blipchat-config(5)`.
    package mutating func seeAlso(_ pages: [String]) {
        heading("SEE ALSO")
        text += pages.enumerated().map { index, page in
            let parts = page.split(separator: "(")
            let name = Self.escaped(String(parts.first ?? ""))
            let section = parts.dropFirst().first.map { "(\($0)" } ?? ""
            return ".BR \(name) \(section)\(index == pages.count - 1 ? "" : ",")\n"
        }.joined()
    }

    /// Words in lines of their own width.
    private mutating func flow(_ words: inout [Substring]) {
        // mandoc(1) measures what it reads characters beyond ASCII as: \[u2026].
        func width(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 8) } }
        var line = ""
        for word in words.map({ Self.plain(String($0)) }) {
            if !line.isEmpty, width(line) + 1 + width(word) > Self.width {
                text += Self.guarded(line) + "\n"
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { text += Self.guarded(line) + "\n" }
        words = []
    }

    // MARK: Spelling

    /// As text at the beginning of a line: what troff would read as its own, or print as another character, is spelled out.
    package static func escaped(_ text: String) -> String { guarded(plain(text)) }

    private static func plain(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "~": escaped += "\\(ti"
            case "^": escaped += "\\(ha"
            case "`": escaped += "\\(ga"
            case "'": escaped += "\\(aq"
            default: escaped.append(character)
            }
        }
    }

    private static func guarded(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }

    private static func quotedWords(_ text: String) -> String { plain(text).replacing("\"", with: "\\(dq") }

    /// As an argument of a macro.
    private static func quoted(_ text: String) -> String { "\"\(quotedWords(text))\"" }
}
