// The keys of the search, and the answers to its questions.

import ChatCore
import ChatWords

extension SearchPane {
    /// The pane asks for the next hits when the cursor is this close to the last one.
    private static let hitsAhead = 10

    mutating func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        switch command {
        case .up where showsSyntax: scrollSyntax(by: -1)
        case .down where showsSyntax: scrollSyntax(by: 1)
        case .pageUp where showsSyntax: scrollSyntax(by: -5)
        case .pageDown where showsSyntax: scrollSyntax(by: 5)
        case .up: move(by: -1, &state, &effects)
        case .down: move(by: 1, &state, &effects)
        case .pageUp: move(by: -5, &state, &effects)
        case .pageDown: move(by: 5, &state, &effects)
        case .choose: return jump(&state, &effects)
        case .complete: if completeName(&state) { ask(&state, &effects) }
        case .searchScope:
            scope = scope == nil ? state.place.openID : nil
            ask(&state, &effects)
        case .searchSyntax:
            showsSyntax.toggle()
            syntaxTop = 0
        default:
            let before = query.text
            if case .killed(let text, _) = query.perform(
                command, yanking: state.composer.killRing.newest, reordering: state.surface.settings.reorders)
            {
                state.composer.killRing.add(text)
            }
            if command == .clear { query.replace(with: "") }
            if query.text != before { ask(&state, &effects) }
        }
        return .stays
    }

    mutating func type(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        query.insert(text)
        ask(&state, &effects)
    }

    mutating func stepBack(_ state: inout AppState) -> PaneStep {
        guard showsSyntax else { return .closes }
        showsSyntax = false
        return .stays
    }

    /// A click on a line of the page about the syntax: the hits are back, with one more condition.
    mutating func take(example words: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        showsSyntax = false
        let follows = query.textBeforeCursor.last.map { !$0.isWhitespace } ?? false
        // After a filter without a value, the user types the value next.
        type((follows ? " " : "") + words + (words.hasSuffix(":") ? "" : " "), &state, &effects)
    }

    /// Tab: completes the name after `from:` or `in:` before the cursor, as far as it is certain. `false` when nothing
    /// was typed.
    private mutating func completeName(_ state: inout AppState) -> Bool {
        guard let typed = SearchNameCompletion(textBeforeCursor: query.textBeforeCursor) else {
            state.say("Tab completes a name after from: or in:")
            return false
        }
        let names = typed.names(among: state.world.chats.map(\.peer.name))
        guard let first = names.first else {
            state.say("No name begins with \(SafeText(typed.beginning, as: .name).text)")
            return false
        }
        let common = Completion.commonPrefix(of: names)
        if names.count > 1 {
            let list = names.map { SafeText($0, as: .name).text }
            state.say("\(list.prefix(6).joined(separator: ", "))\(list.count > 6 ? " …" : "")")
            guard common.count > typed.beginning.count else { return false }
        }
        query.replace(
            from: typed.start, with: typed.written(names.count == 1 ? first : common, isWhole: names.count == 1))
        return true
    }

    private mutating func scrollSyntax(by step: Int) {
        syntaxTop = min(max(syntaxTop + step, 0), SearchScreen.syntaxLines.count - 1)
    }

    private mutating func move(by step: Int, _ state: inout AppState, _ effects: inout [AppEffect]) {
        let count = result?.hits.count ?? 0
        guard count > 0 else { return }
        selected = min(max(selected + step, 0), count - 1)
        askContext(&state, &effects)
        guard selected >= count - Self.hitsAhead, result?.isTruncated == true, answered == generation, problem == nil
        else { return }
        limit = count + Self.pageSize
        refreshKeepingHit(&state, &effects)
    }

    /// Enter: the chat opens around the hit; Esc comes back.
    private mutating func jump(_ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        guard let hit = selectedHit, answered == generation, state.world.chatIndex(hit.contact) != nil else {
            // The hits on the screen answer an earlier question: the answer to this one decides where to jump.
            jumpsAtOnce = answered != generation && problem == nil
            return .stays
        }
        let place = state.openChat.map { ReturnPlace($0, search: self) }
        ChatSwitching.open(hit.contact, &state, &effects)
        state.place.keep(wayBack: place)
        if let index = state.world.chatIndex(hit.contact) {
            Scrolling.jump(to: hit.key, at: hit.position, at: index, &state, &effects)
        }
        return .left
    }

    // MARK: Asking

    /// Another question: it begins with one page of hits.
    mutating func ask(_ state: inout AppState, _ effects: inout [AppEffect]) {
        limit = Self.pageSize
        refresh(&state, &effects)
    }

    /// Asks anew; answers to earlier questions are stale from now on.
    private mutating func refresh(_ state: inout AppState, _ effects: inout [AppEffect]) {
        generation = state.place.nextNumber()
        due = nil
        kept = nil
        let syntax = SearchSyntax(query.text, SearchPane.context(scope: scope, state))
        problem = syntax.problem
        jumpsAtOnce = false
        // The chat to search in is no query by itself.
        if syntax.query.isEmpty || query.text.trimmedBlanks.isEmpty {
            result = nil
            context = []
        } else if syntax.problem == nil {
            var query = syntax.query
            query.limit = limit
            effects.append(.ask(.search(query, generation: generation)))
        }
    }

    /// Asks again; the cursor stays on its hit.
    fileprivate mutating func refreshKeepingHit(_ state: inout AppState, _ effects: inout [AppEffect]) {
        let hit = selectedHit?.position
        refresh(&state, &effects)
        kept = hit
    }

    private mutating func askContext(_ state: inout AppState, _ effects: inout [AppEffect]) {
        contextGeneration = state.place.nextNumber()
        guard let hit = selectedHit else { return }
        effects.append(.ask(.context(hit.contact, hit.position, generation: contextGeneration)))
    }

    /// The answer to the newest question.
    fileprivate mutating func take(
        _ found: SearchResult, took time: Duration, _ state: inout AppState, _ effects: inout [AppEffect]
    ) -> PaneStep {
        result = found
        answered = generation
        took = time
        let place = kept.flatMap { kept in found.hits.firstIndex { $0.position == kept } }
        kept = nil
        selected = place ?? 0
        // The same hit has the same messages around it until the pane asks for them anew.
        if place == nil { context = [] }
        let jumps = jumpsAtOnce
        jumpsAtOnce = false
        askContext(&state, &effects)
        return jumps ? jump(&state, &effects) : .stays
    }
}

