// The history of one chat as rows: separators, messages and notices, laid out only as far as the screen needs them.

import ChatCore
import ChatWords

/// Rows of a window's items for one width. Lays out lazily: the cost does not grow with the window.
struct HistoryLayout {
    let state: AppState
    let chat: Chat
    let width: Int
    private let items: [HistoryItem]
    /// The message directly below the unread line.
    private let firstUnread: Int?

    init(_ state: AppState, _ chat: Chat, width: Int) {
        self.state = state
        self.chat = chat
        self.width = width
        items = chat.window.items
        firstUnread = chat.window.firstUnreadIndex
    }

    /// The first item that is not hidden by /clear.
    private var firstIndex: Int { chat.window.firstShownIndex ?? items.count }

    /// The row at the bottom of the screen: an item, and how many of its last rows are below the screen.
    private var anchor: (index: Int, hidden: Int) {
        if case .at(let key, let hidden) = chat.window.scroll, let index = chat.window.index(of: key) {
            return (index, hidden)
        }
        return (items.count - 1, 0)
    }

    /// The anchor, further down where the rows above it do not fill `height` although there are newer ones: at the
    /// oldest message, and when the terminal grows.
    private func anchor(filling height: Int) -> (index: Int, hidden: Int) {
        var (index, hidden) = anchor
        // The usual place: nothing is newer, so there is nothing to fill with.
        if index == items.count - 1, hidden == 0 { return (index, 0) }
        var missing = height + hidden
        var top = index
        while top >= firstIndex, missing > 0 {
            missing -= rows(at: top).count
            top -= 1
        }
        while missing > 0, hidden > 0 || index < items.count - 1 {
            if hidden == 0 {
                index += 1
                hidden = rows(at: index).count
            }
            let shown = min(hidden, missing)
            hidden -= shown
            missing -= shown
        }
        return (index, hidden)
    }

    /// An item that is at least partly seen.
    struct VisibleItem: Sendable {
        var index: Int
        /// Its rows on the screen, counted from the top of the chat.
        var rows: Range<Int>
        /// The first of them that is of the item itself: after a day line and the unread line.
        var firstOwnRow: Int
        /// The content of these rows.
        var lines: [StyledLine]
    }

    /// The items that fill `height`, from top to bottom; fewer when there are not so many.
    func visibleItems(_ height: Int) -> [VisibleItem] {
        var (index, hidden) = anchor(filling: height)
        let first = firstIndex
        var reversed: [(index: Int, lines: [StyledLine], lead: Int)] = []
        var count = 0
        while index >= first, count < height {
            let rows = rows(at: index)
            guard !rows.isEmpty else {
                index -= 1
                continue
            }
            let lines = rows.dropLast(min(hidden, max(0, rows.count - 1))).suffix(height - count)
            reversed.append((index, Array(lines), max(0, separators(at: index).count - lines.startIndex)))
            count += lines.count
            hidden = 0
            index -= 1
        }
        var top = 0
        return reversed.reversed().map { index, lines, lead in
            defer { top += lines.count }
            return VisibleItem(index: index, rows: top..<top + lines.count, firstOwnRow: top + lead, lines: lines)
        }
    }

    /// Up to `limit` rows that are above the view.
    func rowsAbove(_ limit: Int, height: Int) -> Int {
        let (index, hidden) = anchor(filling: height)
        var available = -hidden
        var top = index
        while top >= firstIndex, available < height + limit {
            available += rows(at: top).count
            top -= 1
        }
        return min(limit, max(0, available - height))
    }

    /// Up to `limit` rows that are below the view.
    func rowsBelow(_ limit: Int, height: Int) -> Int {
        let (index, hidden) = anchor(filling: height)
        var available = hidden
        var bottom = index + 1
        while bottom < items.count, available < limit {
            available += rows(at: bottom).count
            bottom += 1
        }
        return min(limit, available)
    }

    /// The place nearest to the present one at which all of `key` is seen, or its beginning when it is too long.
    func scroll(revealing key: HistoryItem.Key, height: Int) -> ChatWindow.Scroll {
        guard let target = chat.window.index(of: key) else { return chat.window.scroll }
        let (bottom, hidden) = anchor(filling: height)
        if target > bottom || (target == bottom && hidden > 0) {
            let tooMany = rows(at: target).count - height
            if tooMany > 0 { return .at(key, hiddenRows: tooMany) }
            if endOfFolded(after: target) == items.count - 1, chat.window.reachesNewest { return .bottom }
            return .at(key, hiddenRows: 0)
        }
        var used = -hidden
        var index = bottom
        while index >= target {
            used += rows(at: index).count
            index -= 1
        }
        return used <= height ? chat.window.scroll : scroll(moving: height - used, height: height)
    }

    /// The scroll place after moving by `rows` (negative: towards older), when `height` rows are shown.
    func scroll(moving rows: Int, height: Int) -> ChatWindow.Scroll {
        guard !items.isEmpty else { return .bottom }
        return rows < 0 ? scrollUp(-rows, height) : scrollDown(rows, height)
    }

    private func scrollUp(_ rows: Int, _ height: Int) -> ChatWindow.Scroll {
        var (index, hidden) = anchor(filling: height)
        // Rows from the anchor up; not further than where the oldest row is at the top.
        let first = firstIndex
        var available = -hidden
        var top = index
        while top >= first, available < height + rows {
            available += self.rows(at: top).count
            top -= 1
        }
        hidden += max(0, min(rows, available - height))
        while index > first {
            let count = self.rows(at: index).count
            if hidden < count { break }
            hidden -= count
            index -= 1
        }
        if index == items.count - 1, hidden == 0, chat.window.scroll == .bottom { return .bottom }
        return .at(items[index].key, hiddenRows: hidden)
    }

