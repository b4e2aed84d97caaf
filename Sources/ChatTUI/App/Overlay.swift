// What stands over the chat: opened and closed by the user only, never by the network.

import ChatCore
import ChatWords

/// The open overlay with its own state. Esc closes it.
enum Overlay: Sendable, Equatable {
    case help(ListPane)
    case palette(ListPane)
    case goTo(ListPane)
    /// Ctrl-r: the lines that were typed before.
    case typed(ListPane)
    case transfers(TransfersPane)
    case search(SearchPane)
    case requests(RequestsPane)
    case verify(VerifyPane)
    case choice(ChoicePane)
    case reader(ReaderPane)
    case prompt(PromptPane)
    case files(FilePicker)
    case qr(QRPane)

    /// Whose keys count while it is open.
    var keyContext: KeyContext {
        switch self {
        case .typed: .typed
        case .help, .palette, .goTo, .choice: .list
        case .reader(let pane): pane.filter.isOpen ? .filter : .reader
        case .prompt: .prompt
        case .transfers(let pane): pane.limit != nil ? .prompt : pane.filter.isOpen ? .filter : .transfers
        case .search: .search
        case .requests(let pane): pane.filter.isOpen ? .filter : .requests
        case .verify(let pane): if case .request = pane.subject { .decision } else { .verify }
        case .files: .picker
        case .qr: .anywhere
        }
    }
}

/// A filter line and a selection in a list that is computed from state (help, palette, go to).
struct ListPane: Sendable, Equatable {
    var filter = InputLine()
    var selected = 0

    /// Characters for the filter; the best match is under the cursor then.
    mutating func type(_ text: String) {
        filter.insert(text)
        selected = 0
    }

    mutating func move(by step: Int, count: Int) {
        selected = count == 0 ? 0 : min(max(selected + step, 0), count - 1)
    }
}

/// The list of those who ask to become contacts.
struct RequestsPane: Sendable, Equatable {
    /// The request under the cursor, by id, so that news cannot move the cursor to another one.
    var selected: Int64?
    var filter = ListFilter()
}

/// The search overlay.
struct SearchPane: Sendable, Equatable {
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
    /// How many hits are asked for; more when the cursor comes near the last one.
    var limit = SearchPane.pageSize
    static let pageSize = 50
    /// F1: what can be typed stands in the place of the hits.
    var showsSyntax = false
    /// The line of it that is the first in a window which has no room for all.
    var syntaxTop = 0
    var selected = 0
    /// When (uptime) it is asked again, because a message has come since.
    var due: Duration?
    /// The hit that the cursor goes back to with the next answer.
    var kept: HistoryPosition?
    /// Messages around the selected hit.
    var context: [ChatMessage] = []
    var contextGeneration = 0

    var selectedHit: ChatMessage? {
        guard let hits = result?.hits, hits.indices.contains(selected) else { return nil }
        return hits[selected]
    }
}
