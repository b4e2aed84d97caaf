// Turns the file name that a peer offers into one that is safe on disk (PRODUCT "Hostile text" 3).

/// Names of received files. Works on Unicode scalars and bytes, never on Characters (RELIABILITY 4).
enum FileNameSanitizer {
    /// Bytes of the longest name that results: room stays for ` (999)` and for the partial file's ending.
    static let maximumBytes = 190

    /// One path component without anything that draws wrongly, hides, escapes or means something to a shell or
    /// another system; `otherwise` when nothing is left.
    static func sanitized(_ raw: String, otherwise: String = "file") -> String {
        // Both separators: the sender may live on another system.
        let lastComponent = raw.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last.map(Array.init) ?? []
        var scalars: [Unicode.Scalar] = []
        for scalar in lastComponent {
            if scalar.properties.isWhitespace {
                scalars.append(" ")
            } else if isAllowed(scalar) {
                scalars.append(scalar)
            }
        }
        // A name that is left with nothing but its ending keeps that as an ending.
        if scalars.first == ".", lastComponent.first != "." {
            scalars.insert(contentsOf: otherwise.unicodeScalars, at: 0)
        }
        while let first = scalars.first, first == "." || first == "-" || first == " " || first == "~" {
            scalars.removeFirst()
        }
        scalars = shortened(trimmed(scalars))
        var name = String(String.UnicodeScalarView(scalars))
        if name.isEmpty { name = otherwise }
        guard isReserved(name) else { return name }
        return String(String.UnicodeScalarView(shortened(Array("_\(name)".unicodeScalars))))
    }

    /// Without dots and blanks at the end, which other systems take away.
    private static func trimmed(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        Array(scalars[..<(scalars.lastIndex { $0 != "." && $0 != " " }.map { $0 + 1 } ?? 0)])
    }

    /// The name of a partial file: `.NAME.ID.blip-part`.
    static func partialName(_ raw: String, _ id: MessageID) -> String { ".\(sanitized(raw)).\(id.text).blip-part" }

    /// The name of what is written down about a partial file: `.NAME.ID.blip-part-map`.
    static func mapName(_ raw: String, _ id: MessageID) -> String { partialName(raw, id) + mapEnding }

    /// The transfer whose partial file, or the record beside it, has this name; `nil` when it is no such name.
    static func transferID(ofPartial name: String) -> MessageID? {
        var bytes = Array(name.utf8)
        if bytes.suffix(mapEnding.utf8.count).elementsEqual(mapEnding.utf8) { bytes.removeLast(mapEnding.utf8.count) }
        guard bytes.first == UInt8(ascii: "."), bytes.suffix(partialEnding.count).elementsEqual(partialEnding) else {
            return nil
        }
        let rest = bytes.dropLast(partialEnding.count)
        guard rest.count > 38, rest[rest.endIndex - 37] == UInt8(ascii: ".") else { return nil }
        return MessageID(String(decoding: rest.suffix(36), as: UTF8.self))
    }

    private static let partialEnding = Array(".blip-part".utf8)
    private static let mapEnding = "-map"

    /// `x.txt` for 1, `x (2).txt` for 2, and so on; a folder's name has no ending. `name` must be sanitised.
    static func numbered(_ name: String, _ number: Int, isFolder: Bool = false) -> String {
        guard number > 1 else { return name }
        if isFolder { return "\(name) (\(number))" }
        let (stem, ending) = split(Array(name.unicodeScalars))
        return String(String.UnicodeScalarView(stem)) + " (\(number))" + String(String.UnicodeScalarView(ending))
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return false
        default: break
        }
        if scalar.properties.isDefaultIgnorableCodePoint { return false }
        switch scalar {
        case "<", ">", ":", "\"", "|", "?", "*": return false
        default: return true
        }
    }

    /// The part before the last dot, and the rest with the dot if it is short enough for an ending.
    private static func split(_ scalars: [Unicode.Scalar]) -> (stem: [Unicode.Scalar], ending: [Unicode.Scalar]) {
        guard let dot = scalars.lastIndex(of: "."), dot > 0 else { return (scalars, []) }
        let ending = Array(scalars[dot...])
        return byteCount(ending) <= 16 ? (Array(scalars[..<dot]), ending) : (scalars, [])
    }

    /// Cuts the stem so that the whole fits, at a scalar, and keeps the ending.
    private static func shortened(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        guard byteCount(scalars) > maximumBytes else { return scalars }
        let (stem, ending) = split(scalars)
        var room = maximumBytes - byteCount(ending)
        var kept: [Unicode.Scalar] = []
        for scalar in stem {
            room -= UTF8.width(scalar)
            if room < 0 { break }
            kept.append(scalar)
        }
        // Where it was cut may have been a blank.
        return ending.isEmpty ? trimmed(kept) : kept + ending
    }

    private static func byteCount(_ scalars: [Unicode.Scalar]) -> Int { scalars.reduce(0) { $0 + UTF8.width($1) } }

    /// Device names of Windows, with or without an ending, also with blanks before it ("Naming Files, Paths, and
    /// Namespaces").
    private static func isReserved(_ name: String) -> Bool {
        var stem = name.unicodeScalars.prefix { $0 != "." }
        while stem.last == " " { stem.removeLast() }
        let upper = String(stem).uppercased()
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(upper) { return true }
        guard upper.unicodeScalars.count == 4, let number = upper.unicodeScalars.last else { return false }
        return deviceNumbers.contains(number) && (upper.hasPrefix("COM") || upper.hasPrefix("LPT"))
    }

    private static let deviceNumbers = Set("0123456789\u{B9}\u{B2}\u{B3}".unicodeScalars)
}
