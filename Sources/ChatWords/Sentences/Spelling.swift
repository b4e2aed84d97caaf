// Finds the command that somebody meant.

/// Distances between short words.
package enum Spelling {
    /// The candidate nearest to `word`, when it is near enough to be worth suggesting; the first of equals.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let word = word.lowercased()
        let limit = word.count <= 3 ? 1 : word.count <= 6 ? 2 : 3
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(word, candidate)
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.candidate
    }

    /// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours. Words are cut at 64.
    package static func distance(_ left: String, _ right: String) -> Int {
        let a = Array(left.prefix(64))
        let b = Array(right.prefix(64))
        if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                let cost = a[i - 1] == b[j - 1] ? 0 : 1
                var value = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    value = min(value, beforeLast[j - 2] + 1)
                }
                row.append(value)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
