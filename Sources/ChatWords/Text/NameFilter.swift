// The further rules for names and file names from outside (PRODUCT "Hostile text", rule 3). Called by TextFilter.

/// Names are short, have no blanks at their ends and are never invisible. File names cannot look like a path, and
/// cannot hide what they are.
package enum NameFilter {
    /// We read this many raw bytes: a name longer than that is cut anyway.
    private static let maxRawBytes = 2_048
    /// Columns that the end of a shortened file name may take, so that its extension stays visible.
    private static let maxEndColumns = 20

    package static func name(_ raw: String) -> SafeText {
        let text = TextFilter.filterText(beginning(of: raw), as: .name)
        return visible(withoutSigns(trimmed(text)), raw: raw).truncated(to: TextFilter.maxNameColumns)
    }

    /// With check marks, and with dots on their own, the screen writes states after a name (`bob · verified`): in a
    /// name they are marked, `bob ‹·› verified`.
    private static func withoutSigns(_ text: SafeText) -> SafeText {
        let clusters = text.clusters
        // Nearly all names.
        guard clusters.contains(where: { dots.contains($0.base) || checkMarks.contains($0.base) }) else { return text }
        var result: [Cluster] = []
        for (index, cluster) in clusters.enumerated() {
            let isBeside = index > 0 && clusters[index - 1].isBlank
            let isBefore = index + 1 < clusters.count && clusters[index + 1].isBlank
            if !cluster.isSubstitute,
                checkMarks.contains(cluster.base) || isBeside && isBefore && dots.contains(cluster.base)
            {
                result += TextFilter.substitute(cluster)
            } else {
                result.append(cluster)
            }
        }
        return SafeText(clusters: result, hiddenCount: text.hiddenCount)
    }

    private static let dots: Set<Unicode.Scalar> = [
        ".", "\u{B7}", "\u{387}", "\u{2022}", "\u{2024}", "\u{2027}", "\u{2219}", "\u{22C5}", "\u{25CF}", "\u{25E6}",
        "\u{2E31}", "\u{30FB}", "\u{FF65}",
    ]
    private static let checkMarks: Set<Unicode.Scalar> = [
        "\u{221A}", "\u{2611}", "\u{2705}", "\u{2713}", "\u{2714}", "\u{1F5F8}", "\u{1F5F9}",
    ]

    /// Separators become `‹/›`, the dot or dash at the front of a hidden file or an option stays but is marked, and
    /// a program says so. A long name loses its middle, never its extension.
    package static func fileName(_ raw: String) -> SafeText {
        var text = SafeText.empty
        var part = ""
        let end = raw.utf8.count > maxRawBytes ? String(raw.unicodeScalars.suffix(maxEndColumns)) : ""
        for scalar in beginning(of: raw).unicodeScalars {
            if scalar == "/" || scalar == "\\" {
                text += TextFilter.filterText(part, as: .fileName)
                text += SafeText(clusters: TextFilter.substitute(String(scalar)))
                part = ""
            } else {
                part.unicodeScalars.append(scalar)
            }
        }
        text += TextFilter.filterText(part + end, as: .fileName)
        text = visible(trimmed(text), raw: raw)
        let notes = repeatedExtension(of: raw) + programNote(of: raw)
        return middleTruncated(text, to: TextFilter.maxNameColumns - notes.width) + notes
    }

    /// The part at the end of `fileName(raw)` that says what the file is: with the note about programs, then without
    /// it. Empty for a name that has no extension.
    package static func ends(of raw: String) -> [SafeText] {
        guard let suffix = fileExtension(of: raw) else { return [] }
        let repeated = repeatedExtension(of: raw)
        let end = repeated.isEmpty ? TextFilter.filterText("." + suffix, as: .fileName) : repeated
        let note = programNote(of: raw)
        return note.isEmpty ? [end] : [end + note, end]
    }

    /// Beside right-to-left letters a terminal may move the extension to the front: it is repeated apart.
    private static func repeatedExtension(of raw: String) -> SafeText {
        guard let suffix = fileExtension(of: raw), hasRightToLeft(raw) else { return .empty }
        return SafeText(clusters: [.blank] + TextFilter.substitute("." + suffix))
    }

    private static func programNote(of raw: String) -> SafeText {
        isProgram(raw) ? SafeText(literal: " (program)") : .empty
    }

    /// Whether opening it would run it on some desktop.
    package static func isProgram(_ raw: String) -> Bool {
        fileExtension(of: raw).map { programExtensions.contains($0.lowercased()) } ?? false
    }

    /// The first bytes, cut between scalars.
    private static func beginning(of raw: String) -> String {
        guard raw.utf8.count > maxRawBytes else { return raw }
        var bytes = 0
        return String(
            String.UnicodeScalarView(
                raw.unicodeScalars.prefix {
                    bytes += UTF8.width($0); return bytes <= maxRawBytes
                }))
    }

    private static func trimmed(_ text: SafeText) -> SafeText {
        let front = text.clusters.drop { $0.isBlank }
        let count = front.reversed().drop { $0.isBlank }.count
        return SafeText(clusters: front.prefix(count), hiddenCount: text.hiddenCount)
    }

    /// A name of which nothing can be seen says so. An empty one stays empty.
    private static func visible(_ text: SafeText, raw: String) -> SafeText {
        guard text.isEmpty, !raw.isEmpty else { return text }
        return SafeText(clusters: TextFilter.substitute("blank"), hiddenCount: text.hiddenCount)
    }

    private static func middleTruncated(_ text: SafeText, to width: Int) -> SafeText {
        guard text.width > width else { return text }
        let limit = min(maxEndColumns, width / 2)
        var end: [Cluster] = []
        var columns = 0
        for cluster in text.clusters.reversed() {
            columns += cluster.width
            guard columns <= limit else { break }
            end.append(cluster)
        }
        let tail = SafeText(clusters: end.reversed())
        return text.truncated(to: width - tail.width) + tail
    }

    /// The text after the last dot: 1 to 16 ASCII letters and digits after a non-empty name, once trailing blanks and
    /// dots (which some systems drop) are gone.
    private static func fileExtension(of raw: String) -> String? {
        var bytes = Array(raw.utf8.suffix(64))
        while let last = bytes.last, last <= 0x20 || last == UInt8(ascii: ".") { bytes.removeLast() }
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return nil }
        let suffix = bytes[(dot + 1)...]
        let isPlain = suffix.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
        }
        return isPlain && (1...16).contains(suffix.count) ? String(decoding: suffix, as: UTF8.self) : nil
    }

    private static func hasRightToLeft(_ raw: String) -> Bool {
        raw.unicodeScalars.contains {
            switch $0.value {
            case 0x0590...0x08FF, 0x202B, 0x202E, 0x2067, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF,
                0x1E800...0x1EFFF:
                true
            default: false
            }
        }
    }

    /// Extensions of files that some desktop would run. Not "bin": data has that name more often than programs do.
    private static let programExtensions: Set<String> = [
        "apk", "app", "appimage", "bash", "bat", "cmd", "com", "cpl", "csh", "deb", "desktop", "dll", "dmg", "elf",
        "exe",
        "fish", "hta", "jar", "js", "jse", "ksh", "lnk", "msi", "msp", "pif", "pkg", "pl", "ps1", "py", "rb", "reg",
        "rpm",
        "run", "scr", "sh", "so", "vbe", "vbs", "wsf", "zsh",
    ]
}