    private func scrollDown(_ rows: Int, _ height: Int) -> ChatWindow.Scroll {
        if chat.window.scroll == .bottom { return .bottom }
        var (index, hidden) = anchor(filling: height)
        hidden -= rows
        while hidden < 0 {
            guard index < items.count - 1 else { return chat.window.reachesNewest ? .bottom : lastPlace }
            index += 1
            hidden += self.rows(at: index).count
        }
        if hidden == 0 { index = endOfFolded(after: index) }
        if index == items.count - 1, hidden == 0, chat.window.reachesNewest { return .bottom }
        return .at(items[index].key, hiddenRows: hidden)
    }

    private var lastPlace: ChatWindow.Scroll { items.last.map { .at($0.key, hiddenRows: 0) } ?? .bottom }

    /// The place at which `key` is in the middle.
    func scroll(showing key: HistoryItem.Key, height: Int) -> ChatWindow.Scroll {
        guard let target = chat.window.index(of: key) else { return .bottom }
        var index = target
        var below = height / 2
        while below > 0, index < items.count - 1 {
            index += 1
            below -= rows(at: index).count
        }
        // At the end, unless the rows there are so many that the item would be above the screen.
        if index == items.count - 1, chat.window.reachesNewest,
            below >= 0 || height / 2 - below + rows(at: target).count <= height
        {
            return .bottom
        }
        return .at(items[index].key, hiddenRows: max(0, -below))
    }

    // MARK: Rows

    /// The last of the items without rows that directly follow `index`; `index` itself when there is none.
    private func endOfFolded(after index: Int) -> Int {
        var index = index
        while index + 1 < items.count, chat.window.isFolded(items[index + 1]) { index += 1 }
        return index
    }

    /// The rows of one item: a new day, the unread line, then the item itself. None for a file that the line of its
    /// folder hides, else at least one.
    func rows(at index: Int) -> [StyledLine] {
        guard !chat.window.isFolded(items[index]) else { return [] }
        var rows = separators(at: index)
        switch items[index] {
        case .message(let message):
            var own = MessageRows(state: state, chat: chat, message: message, width: width)
            own.isContinued = rows.isEmpty && index > firstIndex && continues(message, items[index - 1].message)
            rows += own.rows.map { isMarked(message) ? $0.restyled { $0.adding(.reverse) } : $0 }
        case .notice(let notice, _): rows += Self.noticeRows(notice, state, width: width)
        }
        return rows.isEmpty ? [StyledLine()] : rows
    }

    /// The rows before an item: a new day, the unread line, missing messages.
    private func separators(at index: Int) -> [StyledLine] {
        guard let message = items[index].message else { return [] }
        var rows: [StyledLine] = []
        let previous = items[..<index].last { $0.message != nil && !chat.window.isFolded($0) }?.message
        let time = message.shownTime
        if previous.map({ !state.surface.clock.isSameDay($0.shownTime, time) }) ?? true { rows.append(dayLine(time)) }
        if index == firstUnread, let line = chat.window.unreadLine { rows.append(unreadLine(line.count)) }
        if message.missingBefore > 0 { rows.append(missingLine(message.missingBefore)) }
        return rows
    }

    /// Under the cursor of browse mode, in its range, or pointed at after a jump.
    private func isMarked(_ message: ChatMessage) -> Bool {
        if chat.window.highlight == message.key { return true }
        guard let browse = state.place.browse, chat.id == state.place.openID else { return false }
        return browse.rangeStart == nil ? browse.selected.key == message.key : browse.range.contains(message.position)
    }

    /// Whether a message follows so soon on another one of the same person that the name need not be said again.
    private func continues(_ message: ChatMessage, _ previous: ChatMessage?) -> Bool {
        let limit = Int64(state.surface.settings.groupMinutes) * 60_000
        guard limit > 0, let previous, previous.direction == message.direction, previous.sender == message.sender,
            previous.isText, message.isText
        else {
            return false
        }
        let gap = message.shownTime.milliseconds.subtractingReportingOverflow(previous.shownTime.milliseconds)
        return !gap.overflow && (0...limit).contains(gap.partialValue)
    }

    private func dayLine(_ time: Timestamp) -> StyledLine {
        rule(state.surface.dayText(time), Theme.line, SafeText(literal: "─"))
    }

    private func unreadLine(_ count: Int) -> StyledLine {
        rule("\(count) new", Theme.unread, SafeText(literal: "╌"))
    }

    private func missingLine(_ count: Int) -> StyledLine {
        rule(Sentences.missing(count), Theme.warning, SafeText(literal: "╌"))
    }

    /// `── words ───────`, as wide as the chat.
    private func rule(_ words: String, _ style: Style, _ filling: SafeText) -> StyledLine {
        var line = StyledLine(SafeText(literal: "── "), style)
        line.add(words + " ", style)
        line.add(.filling(width - line.width, with: filling), Theme.line)
        return line
    }

    static func noticeRows(_ notice: LocalNotice, _ state: AppState, width: Int) -> [StyledLine] {
        let style = notice.isError ? Theme.error : Theme.quiet
        let lead = SafeText(state.surface.timeText(notice.time) + " -- ", as: .line)
        var rows: [StyledLine] = []
        for (index, text) in notice.lines.enumerated() {
            let wrapped = TextWrap.wrap(SafeText(text, as: .line).linked(), width: max(10, width - lead.width))
            let hints = SentenceHints.hints(in: text)
            for (number, part) in wrapped.prefix(20).enumerated() {
                var line = StyledLine(index == 0 && number == 0 ? lead : .blanks(lead.width), Theme.time)
                line.add(sentence: part, style, hints: hints)
                rows.append(line)
            }
        }
        return rows
    }
}
