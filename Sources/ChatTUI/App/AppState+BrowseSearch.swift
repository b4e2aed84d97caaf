// Finding words from browse mode: `/` towards older messages, `?` towards newer ones, n and N again.

import ChatCore
import ChatWords

extension AppState {
    /// So many of the newest hits can be walked through.
    private static let hitLimit = 1_000

    /// Enter in the prompt of `/` or `?`.
    mutating func find(_ words: String, towardsOlder: Bool, _ effects: inout [AppEffect]) {
        guard let openID, browse != nil else { return }
        guard !words.isEmpty else {
            browse?.search?.isTowardsOlder = towardsOlder
            repeatSearch(reversed: false, &effects)
            return
        }
        let syntax = SearchSyntax(words, searchContext(scope: openID), limit: Self.hitLimit)
        if let problem = syntax.problem { return say(problem, isError: true) }
        guard syntax.query.contact == openID else {
            return say("in: and from: need the full search (\(key(.searchAll)))")
        }
        let generation = nextNumber()
        browse?.search = .init(words: words, isTowardsOlder: towardsOlder, hits: nil, generation: generation)
        effects.append(.ask(.find(syntax.query, generation: generation)))
    }

    mutating func receive(hits: [ChatMessage], generation: Int, _ effects: inout [AppEffect]) {
        guard var search = browse?.search, search.generation == generation else { return }
        search.hits = hits.map(BrowseMode.Place.init)
        browse?.search = search
        repeatSearch(reversed: false, &effects)
    }

    /// `n`, or `N` (reversed): the next hit from the cursor, around the end of the history.
    mutating func repeatSearch(reversed: Bool, _ effects: inout [AppEffect]) {
        guard let browse, let search = browse.search else {
            say("No search yet: / finds older messages, ? newer ones")
            return
        }
        guard let hits = search.hits, let index = chatIndex(openID) else { return }
        let words = SafeText(search.words, as: .line).truncated(to: 30).text
        let here = browse.selected.position
        let isTowardsOlder = search.isTowardsOlder != reversed
        // Newest first.
        let next =
            isTowardsOlder ? hits.first { $0.position < here } : hits.last { $0.position > here }
        guard let hit = next ?? (isTowardsOlder ? hits.first : hits.last) else {
            say("\"\(words)\" was not found in this chat")
            return
        }
        let number = hits.firstIndex(of: hit).map { $0 + 1 } ?? 0
        let around = next == nil ? (isTowardsOlder ? ", wrapped to the newest" : ", wrapped to the oldest") : ""
        say("\(words): \(number) of \(hits.count)\(around)")
        jump(to: hit.key, at: hit.position, at: index, &effects)
    }
}
