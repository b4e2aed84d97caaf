// Slash commands about the settings: /set, /unset, /reload, /theme, /notify. All but showing is a change of config.toml.

import ChatCore

extension AppState {
    mutating func runSettings(
        _ verb: SlashVerb, _ scanner: inout ArgumentScanner, asked: Errand?, _ effects: inout [AppEffect]
    ) {
        func ask(_ request: SettingsRequest) { effects.append(.run(.settings(request))) }
        switch verb {
        case .set:
            guard let key = scanner.nextKey() else { return ask(.show(nil)) }
            guard let words = scanner.remainder() else { return ask(.show(key)) }
            let change = Errand.settings(.set(key: key, words: words))
            guard !deletesHistory(key, words) || asked == change else {
                confirming = change
                return note(
                    "This deletes what is older than that from this disk at once. Enter the same again to do it.")
            }
            effects.append(.run(change))
        case .unset:
            guard let key = scanner.nextKey(), isEnd(&scanner, of: "/unset KEY") else { return }
            ask(.unset(key: key))
        case .reload: ask(.reload)
        case .theme:
            guard let name = scanner.next() else { return ask(.themes) }
            ask(.set(key: "ui.theme", words: name))
        case .notify: notify(&scanner, &effects)
        default: break
        }
    }

    /// Whether a setting makes messages go because of their age.
    private func deletesHistory(_ key: String, _ words: String) -> Bool {
        let isKeep = key == "history.keep" || (key.hasPrefix("contact.") && key.hasSuffix(".keep"))
        return isKeep && Int(words.trimmedBlanks.filter { $0 != "\"" }).map { $0 > 0 } ?? false
    }

    /// The settings have changed.
    mutating func adopt(_ reply: SettingsReply, _ effects: inout [AppEffect]) {
        if let new = reply.settings {
            let old = settings
            settings = new
            // What a key has switched stays, unless the file says something else now.
            if new.mouse == savedMouse { settings.mouse = old.mouse }
            savedMouse = new.mouse
            if settings.mouse != old.mouse { effects.append(.terminal(.mouse(settings.mouse))) }
            if new.preview != old.preview { effects.append(.terminal(.previews(new.preview))) }
            if old.sendsTyping, !new.sendsTyping { stopTyping(&effects) }
        }
        if let new = reply.theme { theme = new }
        if reply.isError, status?.isQuestion != true { status = nil }
        if reply.lines.count == 1, !reply.isError {
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
        case (let level, nil) where ScreenSettings.Bell(rawValue: level) != nil: set("notify.bell", level)
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
