// The visible part of a verification page that does not fit, and how much of its number has been seen.

import ChatWords

/// The rows of the page in a window of `size`, which shows those from `top` on.
struct VerifyPage {
    let rows: [StyledLine]
    /// The rows of the number that is confirmed.
    let number: Range<Int>
    /// The rows that say who it is, with the warnings about them.
    let caller: Range<Int>
    let size: Size
    private let top: Int

    init(rows: [StyledLine], number: Range<Int>, caller: Range<Int>, size: Size, top: Int) {
        self.rows = rows
        self.number = number
        self.caller = caller
        self.size = size
        self.top = min(max(0, top), max(0, rows.count - size.rows))
    }

    var visible: Range<Int> { top..<min(rows.count, top + max(0, size.rows)) }

    /// `rows 1-4 of 9`; `nil` when all of them are seen.
    var place: String? {
        visible.count == rows.count ? nil : "rows \(visible.lowerBound + 1)-\(visible.upperBound) of \(rows.count)"
    }

    /// The first row after a command that scrolls; `nil` for any other.
    func top(after command: AppCommand) -> Int? {
        let last = max(0, rows.count - size.rows)
        switch command {
        case .down: return min(top + 1, last)
        case .up: return max(top - 1, 0)
        case .pageDown: return min(top + max(1, size.rows), last)
        case .pageUp: return max(top - max(1, size.rows), 0)
        default: return nil
        }
    }
}

/// The rows of the page that have been on the screen: nobody confirms a number that they have not seen, or accepts
/// somebody whose name they have not seen.
struct SeenRows: Sendable, Equatable {
    /// By their text: in another width there are other rows, and a number that has changed is another.
    private var rows: Set<String> = []

    mutating func add(_ page: VerifyPage) { rows.formUnion(page.rows[page.visible].map(\.text.text)) }

    func contain(_ wanted: Range<Int>, of page: VerifyPage) -> Bool {
        page.rows[wanted].allSatisfy { rows.contains($0.text.text) }
    }
}
