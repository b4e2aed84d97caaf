// Where a key is pressed: the same key may mean different things in the input, in browse mode and in a pane.

import ChatWords

/// A part of the screen with keys of its own. A key that it does not know means what the next context of its `chain`
/// says.
enum KeyContext: String, Sendable, Hashable, CaseIterable {
    /// Keys that mean the same everywhere.
    case anywhere
    /// Moving through the history of the open chat.
    case history
    /// Editing a text: the input and every field.
    case edit
    /// The input of the chat.
    case main
    /// Browse mode: one message is under the cursor.
    case browse
    /// Help, palette, go-to: a filter above a list.
    case list
    /// The lines that were typed before.
    case typed
    case search
    /// The file picker: a filter above a folder.
    case picker
    case transfers
    case requests
    case verify
    /// The page about one contact request.
    case decision
    /// A page that is only read.
    case reader
    /// A question with one line for the answer.
    case prompt
    /// The filter that narrows the list of a pane whose letters are commands.
    case filter

    /// From the context itself to the most general one.
    var chain: [KeyContext] {
        switch self {
        case .main: [.main, .edit, .history, .anywhere]
        case .browse: [.browse, .history, .anywhere]
        case .typed: [.typed, .list, .edit, .anywhere]
        case .list, .search, .picker, .prompt, .filter: [self, .edit, .anywhere]
        case .transfers, .requests, .verify, .decision, .reader: [self, .anywhere]
        case .edit, .history: [self, .anywhere]
        case .anywhere: [.anywhere]
        }
    }

    /// Characters are typed into a text here, so they are no commands.
    var takesText: Bool { self == .anywhere || self == .history || chain.contains(.edit) }
}
