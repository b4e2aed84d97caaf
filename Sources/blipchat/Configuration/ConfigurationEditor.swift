// Changes one setting in the text of config.toml and leaves everything else as its writer left it: comments, order,
// blank lines, ends of lines.

import ChatCore

/// The text of a configuration file that is being changed.
struct ConfigurationEditor {
    private var lines: [[Unicode.Scalar]]
    /// What stands at the end of each line.
    private let lineEnd: String

    init(_ text: String) {
        lines = ConfigurationReader.lines(of: text)
        lineEnd = text.unicodeScalars.contains("\r") ? "\r\n" : "\n"
        if lines.last?.isEmpty == true { lines.removeLast() }
    }

    var text: String {
        lines.map { String(String.UnicodeScalarView($0)) + lineEnd }.joined()
    }

    /// Gives `path` a value: where it stands already, else at the end of its section, else in a new section at the end.
    mutating func set(_ path: SettingPath, to value: ConfigurationValue) {
        if let entry = entry(of: path) {
            lines[entry.position.line - 1].replaceSubrange(entry.valueRange, with: Array(value.text.unicodeScalars))
            return
        }
        let line = Array("\(ConfigurationValue.quotedKey(path.name)) = \(value.text)".unicodeScalars)
        if let place = endOfSection(path) {
            lines.insert(line, at: place)
            // The first key of a file that begins with a section.
            if path.section.isEmpty, place == 0, lines.count > 1, !lines[1].isEmpty { lines.insert([], at: 1) }
            return
        }
        if lines.last?.isEmpty == false { lines.append([]) }
        let contact = path.contact.map { "." + ConfigurationValue.string($0).text } ?? ""
        lines.append(Array("[\(path.section)\(contact)]".unicodeScalars))
        lines.append(line)
    }

    /// Takes `path` out; a comment behind it stays. Returns whether it was there.
    mutating func unset(_ path: SettingPath) -> Bool {
        guard let entry = entry(of: path) else { return false }
        let index = entry.position.line - 1
        let rest = lines[index][entry.valueRange.upperBound...].drop { $0 == " " || $0 == "\t" }
        if rest.isEmpty { lines.remove(at: index) } else { lines[index] = Array(rest) }
        return true
    }

    /// Renames the sections of a contact, or with `nil` takes them out with all that is in them. What was left of somebody
    /// else under the new name goes. Returns whether there was one.
    mutating func moveContact(_ old: String, to new: String?) -> Bool {
        let (old, wanted) = (ContactNames.folded(old), new.map(ContactNames.folded))
        guard lines.contains(where: { Self.contact(of: $0) == old }) else { return false }
        var kept: [[Unicode.Scalar]] = []
        var isDropping = false
        for line in lines {
            if let section = ConfigurationReader.section(of: line) {
                let contact = section.section == "contact" ? section.contact.map(ContactNames.folded) : nil
                isDropping = contact != nil && (contact == old ? new == nil : contact == wanted)
                if let new, contact == old {
                    kept.append(Array("[contact.\(ConfigurationValue.string(new).text)]".unicodeScalars))
                    continue
                }
            }
            if !isDropping { kept.append(line) }
        }
        lines = kept
        return true
    }

    private static func contact(of line: [Unicode.Scalar]) -> String? {
        guard let section = ConfigurationReader.section(of: line), section.section == "contact" else { return nil }
        return section.contact.map(ContactNames.folded)
    }

    private func entry(of path: SettingPath) -> ConfigurationEntry? {
        var problems: [ConfigurationError] = []
        return ConfigurationReader.read(text, problems: &problems).first { $0.path.meaning == path.meaning }
    }

    /// The line before which a new entry of the section of `path` belongs; `nil` when there is no such section.
    private func endOfSection(_ path: SettingPath) -> Int? {
        let folded = path.meaning.contact
        var isInside = path.section.isEmpty
        var place: Int? = isInside ? 0 : nil
        for (index, line) in lines.enumerated() {
            if let section = ConfigurationReader.section(of: line) {
                if path.section.isEmpty { break }
                isInside = section.section == path.section && section.contact.map(ContactNames.folded) == folded
                if isInside { place = index + 1 }
            } else if isInside, let first = line.first(where: { $0 != " " && $0 != "\t" }) {
                // Behind the last entry; what is above the first section begins with the file's own comment.
                if first != "#" || (path.section.isEmpty && place == index) { place = index + 1 }
            }
        }
        // The comment right above the first section is that section's.
        if path.section.isEmpty, let place, place > 0, place < lines.count,
            ConfigurationReader.section(of: lines[place]) != nil, lines[place - 1].first == "#"
        {
            var start = place
            while start > 0, lines[start - 1].first == "#" { start -= 1 }
            return start
        }
        return place
    }
}
