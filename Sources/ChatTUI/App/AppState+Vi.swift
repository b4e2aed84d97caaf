// vi's keys in the input, when the user wants them: `edit_mode = "vi"`.

import ChatCore
import ChatWords

extension AppState {
    /// The input is in vi's normal mode.
    var isViNormal: Bool { settings.editMode == .vi && vi.isNormal }

    /// A key of vi's modes. `false` when it means what it means without them.
    mutating func pressInVi(_ key: Key, _ effects: inout [AppEffect]) -> Bool {
        guard settings.editMode == .vi, keyContext == .main, pendingKeys.isEmpty else { return false }
        if key == Key(.escape) {
            guard completion == nil else { return false }
            return vi.escape(&input)
        }
        guard vi.isNormal else { return false }
        let isEnter = key == Key(.enter)
        let typed = isEnter && vi.awaitsReplacement ? "\n" : key.typedText
        guard let text = typed, let character = text.first else {
            // Enter ends a half-typed command; it does not send besides.
            defer { vi.forget() }
            return isEnter && vi.isPending
        }
        let before = input.characters
        lastKill = nil
        switch vi.press(character, &input, register: killRing.newest) {
        case .nothing: break
        case .taken(let text): killRing.add(text)
        case .older:
            inputUp(&effects)
            return true
        case .newer:
            inputDown()
            return true
        }
        if input.characters != before {
            leaveHistory()
            draftChanged(&effects)
        }
        return true
    }

    /// Tells the terminal the shape of the cursor when it has to be another one.
    mutating func settleCursor(_ effects: inout [AppEffect]) {
        let wanted: TerminalCommand.CursorShape =
            settings.editMode == .vi ? (isViNormal && overlay == nil ? .block : .bar) : .standard
        guard wanted != cursorShape else { return }
        cursorShape = wanted
        effects.append(.terminal(.cursorShape(wanted)))
    }
}
