// What every pane over the chat can be asked. A pane keeps all of itself in the folder of its name: its state, keys,
// picture, hints, what a click means, and what line mode says in its place. The router (AppState+Panes) knows none.

import ChatCore
import ChatWords

/// What stands over the chat: a value with its own state.
protocol Pane: Sendable, Equatable {
    /// The case of this pane.
    var overlay: Overlay { get }

    // MARK: Keys

    /// Whose keys count while it is open.
    var keyContext: KeyContext { get }
    /// Carries out one of its keys.
    mutating func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep
    /// Characters for the field that has its cursor. Without a field they mean nothing.
    mutating func type(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect])
    /// Esc: out of what it asks, at last out of itself.
    mutating func stepBack(_ state: inout AppState) -> PaneStep

    // MARK: The mouse

    /// A click into a field, at a column of the screen: what is typed goes there from now on.
    mutating func click(_ field: FieldTarget, column: Int)
    /// The line under the cursor of its list.
    func selectedLine(in state: AppState) -> Int?

    // MARK: The list of contacts

    /// The contact under the cursor, where contacts are listed.
    func contactUnderCursor(in state: AppState) -> ContactID?
    /// The contacts have changed: the cursor stays on this one, and on nobody when it has gone.
    mutating func keepCursor(on contact: ContactID, in state: AppState)

    // MARK: The picture

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas)
    /// What the status line says meanwhile.
    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText?
    /// What can be clicked in `status`: nothing where words from outside stand in it.
    var statusHints: [Hint] { get }
    /// It needs the whole status line.
    var hidesActivity: Bool { get }
    /// The words of the hint of `command`, which are `usual` in most places; `nil` where it would be no help.
    func hint(_ usual: String, for command: AppCommand, in state: AppState) -> String?

    // MARK: Line mode

    /// It waits for an answer of the service or of the user; what is printed is closed otherwise.
    var isWaiting: Bool { get }
    /// What line mode prints in its place when it is opened, or when what it asked for has come with `action`.
    func spoken(_ state: AppState, after action: AppAction) -> [SafeText]
}

/// What a pane does after a key.
enum PaneStep {
    /// It goes on as it is now.
    case stays
    case closes
    /// The state has been given what it shows now: another pane, another chat.
    case left
}

extension Pane {
    mutating func type(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect]) {}
    mutating func stepBack(_ state: inout AppState) -> PaneStep { .closes }
    mutating func click(_ field: FieldTarget, column: Int) {}
    func selectedLine(in state: AppState) -> Int? { nil }
    func contactUnderCursor(in state: AppState) -> ContactID? { nil }
    mutating func keepCursor(on contact: ContactID, in state: AppState) {}
    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? { nil }
    var statusHints: [Hint] { [] }
    var hidesActivity: Bool { false }
    func hint(_ usual: String, for command: AppCommand, in state: AppState) -> String? { usual }
    var isWaiting: Bool { false }

    /// A line of what is spoken.
    func line(_ text: String) -> SafeText { SafeText(text, as: .line) }
}
