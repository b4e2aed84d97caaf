// The part of the verification page that is seen where it does not fit, and how much of its number has been.

/// The rows of the page in a window of `size`, which shows those from `top` on.
struct VerifyPage {
    let rows: [StyledLine]
    /// The rows of the number that is confirmed.
    let number: Range<Int>
    let size: Size
    private let top: Int

    init(rows: [StyledLine], number: Range<Int>, size: Size, top: Int) {
        self.rows = rows
        self.number = number
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

/// The rows of the number that have been on the screen: nobody confirms what they have not seen.
struct SeenNumber: Sendable, Equatable {
    /// In another width there are other rows.
    private var columns = 0
    private var rows: Set<Int> = []

    mutating func add(_ page: VerifyPage) {
        if columns != page.size.columns { rows = [] }
        columns = page.size.columns
        rows.formUnion(page.visible.clamped(to: page.number).map { $0 - page.number.lowerBound })
    }

    func isWhole(in page: VerifyPage) -> Bool {
        columns == page.size.columns && rows.count >= page.number.count
    }
}
