// The filter of a pane whose letters are commands: transfers, requests, pages. Lists without such letters are pickers,
// in which every letter goes into the filter (ListPane).

import ChatWords

/// `/` begins it, Enter keeps it and goes back to the letters, Esc takes it away. The list keeps its order, so that news
/// do not shuffle what is under the cursor.
struct ListFilter: Sendable, Equatable {
    private(set) var line: InputLine
    /// It is being typed.
    private(set) var isOpen = false

    init(_ words: String = "") { line = InputLine(words) }

    /// It takes a row of the list.
    var isShown: Bool { isOpen || !line.isEmpty }

    /// The items whose `text` has every word of the filter somewhere, in any case.
    func narrowed<Item>(_ items: [Item], _ text: (Item) -> String) -> [Item] {
        let words = line.text.lowercased().split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return items }
        return items.filter { item in
            let text = text(item).lowercased()
            return words.allSatisfy { text.contains($0) }
        }
    }

    /// A click into it: it is typed again, from that character on.
    mutating func open(at offset: Int) {
        isOpen = true
        line.move(to: offset)
    }

    // MARK: Keys

    /// Characters for the filter. `false` when it is not being typed: they are keys of the list.
    mutating func type(_ text: String) -> Bool {
        if isOpen { line.insert(text) }
        return isOpen
    }

    /// Carries out a command that is about the filter; `false` for those of the list.
    mutating func perform(_ command: AppCommand, yanking: String?, reordering: Bool) -> Bool {
        if command == .filterList {
            isOpen = true
            return true
        }
        guard isOpen else { return false }
        switch command {
        case .choose: isOpen = false
        case .clear: line.replace(with: "")
        default: return line.perform(command, yanking: yanking, reordering: reordering) != .ignored
        }
        return true
    }

    /// Esc: the whole list again. `false` when it was whole.
    mutating func stepBack() -> Bool {
        guard isShown else { return false }
        self = ListFilter()
        return true
    }
}

extension Canvas {
    /// Draws the filter in the first row of a list and says where the list itself is drawn.
    mutating func drawFilter(_ filter: ListFilter, in area: Rect) -> Rect {
        guard filter.isShown, !area.isEmpty else { return area }
        drawField(filter.line, after: "/ ", at: area.origin, width: area.size.columns, hasFocus: filter.isOpen)
        return Rect(
            column: area.origin.column, row: area.origin.row + 1, columns: area.size.columns, rows: area.size.rows - 1)
    }
}
