// /msg /query /me: commands that say something to somebody.

import ChatCore
import ChatWords

enum TalkCommands: SlashCommandGroup {
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect]) {
        var scanner = call.scanner
        switch call.verb {
        case .message: message(&scanner, &state, &effects)
        case .me: sayAction(scanner.remainder() ?? "", &state, &effects)
        case .query:
            if let id = SlashArguments.contact(scanner.remainder(), &state) { open(id, &state, &effects) }
        // The table leads no other one here.
        default: break
        }
    }

    private static func message(_ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect])
    {
        guard let id = scanner.contact(&state) else { return }
        guard let text = scanner.remainder() else { return open(id, &state, &effects) }
        guard Entering.check(text, &state), !SlashArguments.saysBlocked(id, &state) else { return }
        effects.append(.run(.call(.send(text, to: id))))
        guard id != state.place.openID else { return }
        state.say(
            "To \(state.world.name(of: id)): \(SafeText(ActionText.starred(text), as: .line).truncated(to: 60).text)")
    }

    /// Line mode sees no chat: whoever asks for the open one reads that it is open.
    private static func open(_ id: ContactID, _ state: inout AppState, _ effects: inout [AppEffect]) {
        let isOpen = id == state.place.openID
        ChatSwitching.open(id, &state, &effects)
        if isOpen { state.say("The chat with \(state.world.name(of: id)) is already open") }
    }

    /// `/me waves`: the other side shows it as an action, too.
    private static func sayAction(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let openID = state.place.openID else {
            state.note("No chat is open: /query WHO opens one", isError: true)
            return
        }
        let text = ActionText.prefix + text
        guard Entering.check(text, &state) else { return }
        effects.append(.run(.call(.send(text, to: openID))))
    }
}
