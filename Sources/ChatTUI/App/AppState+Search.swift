// The search overlay: asks while the user types, shows the context of a hit, jumps to it.

import ChatCore
import ChatWords

extension AppState {
    mutating func showSearch(scope: ContactID?, _ words: String, _ effects: inout [AppEffect]) {
        if case .search(var pane) = overlay {
            // The other search key changes the scope of the open search.
            pane.scope = scope
            ask(&pane, &effects)
            return
        }
        var pane = SearchPane(query: InputLine(words), scope: scope)
        show(.search(pane))
        ask(&pane, &effects)
    }

    mutating func perform(_ command: AppCommand, in pane: inout SearchPane, _ effects: inout [AppEffect]) {
        let count = pane.result?.hits.count ?? 0
        switch command {
        case .up where pane.showsSyntax: scrollSyntax(&pane, by: -1)
        case .down where pane.showsSyntax: scrollSyntax(&pane, by: 1)
        case .pageUp where pane.showsSyntax: scrollSyntax(&pane, by: -5)
        case .pageDown where pane.showsSyntax: scrollSyntax(&pane, by: 5)
        case .up: move(&pane, by: -1, count: count, &effects)
        case .down: move(&pane, by: 1, count: count, &effects)
        case .pageUp: move(&pane, by: -5, count: count, &effects)
        case .pageDown: move(&pane, by: 5, count: count, &effects)
        case .choose: jump(from: pane, &effects)
        case .complete:
            if completeName(in: &pane) { ask(&pane, &effects) }
        case .searchScope:
            pane.scope = pane.scope == nil ? openID : nil
            ask(&pane, &effects)
        case .searchSyntax:
            pane.showsSyntax.toggle()
            pane.syntaxTop = 0
            overlay = .search(pane)
        default:
            let before = pane.query.text
            if case .killed(let text, _) = pane.query.perform(
                command, yanking: killRing.newest, reordering: settings.reorders)
            {
                killRing.add(text)
            }
            if command == .clear { pane.query.replace(with: "") }
            if pane.query.text != before { ask(&pane, &effects) } else { overlay = .search(pane) }
        }
    }

    /// Tab: the name behind `from:` or `in:` before the cursor, as far as it is certain. `false` when nothing was typed.
    private mutating func completeName(in pane: inout SearchPane) -> Bool {
        guard let typed = SearchNameCompletion(textBeforeCursor: pane.query.textBeforeCursor) else {
            say("Tab completes a name after from: or in:")
            return false
        }
        let names = typed.names(among: chats.map(\.peer.name))
        guard let first = names.first else {
            say("No name begins with \(SafeText(typed.beginning, as: .name).text)")
            return false
        }
        let common = Completion.commonPrefix(of: names)
        if names.count > 1 {
            let list = names.map { SafeText($0, as: .name).text }
            say("\(list.prefix(6).joined(separator: ", "))\(list.count > 6 ? " …" : "")")
            guard common.count > typed.beginning.count else { return false }
        }
        pane.query.replace(
            from: typed.start, with: typed.written(names.count == 1 ? first : common, isWhole: names.count == 1))
        return true
    }

    func searchContext(scope: ContactID?) -> SearchSyntax.Context {
        SearchSyntax.Context(
            scope: scope, ownName: identity.name, contact: contact(named:),
            day: { clock.day(named: $0, today: moment.wall) })
    }

    /// Another question: it begins with one page of hits.
    mutating func ask(_ pane: inout SearchPane, _ effects: inout [AppEffect]) {
        pane.limit = SearchPane.pageSize
        refresh(&pane, &effects)
    }

    /// Asks anew; answers to earlier questions are stale from now on.
    private mutating func refresh(_ pane: inout SearchPane, _ effects: inout [AppEffect]) {
        pane.generation = nextNumber()
        pane.due = nil
        pane.kept = nil
        let syntax = SearchSyntax(pane.query.text, searchContext(scope: pane.scope))
        pane.problem = syntax.problem
        pane.jumpsAtOnce = false
        // The chat in which to search is no wish by itself.
        if syntax.query.isEmpty || pane.query.text.trimmedBlanks.isEmpty {
            pane.result = nil
            pane.context = []
        } else if syntax.problem == nil {
            var query = syntax.query
            query.limit = pane.limit
            effects.append(.ask(.search(query, generation: pane.generation)))
        }
        overlay = .search(pane)
    }

