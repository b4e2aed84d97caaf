// Reads config.toml: a strict subset of TOML, so that a slip is found where it was made.

/// Where something stands in a text, counted from 1; columns count Unicode scalars.
struct TextPosition: Sendable, Equatable {
    var line: Int
    var column: Int
}

/// One `key = value` of the file.
struct ConfigurationEntry: Sendable, Equatable {
    enum Value: Sendable, Equatable {
        case string(String)
        case integer(Int64)
        case bool(Bool)
    }

    /// The section and the key, like `files.dir`; the key alone above the first section.
    var key: String
    /// Whom the section `[contact."NAME"]` is about; its keys are `contact.KEY`.
    var contact: String?
    var value: Value
    var position: TextPosition
}

/// What is wrong in the file, and where.
struct ConfigurationError: Error, Sendable, Equatable {
    var position: TextPosition
    var reason: String
    var advice: String?
}

/// Understands comments, `[section]`, and keys with strings ("..." with escapes, '...' without), whole numbers and
/// booleans. Everything else of TOML is refused by name.
struct ConfigurationReader {
    private var line: [Unicode.Scalar] = []
    private var lineNumber = 0
    private var column = 0
    private var section = ""
    private var contact: String?
    private var entries: [ConfigurationEntry] = []

    static func read(_ text: String) throws(ConfigurationError) -> [ConfigurationEntry] {
        var reader = ConfigurationReader()
        for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
            reader.line = Array(line.last == "\r" ? line.dropLast() : line)
            reader.lineNumber += 1
            reader.column = 0
            try reader.readLine()
        }
        return reader.entries
    }

    private var current: Unicode.Scalar? { column < line.count ? line[column] : nil }
    private var position: TextPosition { TextPosition(line: lineNumber, column: column + 1) }

    private func error(_ reason: String, _ advice: String? = nil) -> ConfigurationError {
        ConfigurationError(position: position, reason: reason, advice: advice)
    }

    private mutating func skipBlanks() {
        while current == " " || current == "\t" { column += 1 }
    }

    private mutating func expectEnd() throws(ConfigurationError) {
        skipBlanks()
        guard current == nil || current == "#" else { throw error("text behind the value", "put # before a comment") }
    }

    private mutating func readLine() throws(ConfigurationError) {
        skipBlanks()
        guard let first = current, first != "#" else { return }
        if first == "[" {
            try readSection()
        } else {
            let start = position
            let name = try bareKey()
            skipBlanks()
            guard current == "=" else { throw error("= is missing behind \(name)") }
            column += 1
            skipBlanks()
            let value = try value(of: name)
            let key = section.isEmpty ? name : "\(section).\(name)"
            guard !entries.contains(where: { $0.key == key && $0.contact == contact }) else {
                throw ConfigurationError(position: start, reason: "\(key) stands here twice", advice: "remove one")
            }
            entries.append(ConfigurationEntry(key: key, contact: contact, value: value, position: start))
        }
        try expectEnd()
    }

    private mutating func readSection() throws(ConfigurationError) {
        column += 1
        guard current != "[" else { throw error("arrays of tables are not understood") }
        skipBlanks()
        section = try bareKey()
        contact = nil
        if current == ".", section == "contact" {
            column += 1
            guard current == "\"" else { throw error("a contact's name is missing", "write [contact.\"NAME\"]") }
            contact = try basicString()
        }
        skipBlanks()
        guard current == "]" else { throw error("] is missing") }
        column += 1
    }

    private mutating func bareKey() throws(ConfigurationError) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = current {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-": name.append(scalar)
            default:
                guard !name.isEmpty else { throw error("a key is missing") }
                return String(name)
            }
            column += 1
        }
        guard !name.isEmpty else { throw error("a key is missing") }
        return String(name)
    }

    private mutating func value(of name: String) throws(ConfigurationError) -> ConfigurationEntry.Value {
        switch current {
        case "\"": return .string(try basicString())
        case "'": return .string(try literalString())
        case nil, "#": throw error("the value of \(name) is missing")
        case "[", "{": throw error("lists and tables are not understood as values")
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
            guard let number = Int64(text), text.utf8.first != UInt8(ascii: "+") else {
                throw ConfigurationError(
                    position: start, reason: "\(text) is neither a number nor true or false",
                    advice: "put text in quotation marks")
            }
            return .integer(number)
        }
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