extension SearchPane {
    /// Opens the search, or changes the scope of the open one.
    static func show(scope: ContactID?, _ words: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if case .search(var pane) = state.place.overlay {
            pane.scope = scope
            pane.ask(&state, &effects)
            state.place.put(.search(pane))
            return
        }
        var pane = SearchPane(query: InputLine(words), scope: scope)
        pane.ask(&state, &effects)
        state.show(.search(pane))
    }

    static func context(scope: ContactID?, _ state: AppState) -> SearchSyntax.Context {
        SearchSyntax.Context(
            scope: scope, ownName: state.world.identity.name, contact: state.world.contact(named:),
            day: { state.surface.clock.day(named: $0, today: state.surface.moment.wall) })
    }

    static func receive(
        _ result: SearchResult, for query: SearchQuery, generation: Int, took: Duration, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        guard case .search(var pane) = state.place.overlay, pane.generation == generation else { return }
        if pane.take(result, took: took, &state, &effects) == .stays { state.place.put(.search(pane)) }
    }

    /// The messages around the selected hit.
    static func receive(context: [ChatMessage], generation: Int, _ state: inout AppState) {
        guard case .search(var pane) = state.place.overlay, pane.contextGeneration == generation else { return }
        pane.context = context
        state.place.put(.search(pane))
    }

    /// The search could not be done.
    static func fail(_ error: ChatError, generation: Int, _ state: inout AppState) {
        guard case .search(var pane) = state.place.overlay, pane.generation == generation else { return }
        pane.problem = Sentences.reason(of: error)
        state.place.put(.search(pane))
    }

    /// A message has come while the search is open: it may be a hit.
    static func messageWasAdded(_ state: inout AppState) {
        guard case .search(var pane) = state.place.overlay, pane.due == nil, pane.result != nil else { return }
        pane.due = state.surface.moment.uptime + .seconds(1)
        state.place.put(.search(pane))
    }

    /// When `searchAgain` has something to do.
    static func due(in place: Place) -> Duration? {
        guard case .search(let pane) = place.overlay else { return nil }
        return pane.due
    }

    /// Asks again when it is time; the cursor stays on its hit.
    static func searchAgain(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard case .search(var pane) = state.place.overlay, let due = pane.due, due <= state.surface.moment.uptime
        else { return }
        // The user's own question comes first.
        if pane.answered == pane.generation {
            pane.refreshKeepingHit(&state, &effects)
        } else {
            pane.due = nil
        }
        state.place.put(.search(pane))
    }

    /// A line of the page about the search's syntax was clicked.
    static func typeExample(_ words: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard case .search(var pane) = state.place.overlay else { return }
        pane.take(example: words, &state, &effects)
        state.place.put(.search(pane))
    }
}
