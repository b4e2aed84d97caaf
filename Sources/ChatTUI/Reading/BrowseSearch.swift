// Finding words from browse mode: `/` towards older messages, `?` towards newer ones, n and N again.

import ChatCore
import ChatWords

/// The search of browse mode.
enum BrowseSearch {
    /// So many of the newest hits can be walked through.
    private static let hitLimit = 1_000

    /// Enter in the prompt of `/` or `?`.
    static func find(_ words: String, towardsOlder: Bool, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let openID = state.place.openID, state.place.browse != nil else { return }
        guard !words.isEmpty else {
            state.place.browse?.turnSearch(towardsOlder: towardsOlder)
            repeatSearch(reversed: false, &state, &effects)
            return
        }
        let syntax = SearchSyntax(words, SearchPane.context(scope: openID, state), limit: Self.hitLimit)
        if let problem = syntax.problem { return state.say(problem, isError: true) }
        guard syntax.query.contact == openID else {
            return state.say("in: and from: need the full search (\(state.surface.key(.searchAll)))")
        }
        let generation = state.place.nextNumber()
        state.place.browse?.begin(.init(words: words, isTowardsOlder: towardsOlder, generation: generation))
        effects.append(.ask(.find(syntax.query, generation: generation)))
    }

    static func receive(hits: [ChatMessage], generation: Int, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard state.place.browse?.receive(hits: hits, generation: generation) == true else { return }
        repeatSearch(reversed: false, &state, &effects)
    }

    /// `n`, or `N` (reversed): the next hit from the cursor, around the end of the history.
    static func repeatSearch(reversed: Bool, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let browse = state.place.browse, let search = browse.search else {
            state.say("No search yet: / finds older messages, ? newer ones")
            return
        }
        guard let hits = search.hits, let index = state.world.chatIndex(state.place.openID) else { return }
        let words = SafeText(search.words, as: .line).truncated(to: 30).text
        let here = browse.selected.position
        let isTowardsOlder = search.isTowardsOlder != reversed
        // Newest first.
        let next =
            isTowardsOlder ? hits.first { $0.position < here } : hits.last { $0.position > here }
        guard let hit = next ?? (isTowardsOlder ? hits.first : hits.last) else {
            state.say("\"\(words)\" was not found in this chat")
            return
        }
        let number = hits.firstIndex(of: hit).map { $0 + 1 } ?? 0
        let around = next == nil ? (isTowardsOlder ? ", wrapped to the newest" : ", wrapped to the oldest") : ""
        state.say("\(words): \(number) of \(hits.count)\(around)")
        Scrolling.jump(to: hit.key, at: hit.position, at: index, &state, &effects)
    }
}
