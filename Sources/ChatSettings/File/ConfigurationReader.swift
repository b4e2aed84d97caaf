// Reads config.toml and theme files: a strict subset of TOML, so that a mistake is found where it was made.

/// Understands comments, `[section]` and `[section.part]`, and keys with strings ("..." with escapes, '...' without),
/// whole numbers and booleans. Everything else of TOML is refused by name.
package struct ConfigurationReader {
    private var line: [Unicode.Scalar] = []
    private var lineNumber = 0
    private var column = 0
    private var section = ""
    private var contact: String?
    /// The line that should have begun a section cannot be read: whose keys follow is not known.
    private var isLost = false
    private var entries: [ConfigurationEntry] = []
    /// The entries that have been read, by their meaning.
    private var known: [SettingPath: ConfigurationEntry] = [:]
    /// Where sections begin, by their headings: paths without a name.
    private var sections: [SettingPath: TextPosition] = [:]

    /// The entries that can be read, from top to bottom; errors are added to `problems`, at most one for a line.
    package static func read(_ text: String, problems: inout [ConfigurationError]) -> [ConfigurationEntry] {
        document(text, problems: &problems).entries
    }

    /// The same, and where sections begin, also those without keys.
    static func document(
        _ text: String, problems: inout [ConfigurationError]
    ) -> (entries: [ConfigurationEntry], sections: [SettingPath: TextPosition]) {
        var reader = ConfigurationReader()
        for line in lines(of: text) {
            reader.line = line
            reader.lineNumber += 1
            reader.column = 0
            do throws(ConfigurationError) {
                try reader.readLine()
            } catch {
                problems.append(error)
            }
        }
        return (reader.entries, reader.sections)
    }

    /// The lines without their ends: LF or CR LF.
    static func lines(of text: String) -> [[Unicode.Scalar]] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            Array(line.last == "\r" ? line.dropLast() : line)
        }
    }

    /// Whether a line begins a section, or was meant to: the lines below it do not belong to the section above.
    static func isHeading(_ line: [Unicode.Scalar]) -> Bool { line.first { $0 != " " && $0 != "\t" } == "[" }

    /// The section that a line begins; `nil` when it begins none.
    static func section(of line: [Unicode.Scalar]) -> (section: String, contact: String?)? {
        var reader = ConfigurationReader()
        reader.line = line
        reader.skipBlanks()
        guard reader.current == "[", (try? reader.readSection()) != nil else { return nil }
        return (reader.section, reader.contact)
    }

    private var current: Unicode.Scalar? { column < line.count ? line[column] : nil }
    private var position: TextPosition { TextPosition(line: lineNumber, column: column + 1) }

    private func error(_ reason: String, _ advice: String? = nil) -> ConfigurationError {
        ConfigurationError(position: position, reason: reason, advice: advice)
    }

    private mutating func skipBlanks() {
        while current == " " || current == "\t" { column += 1 }
    }

    private mutating func expectEnd(behind what: String) throws(ConfigurationError) {
        skipBlanks()
        guard current == nil || current == "#" else { throw error("text after \(what)", "put # before a comment") }
    }

    private mutating func readLine() throws(ConfigurationError) {
        skipBlanks()
        guard let first = current, first != "#" else { return }
        if first == "[" {
            let start = position
            isLost = true
            try readSection()
            isLost = false
            try expectEnd(behind: "the section")
            return try refuseSecond(at: start)
        }
        try readEntry()
    }

    private mutating func readEntry() throws(ConfigurationError) {
        let start = position
        let name = try key()
        skipBlanks()
        if current == "." {
            let key = line.prefix { $0 != "=" }.filter { $0 != " " && $0 != "\t" }
            let path = SettingPath(typed: String(String.UnicodeScalarView(key)))
            throw error(
                "dotted keys are not supported",
                path.map { "write [\($0.section)] on a line of its own, and \($0.name) below it" })
        }
        guard current == "=" else { throw error("= is missing after \(name)") }
        column += 1
        skipBlanks()
        let valueStart = column
        let value = try value(of: name)
        let range = valueStart..<column
        try expectEnd(behind: "the value")
        guard !isLost else { return }
        let path = SettingPath(section: section, contact: contact, name: name)
        let entry = ConfigurationEntry(path: path, value: value, position: start, valueRange: range)
        if let first = known.updateValue(entry, forKey: path.meaning) {
            known[path.meaning] = first
            let reason =
                first.path.name == path.name
                ? "\(path.key) appears twice"
                : "\(path.key) is the same as \(first.key) in line \(first.position.line)"
            throw ConfigurationError(position: start, reason: reason, advice: "remove one")
        }
        entries.append(entry)
    }

    private mutating func readSection() throws(ConfigurationError) {
        column += 1
        guard current != "[" else { throw error("arrays of tables are not supported") }
        skipBlanks()
        section = try bareKey()
        contact = nil
        while current == "." {
            column += 1
            if section == "contact" {
                guard current == "\"" else {
                    throw error("a contact's name needs quotation marks", "write [contact.\"NAME\"]")
                }
                contact = try basicString()
                break
            }
            section += "." + (try bareKey())
        }
        skipBlanks()
        guard current == "]" else { throw error("] is missing") }
        column += 1
    }

    /// A section may be defined once (https://toml.io/en/v1.0.0#table).
    private mutating func refuseSecond(at start: TextPosition) throws(ConfigurationError) {
        let heading = SettingPath(section: section, contact: contact, name: "").meaning
        guard let first = sections.updateValue(start, forKey: heading) else { return }
        sections[heading] = first
        let words = contact.map { "\(section).\(ConfigurationValue.string($0).text)" } ?? section
        throw ConfigurationError(
            position: start, reason: "[\(words)] appears twice", advice: "put its keys below line \(first.line)")
    }

    private mutating func key() throws(ConfigurationError) -> String {
        current == "\"" ? try basicString() : try bareKey()
    }

    private mutating func bareKey() throws(ConfigurationError) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = current, scalar.isBareKey {
            name.append(scalar)
            column += 1
        }
        guard !name.isEmpty else { throw error("a key is missing") }
        return String(name)
    }

    private mutating func value(of name: String) throws(ConfigurationError) -> ConfigurationValue {
        if let quote = current, quote == "\"" || quote == "'", line[column...].starts(with: [quote, quote, quote]) {
            throw error("multi-line text is not supported", "write it on one line, with \\n between")
        }
        switch current {
        case "\"": return .string(try basicString())
        case "'": return .string(try literalString())
        case nil, "#": throw error("the value of \(name) is missing")
        case "[", "{": throw error("lists and tables are not supported as values")
        default: break
        }
        let start = position
        var word = String.UnicodeScalarView()
        while let scalar = current, scalar != " ", scalar != "\t", scalar != "#" {
            word.append(scalar)
            column += 1
        }
        let text = String(word)
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            guard let number = Int64(text), String(number) == text else {
                throw Self.noValue(text, SettingPath(section: section, contact: contact, name: name), at: start)
            }
            return .integer(number)
        }
    }

    /// The error for an unreadable value: one meant as a number is not text without quotation marks.
    private static func noValue(_ text: String, _ path: SettingPath, at start: TextPosition) -> ConfigurationError {
        let isNumber =
            text.utf8.contains { (0x30...0x39).contains($0) }
            && text.unicodeScalars.allSatisfy { "+-._0123456789eE".unicodeScalars.contains($0) }
        let known = Setting.at(path)?.form
        guard isNumber else {
            // `False` is meant as no text.
            let form = known == .flag ? known : nil
            return ConfigurationError(
                position: start, reason: "\(text) is neither a number nor true or false",
                advice: form.map { "write \($0.words)" } ?? "put text in quotation marks")
        }
        let form = known?.words ?? "digits only"
        return ConfigurationError(
            position: start, reason: "\(text) is not a whole number, or is too large", advice: "write \(form)")
    }

    private mutating func literalString() throws(ConfigurationError) -> String {
        column += 1
        var text = String.UnicodeScalarView()
        while let scalar = current {
            column += 1
            if scalar == "'" { return String(text) }
            text.append(scalar)
        }
        throw error("the closing ' is missing")
    }

    private mutating func basicString() throws(ConfigurationError) -> String {
        column += 1
        var text = String.UnicodeScalarView()
        while let scalar = current {
            column += 1
            switch scalar {
            case "\"": return String(text)
            case "\\": text.append(try escape())
            default: text.append(scalar)
            }
        }
        throw error("the closing \" is missing")
    }

    private mutating func escape() throws(ConfigurationError) -> Unicode.Scalar {
        guard let scalar = current else { throw error("the closing \" is missing") }
        column += 1
        switch scalar {
        case "\"", "\\": return scalar
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "u": return try unicodeEscape(digits: 4)
        case "U": return try unicodeEscape(digits: 8)
        default: throw error("unknown escape \\\(scalar)", "write \\\\ for one backslash")
        }
    }

    private mutating func unicodeEscape(digits: Int) throws(ConfigurationError) -> Unicode.Scalar {
        let text = String(String.UnicodeScalarView(line[column..<min(column + digits, line.count)]))
        guard text.utf8.count == digits, text.utf8.first != UInt8(ascii: "+"), let value = UInt32(text, radix: 16),
            let scalar = Unicode.Scalar(value)
        else { throw error("a broken Unicode escape") }
        column += digits
        return scalar
    }
}
