// The settings of the running chat: config.toml as it was last read, and what of it is in effect. The screen asks it by
// /set, /unset, /reload and /theme; SIGHUP asks for a reload.

import BLIPNet
package import ChatTUI

/// Changes settings while the program runs. One change after the other.
///
/// On a thread of its own: its file may be on a slow disk.
package actor SettingsKeeper: SettingsStore {
    private let executor = DispatchQueueExecutor(label: "blipchat.settings")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let file: ConfigurationFile
    /// The settings in effect at the start: a setting of the next start differs from its value here until then.
    private let atStart: Configuration
    /// There was a file when it was last read: without it all settings but what is set next would be gone unnoticed.
    private var hadFile: Bool
    /// Gives the chat what may change now.
    private let apply: @Sendable (Configuration) async -> Void
    /// Takes out of settings what a confined chat cannot follow before the next start, and says so.
    private let limit: @Sendable (inout Configuration) -> String?

    package nonisolated var keys: [String] {
        Setting.plain.map(\.key)
    }

    package nonisolated var choices: [String: [String]] {
        var choices = Dictionary(Setting.all.map { ($0.key, $0.choices) }) { first, _ in first }
        choices["ui.theme"] = themes
        return choices
    }

    /// Themes that are made later are not among them; their names can be typed.
    private nonisolated let themes: [String]

    package init(
        file: ConfigurationFile, atStart: Configuration,
        limit: @escaping @Sendable (inout Configuration) -> String? = { _ in nil },
        apply: @escaping @Sendable (Configuration) async -> Void
    ) {
        self.file = file
        self.atStart = atStart
        self.apply = apply
        self.limit = limit
        themes = file.themes.names
        hadFile = file.exists
    }

    package func carryOut(_ request: SettingsRequest) async -> SettingsReply {
        do throws(CommandError) {
            if try deletesMessages(request) { return .question }
            return try await carryOut(asked: request)
        } catch {
            return SettingsReply(error.words, isError: true)
        }
    }

    /// Whether a change makes messages go because of their age, and nobody has said yes to that.
    private func deletesMessages(_ request: SettingsRequest) throws(CommandError) -> Bool {
        switch request {
        case .set(let key, let words): try file.deletesMessages(settingTyped: key, to: words)
        case .unset(let key): try file.deletesMessages(settingTyped: key, to: nil)
        default: false
        }
    }

    private func carryOut(asked request: SettingsRequest) async throws(CommandError) -> SettingsReply {
        switch request {
        case .confirmed(let request): return try await carryOut(asked: request)
        case .show(let word): return SettingsReply(try show(word))
        case .themes: return SettingsReply(try showThemes())
        case .set(let key, let words):
            guard file.exists || !hadFile else {
                throw CommandError(
                    .localIO, file.path, "is gone, along with everything set in it",
                    advice: "put it back, or start over with /reload")
            }
            let value = try file.set(typed: key, to: words)
            return try await reread(saying: "\(key) = \(value.text)", changed: try file.setting(typed: key).setting)
        case .unset(let key):
            // A mistyped key is no setting, and is taken out as well.
            let setting = SettingPath(typed: key).flatMap(Setting.at)
            guard try file.unset(typed: key) else { return SettingsReply(["\(key) was not set"]) }
            let words = "\(key) is no longer set"
            do throws(CommandError) {
                return try await reread(saying: words, changed: setting)
            } catch {
                return SettingsReply([words + ", but there are still errors:"] + error.words, isError: true)
            }
        case .reload: return try await reload()
        case .follow: return follow()
        }
    }

    /// Reads the file again and says what is different now, and what will be from the next start on.
    private func reload() async throws(CommandError) -> SettingsReply {
        let isGone = hadFile && !file.exists
        let words =
            isGone
            ? "\(file.path) is gone: nothing is set any more" : "The settings have been reloaded"
        var reply = try await reread(saying: words, changed: nil)
        let now = try file.read()
        let waiting = Setting.all.filter { setting in
            guard setting.effect == .nextStart, let path = SettingPath(typed: setting.key) else { return false }
            return setting.value(now, path) != setting.value(atStart, path)
        }
        if !waiting.isEmpty {
            reply.lines[0] += "; at the next start: " + waiting.map(\.key).joined(separator: ", ")
        }
        return reply
    }

    /// Puts the settings that another front end has written into effect here, too. Mistakes are reported where they are
    /// made.
    private func follow() -> SettingsReply {
        do throws(CommandError) {
            let configuration = try file.read()
            let theme = try file.themes.theme(named: configuration.screen.theme)
            return SettingsReply([], settings: configuration.screen, theme: theme)
        } catch {
            return SettingsReply([])
        }
    }

    private func reread(saying words: String, changed setting: Setting?) async throws(CommandError) -> SettingsReply {
        var configuration = try file.read()
        hadFile = file.exists
        let limited = limit(&configuration) ?? ""
        await apply(configuration)
        let later = (setting?.effect == .nextStart ? " (at the next start)" : "") + limited
        do throws(CommandError) {
            let theme = try file.themes.theme(named: configuration.screen.theme)
            return SettingsReply([words + later], settings: configuration.screen, theme: theme)
        } catch {
            // A theme that cannot be read leaves the colours as they are, and everything else takes effect.
            return SettingsReply([words + later] + error.words, settings: configuration.screen, isError: true)
        }
    }

    // MARK: Showing

    private func show(_ word: String?) throws(CommandError) -> [String] {
        let listing = SettingsListing(try Configuration.text(of: file.path), home: file.home)
        guard let word else {
            let lines = listing.own.map(\.line)
            let head = lines.isEmpty ? "Nothing is set in \(file.path)" : "Set in \(file.path):"
            return [head] + lines + ["/set KEY shows one or a section, /set KEY VALUE changes it"]
        }
        let section = listing.all.filter { $0.key.hasPrefix(word + ".") }
        // Settings for single contacts take precedence over it.
        let ofContacts = listing.all.filter { $0.key.hasPrefix("contact.") && $0.key.hasSuffix(".\(word)") }
        if !section.isEmpty { return (section + ofContacts).map(\.line) }
        let (path, setting) = try file.setting(typed: word)
        let value = listing.value(of: setting, at: path).map { " = " + $0.text } ?? " is not set"
        return ["\(path.text)\(value): \(setting.summary)", "It can be \(setting.form.words)"]
    }

    private func showThemes() throws(CommandError) -> [String] {
        let current = try file.read().screen.theme
        let names = file.themes.names.map { $0 == current ? "\($0) (this one)" : $0 }
        return [
            "Themes: \(names.joined(separator: ", "))", "/theme NAME changes it; your own go to \(file.themes.path)",
        ]
    }
}
