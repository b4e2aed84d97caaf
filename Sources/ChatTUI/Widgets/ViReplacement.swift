// Vi's `R`: typed text takes the place of what is there, and Backspace brings it back.

/// The characters that were replaced since `R`.
struct ViReplacement: Sendable, Equatable {
    /// Each is `nil` where nothing was.
    private var former: [Character?] = []

    mutating func overtype(_ text: String, in line: inout InputLine) {
        for character in text {
            former.append(line.cursor < line.lineEnd ? line.characters[line.cursor] : nil)
            line.overtype(String(character))
        }
    }

    /// Backspace brings back the replaced character; before the typed text it only moves.
    mutating func takeBack(in line: inout InputLine) {
        guard line.cursor > line.lineStart else { return }
        guard let replaced = former.popLast() else { return line.move(to: line.cursor - 1) }
        line.deleteBackward()
        guard let replaced else { return }
        line.insert(String(replaced))
        line.move(to: line.cursor - 1)
    }
}
