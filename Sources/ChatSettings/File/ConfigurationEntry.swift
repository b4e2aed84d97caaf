// The content of config.toml: one entry a line, and what can be wrong with it.

import BLIPNet
import ChatCore
import ChatTUI

/// A place in a text, counted from 1; columns count Unicode scalars.
package struct TextPosition: Sendable, Equatable {
    package var line: Int
    package var column: Int
}

extension TextPosition {
    /// Where a text stops being UTF-8.
    init(ofFirstFault bytes: [UInt8]) {
        self.init(line: 1, column: 1)
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&rest) {
            column += 1
            if scalar == "\n" { self = TextPosition(line: line + 1, column: 1) }
        }
    }
}

/// Which setting is meant: `files.dir`, `contact."Ann".keep`, `keys."Alt-x"`.
package struct SettingPath: Sendable, Hashable {
    /// Empty above the first section.
    package var section: String
    /// The contact that the section `[contact."NAME"]` is about.
    package var contact: String?
    package var name: String

    package init(section: String, contact: String? = nil, name: String) {
        self.section = section
        self.contact = contact
        self.name = name
    }

    /// The key of the table: a contact's name does not belong to it.
    package var key: String { section.isEmpty ? name : "\(section).\(name)" }

    /// As users type it.
    package var text: String {
        let quotedName = ConfigurationValue.quotedKey(name)
        guard let contact else { return section.isEmpty ? quotedName : "\(section).\(quotedName)" }
        return "\(section).\(ConfigurationValue.string(contact).text).\(quotedName)"
    }
}

extension SettingPath {
    /// The same for all spellings that mean the same: contacts are found without regard to case, and keys have several
    /// names.
    var meaning: SettingPath {
        var path = self
        path.contact = contact.map(ContactNames.folded)
        if section == "keys", let known = KeySettings.name(of: name) { path.name = known }
        return path
    }

    /// As users type it, with or without quotation marks around names: `contact.Ann Lee.keep`, `keys.Alt-.`.
    package init?(typed: String) {
        func unquoted(_ text: Substring) -> String {
            let isQuoted = text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
            return String(isQuoted ? text.dropFirst().dropLast() : text)
        }
        for section in ["keys", "alias", "names"] where typed.hasPrefix(section + ".") {
            self.init(section: section, contact: nil, name: unquoted(typed.dropFirst(section.count + 1)))
            return
        }
        guard let dot = typed.lastIndex(of: ".") else {
            self.init(section: "", contact: nil, name: typed)
            return
        }
        let (section, name) = (typed[..<dot], String(typed[typed.index(after: dot)...]))
        if section.hasPrefix("contact.") {
            self.init(section: "contact", contact: unquoted(section.dropFirst("contact.".count)), name: name)
        } else {
            self.init(section: String(section), contact: nil, name: name)
        }
        if name.isEmpty { return nil }
    }
}

/// A value of the file.
package enum ConfigurationValue: Sendable, Equatable {
    case string(String)
    case integer(Int64)
    case bool(Bool)

    /// As it is written in the file.
    package var text: String {
        switch self {
        case .integer(let number): String(number)
        case .bool(let flag): String(flag)
        case .string(let text): Self.quoted(text)
        }
    }

    /// A key as it is written in the file.
    static func quotedKey(_ name: String) -> String {
        let isBare = !name.isEmpty && name.unicodeScalars.allSatisfy(\.isBareKey)
        return isBare ? name : quoted(name)
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                quoted += "\\u\(scalar.value.hex(4))"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension Unicode.Scalar {
    /// May be in a key without quotation marks.
    var isBareKey: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }
}

/// One `key = value` of the file.
package struct ConfigurationEntry: Sendable, Equatable {
    package var path: SettingPath
    package var value: ConfigurationValue
    var position: TextPosition
    /// Where the value is in its line, in Unicode scalars from 0.
    var valueRange: Range<Int>

    var key: String { path.key }
    var contact: String? { path.contact }
}

/// A fault in the file, and its place.
package struct ConfigurationError: Error, Sendable, Equatable {
    var position: TextPosition
    var reason: String
    var advice: String?
}
