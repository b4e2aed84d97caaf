// Slash commands about the settings: /set, /unset, /reload, /theme, /notify. All but showing is a change of config.toml.

import ChatCore
import ChatWords

/// Commands about the settings.
enum SettingsCommands: SlashCommandGroup {
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect]) {
        var scanner = call.scanner
        func ask(_ request: SettingsRequest) { effects.append(.run(.settings(request))) }
        func change(_ request: SettingsRequest) {
            ask(call.asked == .settings(request) ? .confirmed(request) : request)
        }
        switch call.verb {
        case .set:
            guard let key = scanner.nextKey() else { return ask(.show(nil)) }
            guard let words = scanner.remainder() else { return ask(.show(key)) }
            guard isKnown(ownerOf: key, &state) else { return }
            // The form of the file, with `= ` before the value, is accepted, too.
            change(.set(key: key, words: words.hasPrefix("= ") ? String(words.dropFirst(2)) : words))
        case .unset:
            guard let key = scanner.nextKey(), scanner.isEnd(of: "/unset KEY", &state) else { return }
            change(.unset(key: key))
        case .reload: ask(.reload)
        case .theme:
            guard let name = scanner.next() else { return ask(.themes) }
            ask(.set(key: "ui.theme", words: name))
        case .notify: notify(&scanner, &state, &effects)
        default: break
        }
    }

    /// Whether the contact exists that a setting is for, `contact.NAME.keep`; a mistake would be for nobody, and not be seen.
    private static func isKnown(ownerOf key: String, _ state: inout AppState) -> Bool {
        let parts = key.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, parts[0] == "contact", let end = parts[1].lastIndex(of: ".") else { return true }
        let name = parts[1][..<end].filter { $0 != "\"" }
        guard !state.world.chats.contains(where: { $0.peer.name.lowercased() == name.lowercased() }) else {
            return true
        }
        state.note("No contact is called \(SafeText(name, as: .name).text) (/contacts lists them)", isError: true)
        return false
    }

    // MARK: /notify

    private static func notify(_ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect])
    {
        guard let word = scanner.next() else { return effects.append(.run(.settings(.show("notify")))) }
        let rest = scanner.remainder()
        func set(_ key: String, _ words: String) {
            effects.append(.run(.settings(.set(key: key, words: words))))
        }
        switch (word.lowercased(), rest) {
        case ("test", nil): Announcing.announceTest(&state, &effects)
        case ("text", let words?): set("notify.show_text", words)
        case ("quiet", let words?): set("notify.quiet_hours", words == "off" ? "\"\"" : words)
        case ("desktop", let words?): set("notify.desktop", words)
        case ("command", let words?): set("notify.command", words)
        case (let level, nil) where ScreenSettings.Bell(rawValue: level) != nil:
            set("notify.bell", level)
            if level == "off", state.surface.settings.desktop != .off {
                state.note("The bell is off; /notify desktop off stops desktop notifications, too")
            }
        case (let level, let name?) where level == "default" || ScreenSettings.Bell(rawValue: level) != nil:
            guard let contact = SlashArguments.contact(name, &state), let peer = state.world.chat(contact)?.peer else {
                return
            }
            let key = "contact.\"\(peer.name)\".notify"
            guard level == "default" else { return set(key, level) }
            effects.append(.run(.settings(.unset(key: key))))
        default:
            state.note(
                "/notify off|mention|all [WHO], default WHO, desktop MODE, text on|off, quiet 22:00-07:00|off, "
                    + "command COMMAND, test", isError: true)
        }
    }
}
