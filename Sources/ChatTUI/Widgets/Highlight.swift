// Marks found words: in brackets, so that it can be read without colours.

/// `the [build] [log] is`
enum Highlight {
    /// The text with each word that begins with one of `words` (lower case) in brackets; shown from a little before
    /// the first one, at most `width` columns.
    static func line(_ text: SafeText, words: [String], width: Int) -> StyledLine {
        let clusters = text.clusters
        let lower = clusters.map { Array($0.text.lowercased()) }
        let needles = words.map { Array($0) }.filter { !$0.isEmpty }
        var marked: [Range<Int>] = []
        var index = 0
        while index < clusters.count {
            let startsWord = index == 0 || !isWord(clusters[index - 1])
            let end = startsWord ? needles.compactMap { self.end(of: $0, in: lower, from: index) }.max() : nil
            if let end {
                marked.append(index..<end)
                index = end
            } else {
                index += 1
            }
        }
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
            place = start
            line.add(SafeText(literal: "…"), Theme.quiet)
        }
        for range in marked {
            line.add(SafeText(clusters: clusters[place..<range.lowerBound]))
            line.add("[", Theme.quiet)
            line.add(SafeText(clusters: clusters[range]), Theme.marked)
            line.add("]", Theme.quiet)
            place = range.upperBound
        }
        line.add(SafeText(clusters: clusters[place...]))
        return line
    }

    /// Where the word that begins at `start` ends, when it begins with `needle`; else `nil`.
    private static func end(of needle: [Character], in clusters: [[Character]], from start: Int) -> Int? {
        var matched = 0
        var index = start
        while matched < needle.count {
            guard index < clusters.count else { return nil }
            for character in clusters[index] {
                guard matched < needle.count, character == needle[matched] else { return nil }
                matched += 1
            }
            index += 1
        }
        while index < clusters.count, clusters[index].allSatisfy({ $0.isLetter || $0.isNumber }) { index += 1 }
        return index
    }

    private static func isWord(_ cluster: Cluster) -> Bool {
        cluster.text.allSatisfy { $0.isLetter || $0.isNumber }
    }

    private static func columns(_ clusters: ArraySlice<Cluster>) -> Int {
        clusters.reduce(0) { $0 + $1.width }
    }
}
