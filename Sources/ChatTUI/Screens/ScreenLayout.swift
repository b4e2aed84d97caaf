// Which part of the screen is where (PRODUCT, rule 3). Used by `view` to draw and by `update` to scroll.

import ChatWords

/// The rectangles of the main screen for one size.
struct ScreenLayout: Sendable, Equatable {
    let size: Size
    /// Rows; `nil` where there is no room for them.
    private(set) var title: Int?
    private(set) var status: Int?
    private(set) var hint: Int?
    private(set) var list: Rect?
    private(set) var details: Rect?
    private(set) var chat: Rect
    private(set) var input: Rect
    /// Columns of the prompt before the draft.
    let promptWidth: Int

    /// No panes, and nicks inside the text.
    var isNarrow: Bool { size.columns < 60 }

    init(_ state: AppState) {
        let size = state.surface.size
        self.size = size
        let isTiny = size.columns < 20 || size.rows < 4
        let hasTitle = !isTiny && size.rows >= 5 && !state.surface.isPlain
        let hasStatus = !isTiny
        let hasHint = !isTiny && size.rows >= 8 && state.surface.settings.hints && !state.surface.isPlain
        let prompt = Self.prompt(state, columns: size.columns, hasTitle: hasTitle)
        let around = (hasTitle ? 1 : 0) + (hasStatus ? 1 : 0) + (hasHint ? 1 : 0)
        // While the user types in it, two rows at least: when the draft takes more than one, the part before the cursor
        // has to be visible.
        let share = max(state.place.overlay == nil ? 2 : 1, size.rows / 3)
        let maxInput = max(1, min(share, size.rows - around - 1))
        promptWidth = prompt.width
        let inputWidth = size.columns - promptWidth
        let wantedRows =
            InputBox.isOneRow(state.composer.input, width: inputWidth)
            ? 1 : InputBox(state.composer.input, width: inputWidth, maxRows: maxInput, reordering: false).rows.count
        let inputRows = min(wantedRows, max(size.rows, 0))

        var bottom = size.rows
        if hasHint {
            bottom -= 1
            hint = bottom
        }
        bottom -= inputRows
        input = Rect(column: 0, row: bottom, columns: size.columns, rows: inputRows)
        if hasStatus {
            bottom -= 1
            status = bottom
        }
        var top = 0
        if hasTitle {
            title = 0
            top = 1
        }
        let rows = max(0, bottom - top)
        var left = 0
        var right = size.columns
        let listWidth = min(
            state.surface.settings.listWidth ?? (size.columns >= Self.columnsForDetails ? 22 : 16),
            size.columns - Self.chatMinimum - 1)
        let hasPanes = !isTiny && !state.surface.isPlain
        if listWidth >= 8, hasPanes,
            Self.isShown(
                state.surface.settings.list, byWidth: size.columns >= Self.columnsForList,
                isToggled: state.surface.toggledPanes.contains(.list))
        {
            list = Rect(column: 0, row: top, columns: listWidth, rows: rows)
            left = listWidth + 1
        }
        // Without contacts there are no details, and our own address should fit in one row.
        if size.columns - left - 31 >= Self.chatMinimum, hasPanes,
            !(state.world.hasLoaded && state.world.chats.isEmpty),
            Self.isShown(
                state.surface.settings.details, byWidth: size.columns >= Self.columnsForDetails,
                isToggled: state.surface.toggledPanes.contains(.details))
        {
            details = Rect(column: size.columns - 30, row: top, columns: 30, rows: rows)
            right = size.columns - 31
        }
        chat = Rect(column: left, row: top, columns: right - left, rows: rows)
    }

    /// The number of columns from which the panes are there by themselves (PRODUCT, rule 3).
    static let columnsForList = 60
    static let columnsForDetails = 110

    /// The chat never gets fewer columns than this (PRODUCT, rule 3).
    private static let chatMinimum = 40

    /// Whether a pane is shown: as the setting says, or the other way round when the user has pressed its key.
    private static func isShown(_ pane: ScreenSettings.Pane, byWidth: Bool, isToggled: Bool) -> Bool {
        switch pane {
        case .auto: byWidth && !isToggled
        case .on: !isToggled
        case .off: isToggled
        }
    }

    /// The prompt before the draft: `Alice> `, or `> ` where the title has the name or there is no room; in browse mode
    /// it says that letters are keys.
    static func prompt(_ state: AppState, columns: Int, hasTitle: Bool) -> SafeText {
        let short = SafeText(literal: "> ")
        guard columns >= 8 else { return .empty }
        if state.place.browse != nil { return SafeText(literal: columns >= 20 ? "browsing> " : "b> ") }
        if let composing = state.openChat?.composing, columns >= 20 { return composing.prompt }
        guard let chat = state.openChat, columns >= 60 || (!hasTitle && columns >= 20) else { return short }
        return chat.name.truncated(to: max(4, min(20, columns / 4))) + short
    }
}
