// Alt-s, Alt-/: the search of the history. It asks while the user types, shows the context of a hit, jumps to it.

import ChatCore
import ChatWords

/// The search pane.
struct SearchPane: Pane {
    var query = InputLine()
    /// Only this chat; everything when `nil`.
    var scope: ContactID?
    var generation = 0
    var result: SearchResult?
    /// The generation that `result` answers; an earlier one while the user types.
    var answered = 0
    /// Enter was pressed before the answer came.
    var jumpsAtOnce = false
    var took = Duration.zero
    var problem: String?
    /// How many hits the pane asks for; more when the cursor comes near the last one.
    var limit = SearchPane.pageSize
    static let pageSize = 50
    /// F1: the syntax is shown in place of the hits.
    var showsSyntax = false
    /// The first visible line of the syntax, in a window that has no room for all of it.
    var syntaxTop = 0
    var selected = 0
    /// When (uptime) the pane asks again, because a new message has come.
    var due: Duration?
    /// The hit that the cursor goes back to with the next answer.
    var kept: HistoryPosition?
    /// Messages around the selected hit.
    var context: [ChatMessage] = []
    var contextGeneration = 0

    var overlay: Overlay { .search(self) }
    var keyContext: KeyContext { .search }

    var selectedHit: ChatMessage? {
        guard let hits = result?.hits, hits.indices.contains(selected) else { return nil }
        return hits[selected]
    }

    mutating func click(_ field: FieldTarget, column: Int) { query.move(to: field.offset(in: query, at: column)) }

    func selectedLine(in state: AppState) -> Int? { selected }

    // MARK: The picture

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        SearchScreen(state: state, pane: self, layout: layout).draw(on: &canvas)
    }

    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? {
        SafeText(SearchScreen.status(self), as: .line)
    }

    var hidesActivity: Bool { true }

    func hint(_ usual: String, for command: AppCommand, in state: AppState) -> String? {
        command == .searchScope && scope != nil ? "all chats" : usual
    }

    // MARK: Line mode

    var isWaiting: Bool { result == nil && problem == nil && !query.isEmpty }

    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] {
        if isWaiting { return [] }
        if let problem { return [line(problem)] }
        guard let result else { return [line("Say what to search: /search WORDS")] }
        guard !result.hits.isEmpty else { return [line("Nothing found")] }
        let count = result.isTruncated ? "the newest \(result.hits.count)" : "\(result.hits.count)"
        return [line("Found \(count), newest first:")]
            + result.hits.flatMap { MessageSentences(state: state, message: $0).lines(withDay: true) }
    }
}
