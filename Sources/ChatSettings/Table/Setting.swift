// One key of config.toml: what may be written, what it means and where it goes. Reading, /set, `blipchat config`, the
// completion and the manual page are all made from the table of these values.

import ChatWords

/// A row of the table of settings.
package struct Setting: Sendable {
    /// When a change takes effect.
    package enum Effect: Sendable {
        case atOnce
        case nextStart
    }

    /// With the section: `ui.list_width`. The sections `contact`, `keys`, `alias` and `names` have names of the user's instead
    /// of a fixed place or key.
    package let key: String
    package let form: Form
    /// Its purpose, as one sentence without a full stop.
    package let summary: String
    package let effect: Effect
    /// Puts a value into the configuration; `false`: it cannot be this.
    let put: @Sendable (inout Configuration, ConfigurationValue, Context) -> Bool
    /// Advice about an impossible value, where more can be said than its form.
    var advice: @Sendable (ConfigurationValue, SettingPath) -> String? = { _, _ in nil }
    /// The value in a configuration; `nil`: none is set, and there is no fixed default.
    package let value: @Sendable (Configuration, SettingPath) -> ConfigurationValue?

    /// The facts outside a value that its meaning depends on.
    struct Context: Sendable {
        /// The path of the setting.
        var path: SettingPath
        /// Replaces `~/` in paths.
        var home: String?
    }

    /// Without its section: `list_width`.
    private var lastName: String { key.split(separator: ".").last.map(String.init) ?? key }

    /// In the order of PRODUCT, "Config".
    package static let all: [Setting] = general + screen + conversation + limits + perContact + named

    /// Those whose keys are whole: no name of the user's belongs into them.
    package static var plain: [Setting] { all.filter { !$0.key.hasSuffix(".NAME") && !$0.key.hasPrefix("contact.") } }

    /// The setting with a key. The first table has the settings that most people set: the others are made only
    /// for a key of theirs, or for one that does not exist.
    private static func find(_ key: String) -> Setting? {
        general.first { $0.key == key } ?? all.first { $0.key == key }
    }

    /// The setting at a path; `nil` when there is none.
    static func at(_ path: SettingPath) -> Setting? {
        switch path.section {
        case "keys", "alias", "names": find("\(path.section).NAME")
        case "contact": path.contact == nil ? nil : find(path.key)
        default: path.name == "NAME" ? nil : find(path.key)
        }
    }

    /// The setting of an entry; throws what is wrong with its key.
    static func of(_ entry: ConfigurationEntry) throws(ConfigurationError) -> Setting {
        if let setting = at(entry.path) { return setting }
        if entry.path.section == "contact", entry.contact == nil, find(entry.key) != nil {
            throw ConfigurationError(
                position: entry.position, reason: "whose?", advice: "write it below [contact.\"NAME\"]")
        }
        throw ConfigurationError(
            position: entry.position, reason: "unknown key \(entry.key)", advice: advice(for: entry.path))
    }

    /// Advice about a key that does not exist.
    static func advice(for path: SettingPath) -> String {
        let keys = all.map(\.key)
        if keys.contains(path.key), path.section == "contact" { return "say whose: contact.NAME.\(path.name)" }
        if let near = NearestName.to(path.key, among: keys) { return "did you mean \(near)?" }
        // Right name, wrong section.
        let sameName = keys.filter { $0 == path.name || $0.hasSuffix("." + path.name) }
        if !sameName.isEmpty { return "did you mean \(sameName.joined(separator: " or "))?" }
        if path.section.isEmpty, let near = NearestName.to(path.name, among: plain.map { $0.lastName }),
            let meant = plain.first(where: { $0.lastName == near })
        {
            return "did you mean \(meant.key)?"
        }
        let section = keys.filter { !path.section.isEmpty && $0.hasPrefix(path.section + ".") }
        if !section.isEmpty { return "[\(path.section)] has \(section.joined(separator: ", "))" }
        if let near = NearestName.to(path.section, among: sections) { return "did you mean [\(near)]?" }
        return "blipchat config list shows them all"
    }

    private static var sections: [String] {
        all.map(\.key).compactMap { key in key.lastIndex(of: ".").map { String(key[..<$0]) } }
    }

    /// Sections that do not exist and have no keys (each of those is said by itself): `besides` have some.
    static func unknown(
        _ headings: [SettingPath: TextPosition], besides others: Set<String>
    ) -> [ConfigurationError] {
        let empty = headings.filter { !others.contains($0.key.section) }
        // Nearly always; the names of all sections take their time.
        guard !empty.isEmpty else { return [] }
        let known = Set(sections)
        return empty.filter { !known.contains($0.key.section) }.map { heading, position in
            let near = NearestName.to(heading.section, among: known.sorted()).map { "did you mean [\($0)]?" }
            return ConfigurationError(
                position: position, reason: "unknown section [\(heading.section)]",
                advice: near ?? "blipchat config list shows them all")
        }
    }

    /// Reads an entry of the file.
    func apply(_ entry: ConfigurationEntry, home: String?, to configuration: inout Configuration)
        throws(ConfigurationError)
    {
        guard put(&configuration, entry.value, Context(path: entry.path, home: home)) else {
            throw ConfigurationError(
                position: entry.position, reason: "\(entry.path.text) cannot be \(entry.value.text)",
                advice: advice(entry.value, entry.path) ?? "write \(form.words)")
        }
    }

    /// The value that a user means by typing `words` after the key, with or without quotation marks; `nil`: it cannot
    /// be this.
    func value(typed words: String, at path: SettingPath, home: String?) -> ConfigurationValue? {
        var candidates: [ConfigurationValue] = []
        switch words.lowercased() {
        case "true", "on", "yes": candidates.append(.bool(true))
        case "false", "off", "no": candidates.append(.bool(false))
        default: break
        }
        if let number = Int64(words) { candidates.append(.integer(number)) }
        // As it would be written in the file, with quotation marks; else as it is.
        var problems: [ConfigurationError] = []
        let entries = ConfigurationReader.read("x = " + words, problems: &problems)
        let read = problems.isEmpty ? entries.first?.value : nil
        if let read { candidates.append(read) }
        // Quotation marks around a value are never part of it, not even when the value is impossible.
        if case .string = read {} else { candidates.append(.string(words)) }
        var scratch = Configuration()
        return candidates.first { put(&scratch, $0, Context(path: path, home: home)) }
    }
}
