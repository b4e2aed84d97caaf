// A page of text over the chat that is only read: message info, a long message in full, what was said on the status line.

import ChatCore
import ChatWords

/// What is read, and from which row on.
struct ReaderPane: Sendable, Equatable {
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
    /// Leaves the rows with its words.
    var filter: ListFilter

    /// What is shown is not all yet: the earlier texts are still asked for.
    var isWaiting: Bool {
        if case .info(let message, versions: nil) = content { message.edited != nil } else { false }
    }

    init(_ content: Content, filter: String = "") {
        self.content = content
        self.filter = ListFilter(filter)
        if content == .log { top = nil }
    }
}

extension AppState {
    mutating func showInfo(of message: ChatMessage, _ effects: inout [AppEffect]) {
        show(.reader(ReaderPane(.info(message, versions: nil))))
        if message.edited != nil { effects.append(.ask(.versions(message))) }
    }

    mutating func receive(versions: [TextVersion], of message: ChatMessage) {
        guard case .reader(var pane) = overlay, case .info(let shown, _) = pane.content, shown.key == message.key else {
            return
        }
        pane.content = .info(shown, versions: versions)
        overlay = .reader(pane)
    }

    mutating func performInReader(_ command: AppCommand, _ pane: inout ReaderPane, _ effects: inout [AppEffect]) {
        if pane.filter.perform(command, yanking: killRing.newest, reordering: settings.reorders) {
            overlay = .reader(pane)
            return
        }
        let screen = ReaderScreen(state: self, pane: pane, layout: ScreenLayout(self))
        let page = max(1, screen.visibleCount)
        let last = max(0, screen.rows.count - screen.visibleCount)
        let top = pane.top ?? last
        switch command {
        case .down: pane.top = top + 1
        case .up: pane.top = top - 1
        case .halfPageDown: pane.top = top + page / 2
        case .halfPageUp: pane.top = top - page / 2
        case .pageDown: pane.top = top + page
        case .pageUp: pane.top = top - page
        case .top: pane.top = 0
        case .bottom: pane.top = last
        case .copyText:
            let text = screen.rows.map { $0.spans.map(\.text.text).joined() }.joined(separator: "\n")
            effects.append(.terminal(.copy(text)))
            say("Copied")
        case .closePane:
            overlay = nil
            return
        default: return
        }
        pane.top = pane.top.map { min(max($0, 0), last) }
        overlay = .reader(pane)
    }
}
