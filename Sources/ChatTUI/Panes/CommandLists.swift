// Enter on a line of the help or of the palette.

import ChatCore
import ChatWords

enum CommandLists {
    /// Enter on a line of the help or the palette.
    static func run(_ place: Int, of items: [CommandItem], _ state: inout AppState, _ effects: inout [AppEffect])
        -> PaneStep
    {
        guard items.indices.contains(place) else { return .stays }
        switch items[place].action {
        case .nothing: return .stays
        case .command(let command, let context): runFromList(command, context, &state, &effects)
        case .slash(let command):
            state.place.closePane()
            // A command that takes something away for good is seen in the input before it happens, too.
            if command.needsArgument || command.verb.isFinal {
                begin(command, &state)
            } else {
                command.run("", &state, &effects)
            }
        }
        return .left
    }

    /// A command in the input, to be completed there: typing goes to it, and the half-typed line can be had again.
    private static func begin(_ command: SlashCommand, _ state: inout AppState) {
        Browsing.stop(&state)
        if !state.composer.input.isEmpty {
            let (undo, yank) = (state.surface.key(.undo), state.surface.key(.yank))
            state.say("Your line is safe: \(undo) swaps it back in, \(yank) inserts it later")
        }
        state.composer.killRing.add(state.composer.input.text)
        state.composer.history.leave()
        state.composer.input.replace(with: "/\(command.name) ")
        Drafts.changed(&state)
    }

    /// A line of help or palette about a key. Keys of a pane open it; what they do needs a line under the cursor.
    private static func runFromList(
        _ command: AppCommand, _ context: KeyContext, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        state.place.closePane()
        switch context {
        case .anywhere, .history, .edit, .main, .browse:
            // A command about the input continues there.
            if context == .edit || context == .main { Browsing.stop(&state) }
            // Enter's own command would send the half-typed line: the help must not.
            if command == .send {
                state.say("\(state.surface.key(.send)) sends the line you typed")
            } else {
                MainCommands.perform(command, &state, &effects)
            }
        case .picker: FilePicker.show(&state, &effects)
        case .transfers: MainCommands.perform(.transfers, &state, &effects)
        case .search: MainCommands.perform(.searchAll, &state, &effects)
        case .requests, .decision: MainCommands.perform(.requests, &state, &effects)
        case .verify: if let openID = state.place.openID { VerifyPane.show(of: .contact(openID), &state, &effects) }
        case .list, .typed: MainCommands.perform(.palette, &state, &effects)
        case .reader, .prompt, .filter: break
        }
    }
}
