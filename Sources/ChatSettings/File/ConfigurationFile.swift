// config.toml of a profile: read, checked, and changed one setting at a time. /set and `blipchat config` use it.

import ChatCore
import ChatTUI
import Glibc

/// The file of settings and the themes beside it.
package struct ConfigurationFile: Sendable {
    package let path: String
    let themes: ThemeFolder
    /// Replaces `~/` in paths.
    package let home: String?
    /// Where our name is in the profile: `name` means that one.
    let nameSetting: SettingPath
    /// How long a change waits for those of other processes.
    var patience = Duration.seconds(5)

    package init(paths: HomePaths, home: String?) {
        path = paths.configuration
        nameSetting = paths.nameSetting
        themes = ThemeFolder(path: paths.themes)
        self.home = home
    }

    /// Whether there is one. A link that leads nowhere is none.
    var exists: Bool { access(path, F_OK) == 0 }

    package func read() throws(CommandError) -> Configuration { try Configuration.load(from: path, home: home) }

    /// The settings in it, once nothing is wrong in it or in the theme that it names; throws all faults, as one error.
    package func checked() throws(CommandError) -> Configuration {
        let (configuration, problems) = try examined()
        if let error = CommandError.inSettings(problems) { throw error }
        return configuration
    }

    /// Everything that is wrong in it, from top to bottom.
    package func problems() throws(CommandError) -> [CommandError] { try examined().problems }

    private func examined() throws(CommandError) -> (configuration: Configuration, problems: [CommandError]) {
        var problems: [ConfigurationError] = []
        let text = try Configuration.text(of: path)
        let configuration = Configuration(text: text, home: home, problems: &problems)
        var slip: CommandError?
        do throws(CommandError) {
            _ = try themes.theme(named: configuration.screen.theme)
        } catch {
            // A name that no theme has is a mistake in this file; a mistake in the theme's own file has its own place.
            if themes.names.contains(configuration.screen.theme) {
                slip = error
            } else {
                var others: [ConfigurationError] = []
                let entry = ConfigurationReader.read(text, problems: &others).last { $0.key == "ui.theme" }
                let position = entry?.position ?? TextPosition(line: 1, column: 1)
                problems.append(
                    ConfigurationError(
                        position: position, reason: "\(error.subject): \(error.reason)", advice: error.advice))
                problems.sort { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
            }
        }
        return (configuration, problems.map { CommandError($0, in: path) } + (slip.map { [$0] } ?? []))
    }

    /// Which setting a user means by a key: of one without its section, the only one that is called so.
    package func setting(typed key: String) throws(CommandError) -> (path: SettingPath, setting: Setting) {
        guard let path = settingPath(typed: key) else {
            throw CommandError(.usage, "\"\(key)\"", "not a key", advice: "write it like ui.theme")
        }
        if let setting = Setting.at(path) { return (path, setting) }
        let namesakes = path.section.isEmpty ? Setting.plain.filter { $0.key.hasSuffix("." + path.name) } : []
        guard namesakes.count == 1, let setting = namesakes.first, let full = SettingPath(typed: setting.key)
        else { throw CommandError(.usage, key, "unknown key", advice: Setting.advice(for: path)) }
        return (full, setting)
    }

    private func settingPath(typed key: String) -> SettingPath? {
        key == "name" ? nameSetting : SettingPath(typed: key)
    }

    /// Writes what a user typed as the value of a key, and returns what was written.
    package func set(typed key: String, to words: String) throws(CommandError) -> ConfigurationValue {
        let (path, setting) = try setting(typed: key)
        guard let value = setting.value(typed: words, at: path, home: home) else {
            let advice = setting.advice(.string(words), path)
            let shown = words.isEmpty ? "empty" : words
            throw CommandError(.usage, key, "cannot be \(shown)", advice: advice ?? "write \(setting.form.words)")
        }
        if path.text == "ui.theme", case .string(let name) = value { _ = try themes.theme(named: name) }
        try set(path, to: value)
        return value
    }

    /// Whether a change (with `nil`: back to the default) would make messages go because of their age. A change that cannot
    /// be made deletes nothing.
    func deletesMessages(settingTyped key: String, to words: String?) throws(CommandError) -> Bool {
        guard SettingPath(typed: key)?.name == "keep", case let (path, setting) = try setting(typed: key) else {
            return false
        }
        let text = try Configuration.contents(of: self.path).text
        var editor = ConfigurationEditor(text)
        if let words {
            guard let value = setting.value(typed: words, at: path, home: home) else { return false }
            editor.set(path, to: value)
        } else {
            _ = editor.unset(path)
        }
        func rules(_ text: String) -> RetentionRules {
            var problems: [ConfigurationError] = []
            return Configuration(text: text, home: home, problems: &problems).retentionRules
        }
        return rules(editor.text).deletesMore(than: rules(text))
    }

    /// Writes a value that its setting takes.
    package func set(_ setting: SettingPath, to value: ConfigurationValue) throws(CommandError) {
        try change { $0.set(setting, to: value) }
    }

    /// Goes back to the default; `false` when the key was not set. A key that is not known can be taken out, too: the
    /// check complains of it.
    package func unset(typed key: String) throws(CommandError) -> Bool {
        var wasSet = false
        if let path = settingPath(typed: key) { try change { wasSet = $0.unset(path) } }
        if !wasSet, case let path = try setting(typed: key).path, path.text != key {
            try change { wasSet = $0.unset(path) }
        }
        return wasSet
    }

    /// Copies the settings of one contact to another name, in place of those it had. `false` when there are none.
    package func copyContact(_ old: String, to new: String) throws(CommandError) -> Bool {
        var isThere = false
        try change { isThere = $0.copyContact(old, to: new) }
        return isThere
    }

    /// Moves the settings of one contact to a contact of another name, or with `nil` removes them. `false` when there
    /// are none.
    package func moveContact(_ old: String, to new: String?) throws(CommandError) -> Bool {
        var isThere = false
        try change { isThere = $0.moveContact(old, to: new) }
        return isThere
    }

    private func problems(in text: String) -> [ConfigurationError] {
        var problems: [ConfigurationError] = []
        _ = Configuration(text: text, home: home, problems: &problems)
        return problems
    }

    /// Nobody else changes the file between reading and writing, so that no change is lost.
    private func change(_ edit: (inout ConfigurationEditor) -> Void) throws(CommandError) {
        let lock: FolderLock
        do throws(SystemError) {
            lock = try FolderLock(folder, patience: patience)
        } catch {
            throw CommandError(
                .localIO, path, "another process has locked the settings", advice: "try again")
        }
        try lock.hold { isHeld throws(CommandError) in try change(edit, alone: isHeld) }
    }

    /// The folder of the file that is replaced, with links followed.
    private var folder: String {
        do throws(SystemError) {
            return HomePaths.parent(of: try SmallFile.followed(path))
        } catch {
            // The link leads nowhere; writing reports that.
            return HomePaths.parent(of: path)
        }
    }

    private func change(
        _ edit: (inout ConfigurationEditor) -> Void, alone: Bool
    ) throws(CommandError) {
        let (text, hasMark) = try Configuration.contents(of: path)
        var editor = ConfigurationEditor(text)
        edit(&editor)
        guard editor.text != text else { return }
        // A fault elsewhere keeps everything from taking effect; a change that mends it is welcome.
        let (before, after) = (problems(in: text), problems(in: editor.text))
        // The file stays as it was: a fault that it had before is still at the place that the error names.
        if let problem = before.first ?? after.first, after.count >= before.count {
            var error = CommandError(problem, in: path)
            error.reason += ", so the file is unchanged"
            throw error
        }
        do throws(SystemError) {
            try SmallFile.replace(path, with: (hasMark ? "\u{FEFF}" : "") + editor.text, alone: alone)
        } catch {
            throw .system(path, "cannot write the configuration", error.code)
        }
    }
}
