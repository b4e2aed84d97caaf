// The filter's treatment of each scalar of an outside text (PRODUCT "Hostile text", rule 2 and its table).

/// The treatment of one scalar, before its neighbours count.
package enum ScalarRule: Equatable {
    /// Drawn as it is.
    case keep
    /// LF, CR, NEL, LS or PS.
    case lineBreak
    case tab
    /// A C0 control or DEL: drawn as its picture.
    case picture(Unicode.Scalar)
    /// Replaced by a name between `‹` and `›`: C1 controls, bidi embeddings, overrides and isolates.
    case named(String)
    /// Invisible: removed and counted.
    case remove
    /// ZWJ or ZWNJ: kept only where a script or an emoji sequence needs it.
    case joiner
    /// VS15 or VS16: kept only after a character with an emoji form.
    case variationSelector
    /// Looks like a blank but is none; told apart in names.
    case blankLookAlike
    /// Has no meaning outside of its maker's font: drawn as `□`.
    case privateUse
    /// Not in the Unicode version of our tables: U+FFFD and its name.
    case unassigned

    package init(_ scalar: Unicode.Scalar) {
        let value = scalar.value
        switch value {
        case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x2FF: self = .keep
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: self = .lineBreak
        case 0x09: self = .tab
        case 0x00...0x1F: self = Unicode.Scalar(0x2400 + value).map(ScalarRule.picture) ?? .remove
        case 0x7F: self = .picture("\u{2421}")
        case 0x80...0x9F: self = .named(String(value, radix: 16, uppercase: true))
        case 0x202A...0x202E, 0x2066...0x2069: self = .named(Self.bidiNames[value] ?? "BIDI")
        case 0x200C, 0x200D: self = .joiner
        case 0xFE0E, 0xFE0F: self = .variationSelector
        case 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x2800, 0x3000: self = .blankLookAlike
        case 0x115F, 0x1160, 0x3164, 0xFFA0: self = .blankLookAlike
        case 0xE000...0xF8FF, 0xF0000...0xFFFFD, 0x100000...0x10FFFD: self = .privateUse
        default:
            if TextWidth.isUnassigned(scalar) {
                self = scalar.properties.isDefaultIgnorableCodePoint ? .remove : .unassigned
            } else {
                self = Self.isInvisible(scalar) ? .remove : .keep
            }
        }
    }

    /// Default-ignorable characters, tags and other format characters without a shape.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint { return true }
        // The few format characters with a shape (signs put in front of numbers) are kept.
        return properties.generalCategory == .format && !prependedSigns.contains(scalar.value)
    }

    private static let prependedSigns: Set<UInt32> = [
        0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD,
    ]

    private static let bidiNames: [UInt32: String] = [
        0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO", 0x202E: "RLO",
        0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI",
    ]

    /// Blanks that are letters or symbols: removed from running text, where nobody types them for their looks.
    package static func isFiller(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x115F, 0x1160, 0x3164, 0xFFA0: true
        default: false
        }
    }

    /// Scripts whose spelling uses ZWJ and ZWNJ: from Arabic to Myanmar, Khmer and Mongolian.
    package static func usesJoiners(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0600...0x109F, 0x1780...0x18AF, 0xA840...0xA87F, 0xA8E0...0xA8FF, 0xAA60...0xAA7F, 0xFB50...0xFDFF,
            0xFE70...0xFEFC, 0x11000...0x11FFF, 0x1E900...0x1E95F:
            true
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// `U+3164`
    package var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
