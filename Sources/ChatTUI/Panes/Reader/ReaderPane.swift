// A page of text over the chat that is only read: message info, a long message in full, what was said on the status line.

import ChatCore
import ChatWords

/// The text to read, and its first row on the screen.
struct ReaderPane: Pane {
    enum Content: Sendable, Equatable {
        case text(ChatMessage)
        /// `versions`: every text that it has had, once the store has answered.
        case info(ChatMessage, versions: [TextVersion]?)
        case log
        /// All keys, as they are bound now.
        case keys
    }

    var content: Content
    /// The first row that is shown; `nil`: the last page.
    var top: Int? = 0
    /// Leaves only the rows that contain its words.
    var filter: ListFilter

    /// Not everything is shown yet: the store has not answered with the earlier texts.
    var isWaiting: Bool {
        if case .info(let message, versions: nil) = content { message.edited != nil } else { false }
    }

    init(_ content: Content, filter: String = "") {
        self.content = content
        self.filter = ListFilter(filter)
        if content == .log { top = nil }
    }

    var overlay: Overlay { .reader(self) }
    var keyContext: KeyContext { filter.isOpen ? .filter : .reader }
    var noticesStrayLines: Bool { !filter.isOpen }

    // MARK: Keys

    mutating func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        if filter.perform(command, yanking: state.composer.killRing.newest, reordering: state.surface.settings.reorders)
        {
            return .stays
        }
        let screen = ReaderScreen(state: state, pane: self, layout: ScreenLayout(state))
        let page = max(1, screen.visibleCount)
        let last = max(0, screen.rows.count - screen.visibleCount)
        let first = top ?? last
        switch command {
        case .down: top = first + 1
        case .up: top = first - 1
        case .halfPageDown: top = first + page / 2
        case .halfPageUp: top = first - page / 2
        case .pageDown: top = first + page
        case .pageUp: top = first - page
        case .top: top = 0
        case .bottom: top = last
        case .copyText:
            let text = screen.rows.map { $0.spans.map(\.text.text).joined() }.joined(separator: "\n")
            effects.append(.terminal(.copy(text)))
            state.say("Copied")
        case .closePane: return .closes
        default: return .stays
        }
        top = top.map { min(max($0, 0), last) }
        return .stays
    }

    mutating func type(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        _ = filter.type(text)
    }

    mutating func stepBack(_ state: inout AppState) -> PaneStep { filter.stepBack() ? .stays : .closes }

    mutating func click(_ field: FieldTarget, column: Int) {
        filter.open(at: field.offset(in: filter.line, at: column))
    }

    // MARK: The picture

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        ReaderScreen(state: state, pane: self, layout: layout).draw(on: &canvas)
    }

    // MARK: Line mode

    /// Every row of the page, in a window that is wide enough for most.
    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] {
        guard !isWaiting else { return [] }
        if content == .keys { return state.surface.keymap.lines.map { line($0.words) } }
        var wide = state
        wide.surface = state.surface.forLines(Size(columns: 110, rows: 40))
        let screen = ReaderScreen(state: wide, pane: self, layout: ScreenLayout(wide))
        return [line("\(screen.title):")] + screen.rows.map(\.text)
    }
}

extension ReaderPane {
    static func showInfo(of message: ChatMessage, _ state: inout AppState, _ effects: inout [AppEffect]) {
        state.show(.reader(ReaderPane(.info(message, versions: nil))))
        if message.edited != nil { effects.append(.ask(.versions(message))) }
    }

    static func receive(versions: [TextVersion], of message: ChatMessage, _ state: inout AppState) {
        guard case .reader(var pane) = state.place.overlay, case .info(let shown, _) = pane.content,
            shown.key == message.key
        else {
            return
        }
        pane.content = .info(shown, versions: versions)
        state.place.put(.reader(pane))
    }
}
