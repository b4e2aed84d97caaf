// What the user probably meant: the nearest valid word to a mistyped one.

package enum NearestName {
    /// How many edits are few enough to be a typing mistake.
    package enum Tolerance: Sendable {
        /// A third of the letters.
        case third
        /// Up to three, also in short words: in the chat, where words are typed quickly.
        case generous

        fileprivate func limit(ofLetters count: Int) -> Int {
            switch self {
            case .third: max(1, count / 3)
            case .generous: count <= 3 ? 1 : count <= 6 ? 2 : 3
            }
        }
    }

    /// The candidate that needs the fewest edits, in any case of letters, when those are few enough; the first of equals.
    package static func to(
        _ word: String, among candidates: some Sequence<String>, tolerance: Tolerance = .third
    ) -> String? {
        let typed = Array(word.lowercased().unicodeScalars.prefix(64))
        let limit = tolerance.limit(ofLetters: typed.count)
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(typed, Array(candidate.lowercased().unicodeScalars.prefix(64)))
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
    static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for (row, leftScalar) in left.enumerated() {
            var current = [row + 1]
            for (column, rightScalar) in right.enumerated() {
                let replaced = previous[column] + (leftScalar == rightScalar ? 0 : 1)
                var cost = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, leftScalar == right[column - 1], left[row - 1] == rightScalar {
                    cost = min(cost, beforePrevious[column - 1] + 1)
                }
                current.append(cost)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
