// The hint line below the input: the keys that matter where the user is, from the key table. Each can be clicked.

import ChatWords

/// The hints of a state in a given width.
struct HintLine {
    struct Hint: Sendable, Equatable {
        /// The key, as the help writes it.
        var label: String
        var words: String
        var command: AppCommand
        /// Where the hint begins; it is `width` columns wide.
        var column = 0

        var width: Int { label.count + 1 + words.count }
    }

    /// The words before the hints.
    private(set) var lead = " "
    private(set) var hints: [Hint] = []

    /// The first and the last hint stay longest when there is no room for all.
    init(_ state: AppState, columns: Int) {
        let context = state.place.keyContext
        let pane = state.place.overlay?.pane
        // Beside the shape of the cursor: not every terminal has one.
        if state.isViNormal, context == .main { lead += "NORMAL  " }
        if [.list, .typed, .search, .picker, .filter].contains(context) { lead += "type to filter  " }
        var hints = state.surface.keymap.hints(in: context).compactMap { binding -> Hint? in
            let usual = binding.hint ?? ""
            let words: String? = if let pane { pane.hint(usual, for: binding.command, in: state) } else { usual }
            return words.map { Hint(label: binding.label, words: $0, command: binding.command) }
        }
        if context == .main, let place = state.place.returnPlace,
            let back = state.surface.keymap.bindings.first(where: { $0.command == .back })
        {
            let words = place.search == nil ? "back to where you were" : "back to the search"
            hints.insert(Hint(label: back.label, words: words, command: .back), at: 0)
        }
        if context != .main, let back = state.surface.keymap.bindings.first(where: { $0.command == .back }) {
            hints.append(Hint(label: back.label, words: "back", command: .back))
        }
        func width() -> Int { hints.reduce(lead.count) { $0 + $1.width + 2 } - 2 }
        while hints.count > 1, width() > columns { hints.remove(at: hints.count - 2) }
        var column = lead.count
        for index in hints.indices {
            hints[index].column = column
            column += hints[index].width + 2
        }
        self.hints = hints
    }

    var line: StyledLine {
        var line = StyledLine(lead, Theme.quiet)
        for hint in hints {
            line.pad(to: hint.column)
            line.add(hint.label, Theme.key, target: .command(hint.command))
            line.add(" " + hint.words, Theme.quiet, target: .command(hint.command))
        }
        return line
    }
}
