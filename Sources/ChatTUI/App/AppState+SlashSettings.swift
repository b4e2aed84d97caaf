// Slash commands about the settings: /set, /unset, /reload, /theme, /notify. All but showing is a change of config.toml.

import ChatCore
import ChatWords

extension AppState {
    mutating func runSettings(
        _ verb: SlashVerb, _ scanner: inout ArgumentScanner, asked: Errand?, _ effects: inout [AppEffect]
    ) {
        func ask(_ request: SettingsRequest) { effects.append(.run(.settings(request))) }
        func change(_ request: SettingsRequest) {
            ask(asked == .settings(request) ? .confirmed(request) : request)
        }
        switch verb {
        case .set:
            guard let key = scanner.nextKey() else { return ask(.show(nil)) }
            guard let words = scanner.remainder() else { return ask(.show(key)) }
            guard isKnown(ownerOf: key) else { return }
            // As it stands in the file, too.
            change(.set(key: key, words: words.hasPrefix("= ") ? String(words.dropFirst(2)) : words))
        case .unset:
            guard let key = scanner.nextKey(), isEnd(&scanner, of: "/unset KEY") else { return }
            change(.unset(key: key))
        case .reload: ask(.reload)
        case .theme:
            guard let name = scanner.next() else { return ask(.themes) }
            ask(.set(key: "ui.theme", words: name))
        case .notify: notify(&scanner, &effects)
        default: break
        }
    }

    /// Whether there is the contact that a setting is for, `contact.NAME.keep`; a slip would be for nobody, and not be seen.
    private mutating func isKnown(ownerOf key: String) -> Bool {
        let parts = key.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, parts[0] == "contact", let end = parts[1].lastIndex(of: ".") else { return true }
        let name = parts[1][..<end].filter { $0 != "\"" }
        guard !chats.contains(where: { $0.peer.name.lowercased() == name.lowercased() }) else { return true }
        note("No contact is called \(SafeText(name, as: .name).text) (/contacts lists them)", isError: true)
        return false
    }

    /// The settings have changed.
    mutating func adopt(
        _ reply: SettingsReply, to request: SettingsRequest? = nil, _ effects: inout [AppEffect]
    ) {
        if reply.asks { confirming = request.map(Errand.settings) }
        if let new = reply.settings {
            let old = settings
            settings = new
            // What a key has switched stays, unless the file says something else now.
            if new.mouse == savedMouse { settings.mouse = old.mouse }
            savedMouse = new.mouse
            if settings.mouse != old.mouse { effects.append(.terminal(.mouse(settings.mouse))) }
            if new.preview != old.preview { effects.append(.terminal(.previews(new.preview))) }
            if old.sendsTyping, !new.sendsTyping { stopTyping(&effects) }
            if old.historyCount > 0, new.historyCount == 0 {
                history = InputHistory([], limit: 0)
                effects.append(.forgetLines)
            }
        }
        if let new = reply.theme { theme = new }
        if reply.isError, status?.isQuestion != true { status = nil }
        if reply.lines.count == 1, !reply.isError, !reply.asks {
            say(reply.lines[0])
        } else if !reply.lines.isEmpty {
            note(reply.lines, isError: reply.isError)
        }
    }

    // MARK: /notify

    private mutating func notify(_ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        guard let word = scanner.next() else { return effects.append(.run(.settings(.show("notify")))) }
        let rest = scanner.remainder()
        func set(_ key: String, _ words: String) {
            effects.append(.run(.settings(.set(key: key, words: words))))
        }
        switch (word.lowercased(), rest) {
        case ("test", nil): announceTest(&effects)
        case ("text", let words?): set("notify.show_text", words)
        case ("quiet", let words?): set("notify.quiet_hours", words == "off" ? "\"\"" : words)
        case ("desktop", let words?): set("notify.desktop", words)
        case ("command", let words?): set("notify.command", words)
        case (let level, nil) where ScreenSettings.Bell(rawValue: level) != nil:
            set("notify.bell", level)
            if level == "off", settings.desktop != .off {
                note("The bell is off; /notify desktop off stops desktop notifications, too")
            }
        case (let level, let name?) where level == "default" || ScreenSettings.Bell(rawValue: level) != nil:
            guard let contact = who(name), let peer = chat(contact)?.peer else { return }
            let key = "contact.\"\(peer.name)\".notify"
            guard level == "default" else { return set(key, level) }
            effects.append(.run(.settings(.unset(key: key))))
        default:
            note(
                "/notify off|mention|all [WHO], default WHO, desktop MODE, text on|off, quiet 22:00-07:00|off, "
                    + "command COMMAND, test", isError: true)
        }
    }
}
