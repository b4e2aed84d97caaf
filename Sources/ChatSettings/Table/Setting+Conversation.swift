// The settings of reading and of notifications: [read], [notify], [files] and [history] as far as the screen shows
// them, and the sections with names of the user's own.

import ChatCore
import ChatTUI

extension Setting {
    static let conversation: [Setting] = [
        choice("read.receipts", \.screen.receipts, "tell contacts what you have read"),
        choice("read.mark", \.screen.readMark, "what marks messages as read: being on the screen, or only /read"),
        choice("notify.bell", \.screen.bell, "which messages ring the bell"),
        choice("notify.desktop", \.screen.desktop, "how to notify the desktop of messages"),
        text(
            "notify.command", \.screen.notifyCommand, form: .other("a command, or \"\""),
            "run for desktop = \"command\", with title and text as arguments, without a shell"
        ) { CommandLine.words(of: $0) != nil },
        flag("notify.show_text", \.screen.notifyShowsText, "notifications contain the text of messages"),
        Setting(
            key: "notify.quiet_hours", form: .other("hours like \"22:00-07:00\", or \"\""),
            summary: "when nothing rings", effect: .atOnce,
            put: { configuration, value, _ in
                guard case .string(let text) = value else { return false }
                let hours = ScreenSettings.QuietHours(text)
                guard hours != nil || text.isEmpty else { return false }
                configuration.screen.quietHours = hours
                return true
            },
            value: { configuration, _ in .string(configuration.screen.quietHours?.text ?? "") }),
        text(
            "files.open_command", \.screen.openCommand, form: .other("a command"),
            "opens a file or link: run with it as the last argument, without a shell"
        ) { CommandLine.words(of: $0)?.isEmpty == false },
        choice("files.preview", \.screen.preview, "pictures in the chat"),
        number("history.page", 20...1000, \.screen.pageSize, "how many messages to load at once"),
    ]

    static let perContact: [Setting] = [
        contact(
            "keep", form: .choice(["forever"], or: .other("a number of days")),
            "how long to keep this contact's messages",
            put: { $0.keep = retention($1) }, value: { $0.keep.map(retentionValue) }),
        contact(
            "notify", form: .choice(of: ScreenSettings.Bell.self),
            "which messages from this contact ring and notify you",
            put: { $0.notify = word($1) }, value: { $0.notify.map { .string($0.rawValue) } }),
        contact(
            "receipts", form: .choice(of: ScreenSettings.Receipts.self), "tell this contact what you have read",
            put: { $0.receipts = word($1) }, value: { $0.receipts.map { .string($0.rawValue) } }),
        contact(
            "typing_send", form: .flag, "tell this contact that you are typing",
            put: { contact, value in if case .bool(let flag) = value { contact.sendsTyping = flag } },
            value: { $0.sendsTyping.map(ConfigurationValue.bool) }),
        contact(
            "auto_accept_max", form: .size, "accept this contact's files up to this size without asking",
            put: { $0.acceptsFilesUpTo = size($1) },
            value: { $0.acceptsFilesUpTo.map { .integer(Int64(clamping: $0)) } }),
    ]

    static let named: [Setting] = [
        Setting(
            key: "keys.NAME", form: .other("the name of an action, a line that begins with /, or \"\" for nothing"),
            summary: "what a key does, like \"Alt-g\" = \"palette\" or \"browse:x\" = \"/close\"", effect: .atOnce,
            put: { configuration, value, context in
                guard case .string(let action) = value, isLine(action, limit: 4096),
                    KeySettings.problem(key: context.path.name, action: action) == nil
                else { return false }
                configuration.screen.keys[context.path.name] = action
                return true
            },
            advice: { value, path in
                guard case .string(let action) = value else { return nil }
                return KeySettings.problem(key: path.name, action: action)
            },
            value: { configuration, path in configuration.screen.keys[path.name].map(ConfigurationValue.string) }),
        Setting(
            key: "alias.NAME", form: .other("the line that it replaces"),
            summary: "a slash command of your own: hi = \"/msg bob hello\"", effect: .atOnce,
            put: { configuration, value, context in
                guard case .string(let line) = value, isLine(line, limit: 4096), !line.isEmpty,
                    KeySettings.problem(alias: context.path.name, line: line) == nil
                else { return false }
                configuration.screen.aliases[context.path.name] = line
                return true
            },
            advice: { value, path in
                guard case .string(let line) = value else { return nil }
                return KeySettings.problem(alias: path.name, line: line)
            },
            value: { configuration, path in configuration.screen.aliases[path.name].map(ConfigurationValue.string) }),
        Setting(
            key: "names.NAME", form: .name,
            summary: "the name that others see in a profile: work = \"Jo Smith\"", effect: .atOnce,
            put: { configuration, value, context in
                guard case .string(let name) = value, ContactNames.isWellFormed(name),
                    HomePaths.isProfileName(context.path.name)
                else { return false }
                configuration.profileNames[context.path.name] = name
                return true
            },
            value: { configuration, path in configuration.profileNames[path.name].map(ConfigurationValue.string) }),
    ]

    /// A setting of `[contact."NAME"]`. `put` leaves what it sets `nil` when the value cannot be.
    private static func contact(
        _ name: String, form: Form, _ summary: String,
        put: @escaping @Sendable (inout Configuration.ContactSettings, ConfigurationValue) -> Void,
        value: @escaping @Sendable (Configuration.ContactSettings) -> ConfigurationValue?
    ) -> Setting {
        Setting(
            key: "contact." + name, form: form, summary: summary, effect: .atOnce,
            put: { configuration, new, context in
                guard let contact = context.path.contact else { return false }
                var settings = configuration.contacts[contact] ?? Configuration.ContactSettings()
                put(&settings, new)
                guard value(settings) != nil else { return false }
                configuration.contacts[contact] = settings
                configuration.screen.notifyByName[ContactNames.folded(contact)] = settings.notify
                return true
            },
            value: { configuration, path in
                path.contact.flatMap { configuration.contacts[$0] }.flatMap(value)
            })
    }

    private static func word<Choice: RawRepresentable<String>>(_ value: ConfigurationValue) -> Choice? {
        guard case .string(let word) = value else { return nil }
        return Choice(rawValue: word)
    }
}
