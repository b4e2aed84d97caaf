// Changes one setting in the text of config.toml and leaves everything else as its writer left it: comments, order,
// blank lines, ends of lines.

import ChatCore

/// The text of a configuration file that is being changed.
struct ConfigurationEditor {
    private struct Line {
        var scalars: [Unicode.Scalar]
        /// It ends with CR and LF.
        var hasReturn: Bool
    }

    private var lines: [Line]
    /// The last line has its end, too.
    private var isEnded: Bool
    /// A CR follows a last line that has no end.
    private var hasStrayReturn = false

    init(_ text: String) {
        lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let hasReturn = line.last == "\r"
            return Line(scalars: Array(hasReturn ? line.dropLast() : line), hasReturn: hasReturn)
        }
        isEnded = lines.last.map { $0.scalars.isEmpty && !$0.hasReturn } ?? true
        guard var last = lines.popLast(), !isEnded else { return }
        hasStrayReturn = last.hasReturn
        // Should its end come to be, it is as the others are; one that ends with CR and CR keeps the first of them as it is.
        last.hasReturn = lines.first?.hasReturn ?? false || last.scalars.last == "\r"
        lines.append(last)
    }

    var text: String {
        let ended = lines.map { String(String.UnicodeScalarView($0.scalars)) + ($0.hasReturn ? "\r\n" : "\n") }.joined()
        guard !isEnded, let last = lines.last else { return ended }
        // Scalars: CR and LF are one character.
        return String(ended.unicodeScalars.dropLast(last.hasReturn ? 2 : 1)) + (hasStrayReturn ? "\r" : "")
    }

    /// A line that ends as the first one does.
    private func line(_ words: String) -> Line {
        Line(scalars: Array(words.unicodeScalars), hasReturn: lines.first?.hasReturn ?? false)
    }

    /// Gives `path` a value: where it is already, else at the end of its section, else in a new section at the end.
    mutating func set(_ path: SettingPath, to value: ConfigurationValue) {
        if let entry = entry(of: path) {
            lines[entry.position.line - 1].scalars.replaceSubrange(
                entry.valueRange, with: Array(value.text.unicodeScalars))
            return
        }
        if let index = brokenLine(of: path) {
            lines[index].scalars = line("\(ConfigurationValue.quotedKey(path.name)) = \(value.text)").scalars
            return
        }
        let line = line("\(ConfigurationValue.quotedKey(path.name)) = \(value.text)")
        if let place = endOfSection(path) {
            lines.insert(line, at: place)
            if place == lines.count - 1 { isEnded = true }
            // The first key of a file that begins with a section.
            if path.section.isEmpty, place == 0, lines.count > 1, !lines[1].scalars.isEmpty {
                lines.insert(self.line(""), at: 1)
            }
            return
        }
        if lines.last?.scalars.isEmpty == false { lines.append(self.line("")) }
        let contact = path.contact.map { "." + ConfigurationValue.string($0).text } ?? ""
        lines.append(self.line("[\(path.section)\(contact)]"))
        lines.append(line)
        isEnded = true
    }

    /// Takes `path` out; a comment after it stays. Returns whether it was there.
    mutating func unset(_ path: SettingPath) -> Bool {
        guard let entry = entry(of: path) else {
            guard let index = brokenLine(of: path) else { return false }
            lines.remove(at: index)
            return true
        }
        let index = entry.position.line - 1
        let rest = lines[index].scalars[entry.valueRange.upperBound...].drop { $0 == " " || $0 == "\t" }
        if rest.isEmpty { lines.remove(at: index) } else { lines[index].scalars = Array(rest) }
        return true
    }

    /// Renames the sections of a contact, or with `nil` takes them out with all that is in them. Sections left over
    /// from somebody else under the new name go. Returns whether there was one.
    mutating func moveContact(_ old: String, to new: String?) -> Bool {
        let (old, wanted) = (ContactNames.folded(old), new.map(ContactNames.folded))
        guard lines.contains(where: { Self.contact(of: $0.scalars) == old }) else { return false }
        var kept: [Line] = []
        var isDropping = false
        for line in lines {
            if ConfigurationReader.isHeading(line.scalars) { isDropping = false }
            if let section = ConfigurationReader.section(of: line.scalars) {
                let contact = section.section == "contact" ? section.contact.map(ContactNames.folded) : nil
                isDropping = contact != nil && (contact == old ? new == nil : contact == wanted)
                if let new, contact == old {
                    var renamed = line
                    renamed.scalars = Array("[contact.\(ConfigurationValue.string(new).text)]".unicodeScalars)
                    kept.append(renamed)
                    continue
                }
            }
            if !isDropping { kept.append(line) }
        }
        lines = kept
        return true
    }

    /// Puts the sections of a contact in under another name, each before the one that it is made from. Sections left
    /// over from somebody else under that name go. Returns whether there was one.
    mutating func copyContact(_ old: String, to new: String) -> Bool {
        let (old, wanted) = (ContactNames.folded(old), ContactNames.folded(new))
        guard old != wanted, lines.contains(where: { Self.contact(of: $0.scalars) == old }) else { return false }
        // The first element has the lines above the first section, which belong to none.
        var sections: [ArraySlice<Line>] = [[]]
        for line in lines {
            if ConfigurationReader.isHeading(line.scalars) { sections.append([]) }
            sections[sections.count - 1].append(line)
        }
        lines = sections.flatMap { section -> [Line] in
            let contact = section.first.flatMap { Self.contact(of: $0.scalars) }
            if contact == wanted { return [] }
            guard contact == old, let head = section.first else { return Array(section) }
            var renamed = head
            renamed.scalars = Array("[contact.\(ConfigurationValue.string(new).text)]".unicodeScalars)
            return [renamed] + section.dropFirst() + section
        }
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

    /// A line that gives `path` a value which cannot be read.
    private func brokenLine(of path: SettingPath) -> Int? {
        // Nobody knows which section the lines below an unreadable heading belong to.
        var section: (section: String, contact: String?)? = ("", nil)
        for (index, line) in lines.enumerated() {
            if ConfigurationReader.isHeading(line.scalars) {
                section = ConfigurationReader.section(of: line.scalars)
                continue
            }
            guard let section, let sign = line.scalars.firstIndex(of: "=") else { continue }
            var scalars = line.scalars[..<sign].drop { $0 == " " || $0 == "\t" }
            while let last = scalars.last, last == " " || last == "\t" { scalars.removeLast() }
            let words = String(String.UnicodeScalarView(scalars))
            let isQuoted = words.utf8.count > 1 && words.hasPrefix("\"") && words.hasSuffix("\"")
            let name = isQuoted ? String(words.dropFirst().dropLast()) : words
            let found = SettingPath(section: section.section, contact: section.contact, name: name)
            if !name.hasPrefix("#"), found.meaning == path.meaning { return index }
        }
        return nil
    }

    /// The line before which a new entry of the section of `path` belongs; `nil` when there is no such section.
    private func endOfSection(_ path: SettingPath) -> Int? {
        let folded = path.meaning.contact
        var isInside = path.section.isEmpty
        var place: Int? = isInside ? 0 : nil
        for (index, line) in lines.map(\.scalars).enumerated() {
            if ConfigurationReader.isHeading(line) {
                if path.section.isEmpty { break }
                let section = ConfigurationReader.section(of: line)
                isInside = section?.section == path.section && section?.contact.map(ContactNames.folded) == folded
                if isInside { place = index + 1 }
            } else if isInside, let first = line.first(where: { $0 != " " && $0 != "\t" }) {
                // After the last entry; what is above the first section begins with the file's own comment.
                if first != "#" || (path.section.isEmpty && place == index) { place = index + 1 }
            }
        }
        // The comment right above the first section is that section's.
        if path.section.isEmpty, let place, place > 0, place < lines.count,
            ConfigurationReader.isHeading(lines[place].scalars), lines[place - 1].scalars.first == "#"
        {
            var start = place
            while start > 0, lines[start - 1].scalars.first == "#" { start -= 1 }
            return start
        }
        return place
    }
}
