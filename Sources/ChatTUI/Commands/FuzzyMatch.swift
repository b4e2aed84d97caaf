// How well a typed filter matches an item of a list (Alt-k, Alt-x, help).

import ChatWords

/// Subsequence matching without regard to case.
enum FuzzyMatch {
    /// The items that match, best first, those that match alike in their order; all in their order without a filter.
    /// An item of a higher `rank` goes before all of lower ones; those above 0 match, whatever their text is, alike.
    static func ranked<Item>(
        _ items: [Item], _ filter: String, rank: (Item) -> Int = { _ in 0 }, _ text: (Item) -> String
    ) -> [Item] {
        guard !filter.isEmpty else { return items }
        let scored = items.enumerated().compactMap { index, item in
            let rank = rank(item)
            return (rank > 0 ? 0 : score(filter, in: text(item))).map {
                (item: item, rank: rank, score: $0, index: index)
            }
        }
        return scored.sorted { ($0.rank, $0.score, $1.index) > ($1.rank, $1.score, $0.index) }.map(\.item)
    }

    /// Higher is better; `nil` when the letters of `filter` are not all in `text` in that order. An empty filter
    /// matches everything equally. Whole substrings beat scattered letters, starts of words beat middles.
    static func score(_ filter: String, in text: String) -> Int? {
        let needle = Array(filter.lowercased().filter { !$0.isWhitespace })
        if needle.isEmpty { return 0 }
        let hay = Array(text.lowercased())
        var score = 0
        var next = 0
        var previous = -2
        for (index, character) in hay.enumerated() where next < needle.count && character == needle[next] {
            let startsWord = index == 0 || !(hay[index - 1].isLetter || hay[index - 1].isNumber)
            score += (startsWord ? 8 : 1) + (index == previous + 1 ? 5 : 0)
            previous = index
            next += 1
        }
        guard next == needle.count else { return nil }
        if text.lowercased().contains(filter.lowercased()) { score += 50 }
        return score - hay.count / 8
    }
}
