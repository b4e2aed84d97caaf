// Marks found words: in brackets, so that it can be read without colours.

import ChatWords
@_spi(_Unicode) import Swift

/// `the [build] [log] is`
enum Highlight {
    /// The text with what the search has found of `words` in brackets: each word that begins with one of them, else the
    /// places where it occurs within a word; without regard to case, accents and the look of emoji. Shown from a little
    /// before the first one, at most `width` columns.
    ///
    /// Without brackets the words are marked by their look alone. So they are where words of both directions meet:
    /// brackets would put them into another order (UAX #9, N0).
    static func line(_ text: SafeText, words: [String], width: Int, inBrackets: Bool = true) -> StyledLine {
        let clusters = text.clusters
        let folded = clusters.map(fold)
        var marked: [Range<Int>] = []
        for needle in words.map({ Array(fold($0)) }) where !needle.isEmpty {
            let atStarts = places(of: needle, in: folded, onlyAtStarts: true)
            marked += atStarts.isEmpty ? places(of: needle, in: folded, onlyAtStarts: false) : atStarts
        }
        let isMixed = BidiParagraph(clusters) != nil && clusters.contains { BidiClass($0) == .l }
        return line(clusters, joined(marked), width: width, inBrackets && !isMixed)
    }

    private static func line(
        _ clusters: [Cluster], _ marked: [Range<Int>], width: Int, _ inBrackets: Bool
    ) -> StyledLine {
        var line = StyledLine()
        var place = 0
        // A hit far to the right is brought into view.
        if let first = marked.first,
            columns(clusters[..<first.upperBound]) + 2 + (first.upperBound < clusters.count ? 1 : 0) > width
        {
            var start = first.lowerBound
            // The whole word, its brackets, and `…` on both sides.
            var room = max(0, min(width / 3, width - columns(clusters[first]) - 4))
            while start > 0, room > 0 {
                start -= 1
                room -= clusters[start].width
            }
            // Room that is left after the text is used before it.
            var whole = 1 + columns(clusters[start...]) + 2 * marked.count
            while start > 0, whole + clusters[start - 1].width <= width {
                start -= 1
                whole += clusters[start].width
            }
            place = start
            line.add(SafeText(literal: "…"), Theme.quiet)
        }
        for range in marked {
            line.add(SafeText(clusters: clusters[place..<range.lowerBound]))
            if inBrackets { line.add("[", Theme.quiet) }
            line.add(SafeText(clusters: clusters[range]), Theme.marked)
            if inBrackets { line.add("]", Theme.quiet) }
            place = range.upperBound
        }
        line.add(SafeText(clusters: clusters[place...]))
        return line
    }

    // MARK: Finding

    /// The form in which a cluster is compared: lower case, without accents and modifiers; any blank and line end is a blank.
    private static func fold(_ cluster: Cluster) -> [Unicode.Scalar] {
        if let ascii = cluster.ascii, ascii < 0x7F {
            return [Unicode.Scalar((0x41...0x5A).contains(ascii) ? ascii + 0x20 : ascii)]
        }
        if cluster.base == "\u{2424}" || cluster.base == "\u{23CE}" { return [" "] }
        return fold(cluster.text)
    }

    private static func fold(_ text: String) -> [Unicode.Scalar] {
        text.lowercased()._nfd.compactMap { scalar in
            let properties = scalar.properties
            if properties.isWhitespace { return " " }
            let isMark = properties.generalCategory == .nonspacingMark || properties.isEmojiModifier
            return isMark || properties.isDefaultIgnorableCodePoint ? nil : scalar
        }
    }

    private static func places(
        of needle: [Unicode.Scalar], in clusters: [[Unicode.Scalar]], onlyAtStarts: Bool
    ) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = 0
        while index < clusters.count {
            let mayBegin = !onlyAtStarts || index == 0 || !isWord(clusters[index - 1]) || standsAlone(needle[0])
            guard mayBegin, let end = end(of: needle, in: clusters, from: index, takesWord: onlyAtStarts) else {
                index += 1
                continue
            }
            found.append(index..<end)
            index = end
        }
        return found
    }

    /// The end of the text at `start`, when it begins with `needle`; else `nil`. `takesWord`: the rest of the word
    /// belongs to it.
    private static func end(
        of needle: [Unicode.Scalar], in clusters: [[Unicode.Scalar]], from start: Int, takesWord: Bool
    ) -> Int? {
        var matched = 0
        var index = start
        while matched < needle.count {
            guard index < clusters.count else { return nil }
            for scalar in clusters[index] {
                guard matched < needle.count, scalar == needle[matched] else { return nil }
                matched += 1
            }
            index += 1
        }
        guard takesWord, let last = needle.last, !standsAlone(last) else { return index }
        while index < clusters.count, isWord(clusters[index]), !clusters[index].contains(where: standsAlone) {
            index += 1
        }
        return index
    }

    private static func isWord(_ cluster: [Unicode.Scalar]) -> Bool {
        cluster.allSatisfy { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }

    /// Scripts that put no blanks between words: each character may begin one.
    private static func standsAlone(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x9FFF, 0xAC00...0xD7FF, 0xF900...0xFAFF,
            0x20000...0x3FFFF:
            true
        default: false
        }
    }

    /// In their order, those that touch or overlap as one.
    private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound < last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    private static func columns(_ clusters: ArraySlice<Cluster>) -> Int {
        clusters.reduce(0) { $0 + $1.width }
    }
}