    mutating func receive(
        _ result: SearchResult, for query: SearchQuery, generation: Int, took: Duration, _ effects: inout [AppEffect]
    ) {
        guard case .search(var pane) = overlay, pane.generation == generation else { return }
        pane.result = result
        pane.answered = generation
        pane.took = took
        let place = pane.kept.flatMap { kept in result.hits.firstIndex { $0.position == kept } }
        pane.kept = nil
        pane.selected = place ?? 0
        // The same hit has the same messages around it until they are asked for anew.
        if place == nil { pane.context = [] }
        let jumps = pane.jumpsAtOnce
        pane.jumpsAtOnce = false
        askContext(&pane, &effects)
        if jumps { jump(from: pane, &effects) }
    }

    /// A message has come while the search is open: it may be a hit.
    mutating func searchIsOld() {
        guard case .search(var pane) = overlay, pane.due == nil, pane.result != nil else { return }
        pane.due = moment.uptime + .seconds(1)
        overlay = .search(pane)
    }

    /// Asks again when it is time; the cursor stays on its hit.
    mutating func searchAgain(_ effects: inout [AppEffect]) {
        guard case .search(var pane) = overlay, let due = pane.due, due <= moment.uptime else { return }
        // What the user is asking for comes first.
        guard pane.answered == pane.generation else {
            pane.due = nil
            overlay = .search(pane)
            return
        }
        refreshKeeping(&pane, &effects)
    }

    /// Asks again; the cursor stays on its hit.
    private mutating func refreshKeeping(_ pane: inout SearchPane, _ effects: inout [AppEffect]) {
        let kept = pane.selectedHit?.position
        refresh(&pane, &effects)
        pane.kept = kept
        overlay = .search(pane)
    }

    private mutating func scrollSyntax(_ pane: inout SearchPane, by step: Int) {
        pane.syntaxTop = min(max(pane.syntaxTop + step, 0), SearchScreen.syntaxLines.count - 1)
        overlay = .search(pane)
    }

    private mutating func move(_ pane: inout SearchPane, by step: Int, count: Int, _ effects: inout [AppEffect]) {
        guard count > 0 else { return }
        pane.selected = min(max(pane.selected + step, 0), count - 1)
        askContext(&pane, &effects)
        guard pane.selected >= count - Self.hitsAhead, pane.result?.isTruncated == true,
            pane.answered == pane.generation, pane.problem == nil
        else { return }
        pane.limit = count + SearchPane.pageSize
        refreshKeeping(&pane, &effects)
    }

    /// The next hits are asked for so far before the last one.
    private static let hitsAhead = 10

    private mutating func askContext(_ pane: inout SearchPane, _ effects: inout [AppEffect]) {
        pane.contextGeneration = nextNumber()
        if let hit = pane.selectedHit {
            effects.append(.ask(.context(hit.contact, hit.position, generation: pane.contextGeneration)))
        }
        overlay = .search(pane)
    }

    /// Enter: the chat opens around the hit; Esc comes back.
    private mutating func jump(from pane: SearchPane, _ effects: inout [AppEffect]) {
        var pane = pane
        guard let hit = pane.selectedHit, pane.answered == pane.generation, chatIndex(hit.contact) != nil else {
            // What is shown answers an earlier question: the answer to this one decides where to.
            pane.jumpsAtOnce = pane.answered != pane.generation && pane.problem == nil
            overlay = .search(pane)
            return
        }
        let place = openChat.map { ReturnPlace($0, search: pane) }
        open(hit.contact, &effects)
        returnPlace = place
        if let index = chatIndex(hit.contact) { jump(to: hit.key, at: hit.position, at: index, &effects) }
    }
}
