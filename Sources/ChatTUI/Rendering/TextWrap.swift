// Breaks a text into lines of a given width for the history, dialogs and help. Hanging indents are the caller's.

package import ChatWords

/// Wrapping by words; a word that is longer than a line is divided between clusters.
package enum TextWrap {
    /// The lines of `text`, each at most `width` columns wide (at least 2, the widest cluster). Blanks at which a line
    /// was broken disappear; blanks at the beginning of a paragraph stay. An empty text is one empty line.
    ///
    /// With `reordering` the lines are as they are shown: right-to-left parts turned around (UAX #9), and paragraphs
    /// that begin with a right-to-left letter at the right border.
    ///
    /// With `keepingLinks` a link is broken nowhere but where a whole row of it is full, and then it has its rows for itself:
    /// it can be copied from the screen.
    package static func wrap(
        _ text: SafeText, width: Int, reordering: Bool = false, keepingLinks: Bool = false
    ) -> [SafeText] {
        let width = max(2, width)
        return text.lines().flatMap { line in
            let clusters = line.clusters
            let ranges =
                line.width > width
                ? ranges(of: clusters, width: width, keepingLinks) : [0..<clusters.count]
            guard reordering, let paragraph = BidiParagraph(clusters) else {
                return ranges.map { SafeText(clusters: clusters[$0]) }
            }
            return ranges.map { range in
                let shown = SafeText(clusters: paragraph.visualOrder(of: range).map(paragraph.shownCluster))
                return paragraph.isRightToLeft ? .blanks(width - shown.width) + shown : shown
            }
        }
    }

    private static func ranges(of clusters: [Cluster], width: Int, _ keepsLinks: Bool) -> [Range<Int>] {
        guard keepsLinks else { return ranges(of: clusters, in: 0..<clusters.count, width: width) }
        var lines: [Range<Int>] = []
        var rest = 0
        for link in links(in: clusters) where clusters[link].reduce(0, { $0 + $1.width }) > width {
            if firstNonBlank(in: clusters, from: rest) < link.lowerBound {
                lines += ranges(of: clusters, in: rest..<link.lowerBound, width: width)
            }
            lines += ranges(of: clusters, in: link, width: width)
            rest = firstNonBlank(in: clusters, from: link.upperBound)
        }
        if rest < clusters.count { lines += ranges(of: clusters, in: rest..<clusters.count, width: width) }
        return lines
    }

    /// The places of the links in a line.
    private static func links(in clusters: [Cluster]) -> [Range<Int>] {
        var links: [Range<Int>] = []
        for index in clusters.indices {
            guard let link = clusters[index].link else { continue }
            if let last = links.last, last.upperBound == index, clusters[index - 1].link === link {
                links[links.count - 1] = last.lowerBound..<index + 1
            } else {
                links.append(index..<index + 1)
            }
        }
        return links
    }

    private static func ranges(of clusters: [Cluster], in part: Range<Int>, width: Int) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = part.lowerBound
        var columns = 0
        /// The last place in the current line where it may be broken: index of the first cluster after it.
        var breakPlace: Int?
        var index = start
        while index < part.upperBound {
            let cluster = clusters[index]
            if columns + cluster.width > width {
                let isBlank = cluster.isBlank
                let end = isBlank ? index : breakPlace ?? index
                lines.append(withoutTrailingBlanks(clusters, start..<end))
                start = min(firstNonBlank(in: clusters, from: end), part.upperBound)
                index = start
                columns = 0
                breakPlace = nil
                continue
            }
            columns += cluster.width
            index += 1
            if canBreak(after: cluster, before: index < part.upperBound ? clusters[index] : nil) { breakPlace = index }
        }
        if start < part.upperBound || lines.isEmpty {
            lines.append(withoutTrailingBlanks(clusters, start..<part.upperBound))
        }
        return lines
    }

    /// A line may end after a blank, after a hyphen inside a word, and beside a wide letter (scripts without blanks),
    /// but never within a link that fits into a line.
    private static func canBreak(after cluster: Cluster, before next: Cluster?) -> Bool {
        guard let next else { return false }
        if cluster.isBlank { return true }
        if next.isBlank { return false }
        if let link = cluster.link, link === next.link { return false }
        if cluster.ascii == UInt8(ascii: "-") { return next.ascii != UInt8(ascii: "-") }
        if next.width == 2 { return !opening.contains(cluster.text) && !closing.contains(next.text) }
        return cluster.width == 2 && !opening.contains(cluster.text) && !closing.contains(next.text)
    }

    /// Never at the end of a line / never at the beginning of one.
    private static let opening: Set<String> = ["(", "[", "{", "（", "「", "『", "【", "《", "〈", "“", "‘"]
    private static let closing: Set<String> = [
        ")", "]", "}", "）", "」", "』", "】", "》", "〉", "”", "’", "、", "。", "，", "．", "！", "？", "：", "；", "ー",
        ",", ".", "!", "?", ":", ";",
    ]

    private static func withoutTrailingBlanks(_ clusters: [Cluster], _ line: Range<Int>) -> Range<Int> {
        var end = line.upperBound
        while end > line.lowerBound, clusters[end - 1].isBlank { end -= 1 }
        return line.lowerBound..<end
    }

    private static func firstNonBlank(in clusters: [Cluster], from place: Int) -> Int {
        clusters[place...].firstIndex { !$0.isBlank } ?? clusters.count
    }
}
