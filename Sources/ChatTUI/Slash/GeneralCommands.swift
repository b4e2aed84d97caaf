// /help /redraw /version /close /quit.

import ChatCore
import ChatWords

enum GeneralCommands: SlashCommandGroup {
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect]) {
        var scanner = call.scanner
        switch call.verb {
        case .help: help(scanner.next(), &state)
        case .redraw: effects.append(.redraw)
        case .version: state.note("blipchat \(state.surface.version)")
        case .close: ChatSwitching.close(&state, &effects)
        case .quit: MainCommands.quit(&state, &effects)
        // The table leads no other one here.
        default: break
        }
    }

    private static func help(_ word: String?, _ state: inout AppState) {
        guard let word else {
            state.show(.help(HelpPane()))
            return
        }
        let name = word.hasPrefix("/") ? String(word.dropFirst()) : word
        if SlashCommands.planned.contains(name.lowercased()) {
            state.note("/\(name.lowercased()) is not in this version yet")
            return
        }
        guard let command = SlashCommands.named(name) else {
            state.show(.help(HelpPane(list: ListPane(filter: name))))
            state.say("\(SafeText(name, as: .name).text) is not a command; the help says about it:")
            return
        }
        let aliases = command.aliases.map { "/" + $0 }.joined(separator: ", ")
        state.note("\(command.line): \(command.summary)" + (aliases.isEmpty ? "" : " (also \(aliases))"))
    }
}
