// The protocol of every pane over the chat. A pane keeps everything of its own in the folder of its name: its state, keys,
// picture, hints, the meaning of a click, and its words in line mode. The router (AppState+Panes) knows no single pane.

import ChatCore
import ChatWords

/// A pane over the chat: a value with its own state.
protocol Pane: Sendable, Equatable {
    /// The case of this pane.
    var overlay: Overlay { get }

    // MARK: Keys

    /// The context whose keys count while it is open.
    var keyContext: KeyContext { get }
    /// Carries out one of its keys.
    mutating func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep
    /// Characters for the field that has its cursor. Without a field they mean nothing.
    mutating func type(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect])
    /// Esc: leaves its question first, at last the pane itself.
    mutating func stepBack(_ state: inout AppState) -> PaneStep
    /// A letter that is no key of it may begin a line that is meant for the input (`StrayLines`).
    var noticesStrayLines: Bool { get }
    /// The key of its own that Alt-y and Alt-n mean in it; `nil`: they answer the offer on the status line.
    func key(forOffer accepting: Bool) -> AppCommand?

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
    /// The words of the status line while it is open.
    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText?
    /// The parts of `status` that can be clicked: none where it contains words from outside.
    var statusHints: [Hint] { get }
    /// It needs the whole status line.
    var hidesActivity: Bool { get }
    /// The words of the hint of `command`, which are `usual` in most places; `nil` where it would be no help.
    func hint(_ usual: String, for command: AppCommand, in state: AppState) -> String?

    // MARK: Line mode

    /// It waits for an answer of the service or of the user; otherwise line mode closes it once it is printed.
    var isWaiting: Bool { get }
    /// The line answers what it asks, as a key would.
    func takes(answer line: String) -> Bool
    /// It is closed now, as another line was entered: says so where that decides something. `false`: the line was no
    /// answer, and is not for the chat either.
    func leave(with line: String, _ state: inout AppState) -> Bool
    /// The lines that line mode prints in its place when it opens, or when `action` has brought the answer that it asked for.
    func spoken(_ state: AppState, after action: AppAction) -> [SafeText]
}

/// The effect of a key on the pane.
enum PaneStep {
    /// It stays open as it is now.
    case stays
    case closes
    /// The state already has its replacement: another pane, another chat.
    case left
}

extension Pane {
    mutating func type(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect]) {}
    mutating func stepBack(_ state: inout AppState) -> PaneStep { .closes }
    var noticesStrayLines: Bool { false }
    func key(forOffer accepting: Bool) -> AppCommand? { nil }
    mutating func click(_ field: FieldTarget, column: Int) {}
    func selectedLine(in state: AppState) -> Int? { nil }
    func contactUnderCursor(in state: AppState) -> ContactID? { nil }
    mutating func keepCursor(on contact: ContactID, in state: AppState) {}
    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? { nil }
    var statusHints: [Hint] { [] }
    var hidesActivity: Bool { false }
    func hint(_ usual: String, for command: AppCommand, in state: AppState) -> String? { usual }
    var isWaiting: Bool { false }
    func takes(answer line: String) -> Bool { false }
    func leave(with line: String, _ state: inout AppState) -> Bool { true }

    /// One of the `spoken` lines.
    func line(_ text: String) -> SafeText { SafeText(text, as: .line) }
}
