// Finds the links in a text that went through the filter: what is opened is what was seen.

/// Looks for `scheme://…`, `mailto:…` and `www.…`.
package enum LinkScanner {
    /// No address is longer; what follows is text.
    private static let limit = 4_096

    /// The links of a text and their places, in order; takes time linear in its length.
    package static func links(in clusters: [Cluster]) -> [(range: Range<Int>, link: Link)] {
        var found: [(Range<Int>, Link)] = []
        var floor = 0
        var index = 0
        while index < clusters.count {
            let isBare = clusters[index].ascii.map { $0 | 0x20 == UInt8(ascii: "w") } ?? false
            let range =
                isBare
                ? bareLink(at: index, in: clusters, from: floor)
                : clusters[index].ascii == UInt8(ascii: ":") ? link(around: index, in: clusters, from: floor) : nil
            guard let range else {
                index += 1
                continue
            }
            let text = clusters[range].reduce(into: "") { $0 += $1.text }
            found.append((range, Link(text, assuming: isBare ? "https" : nil)))
            floor = range.upperBound
            index = range.upperBound
        }
        return found
    }

    /// The link whose scheme ends with the colon at `colon`.
    private static func link(around colon: Int, in clusters: [Cluster], from floor: Int) -> Range<Int>? {
        var start = colon
        while start > floor, colon - start < 16, isSchemeCharacter(clusters[start - 1]) { start -= 1 }
        while start < colon, !isLetter(clusters[start]) { start += 1 }
        guard start < colon else { return nil }
        let scheme = clusters[start..<colon].reduce(into: "") { $0 += $1.text }.lowercased()
        let hasSlashes = clusters[colon...].dropFirst().prefix(2).map(\.text) == ["/", "/"]
        guard hasSlashes || scheme == "mailto" else { return nil }
        let body = colon + (hasSlashes ? 3 : 1)
        var end = body
        while end < clusters.count, end - start < limit, belongsToLink(clusters[end]) { end += 1 }
        end = withoutTrailingMarks(clusters, body..<end)
        return end > body ? start..<end : nil
    }

    /// `www.example.org/…` at the beginning of a word: a name with a dot in it follows.
    private static func bareLink(at start: Int, in clusters: [Cluster], from floor: Int) -> Range<Int>? {
        guard clusters.count - start > 4,
            clusters[start..<start + 4].reduce(into: "", { $0 += $1.text }).lowercased() == "www."
        else { return nil }
        if start > floor {
            let before = clusters[start - 1]
            if isSchemeCharacter(before) || ["@", "/", "_", "\\", "="].contains(before.text) || before.isLetter {
                return nil
            }
        }
        let body = start + 4
        var end = body
        while end < clusters.count, end - start < limit, belongsToLink(clusters[end]) { end += 1 }
        end = withoutTrailingMarks(clusters, body..<end)
        let host = clusters[body..<max(body, end)].prefix { !["/", "?", "#", ":", "\\"].contains($0.text) }
        guard let dot = host.firstIndex(where: { $0.text == "." }), dot > body, dot + 1 < host.endIndex,
            host.allSatisfy({ $0.isLetter || isSchemeCharacter($0) && $0.text != "+" })
        else { return nil }
        return start..<end
    }

    /// A mark that closes a sentence or a bracket around the link is no part of it.
    private static func withoutTrailingMarks(_ clusters: [Cluster], _ range: Range<Int>) -> Int {
        var end = range.upperBound
        // No sentence ends with more.
        while end > max(range.lowerBound, range.upperBound - 8) {
            let last = clusters[end - 1].text
            if [".", ",", ";", ":", "!", "?", "'", "*", "_", "…", "。", "，"].contains(last) {
                end -= 1
            } else if let open = [")": "(", "]": "[", "}": "{", "）": "（", "」": "「"][last] {
                let inside = clusters[range.lowerBound..<end]
                guard inside.count(where: { $0.text == last }) > inside.count(where: { $0.text == open }) else { break }
                end -= 1
            } else {
                break
            }
        }
        return end
    }

    private static func belongsToLink(_ cluster: Cluster) -> Bool {
        !cluster.isLineBreak && !cluster.isSubstitute && !cluster.isBlank
            && !["<", ">", "\"", "`", "“", "”", "«", "»"].contains(cluster.text)
    }

    private static func isLetter(_ cluster: Cluster) -> Bool {
        guard let byte = cluster.ascii else { return false }
        return (0x61...0x7A).contains(byte | 0x20)
    }

    private static func isSchemeCharacter(_ cluster: Cluster) -> Bool {
        guard let byte = cluster.ascii else { return false }
        return (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
    }
}

extension Cluster {
    /// A letter or digit of any script.
    fileprivate var isLetter: Bool { base.properties.isAlphabetic || base.properties.numericType != nil }
}

extension SafeText {
    /// The same text, whose clusters know the links that they belong to.
    package func linked() -> SafeText {
        let links = LinkScanner.links(in: clusters)
        guard !links.isEmpty else { return self }
        var clusters = clusters
        for (range, link) in links {
            for index in range { clusters[index].link = link }
        }
        return SafeText(clusters: clusters, hiddenCount: hiddenCount)
    }

    /// The links in it, each once, in their order.
    package var links: [Link] {
        var seen: Set<Link> = []
        return LinkScanner.links(in: clusters).map(\.link).filter { seen.insert($0).inserted }
    }
}
