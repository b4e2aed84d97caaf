// `blipchat history` and `blipchat search`: reading, with or without a running instance, without a network.

import Arguments
import ChatCore
import ChatHost
import ChatSettings
import ChatWords
import Storage

struct HistoryCommand: Command {
    let context: CommandContext

    private static let pageSize = 500

    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        let span = ShownSpan(since: try context.arguments.date("--since"), until: try context.arguments.date("--until"))
        let wanted = try context.arguments.count("--count")
        let contacts = try await HistoryFile.contacts(paths)
        let peer = try contacts.find(context.operand(0))
        let records = Records(contacts: contacts)
        if let id = context.arguments.text("--around") {
            return try await printAround(id, wanted ?? 21, of: peer, paths, records)
        }
        guard let wanted else {
            try await printAll(of: peer, span, paths, records)
            return .done
        }
        let messages = try await context.readHistory(paths) { store throws(StoreError) in
            try await store.page(of: peer.id, .newest, shown: span, limit: wanted)
        }
        for message in messages ?? [] { try MessageOutput(context: context).print(message, records) }
        return .done
    }

    /// The message with an id and as many before it as after it.
    private func printAround(
        _ text: String, _ count: Int, of peer: Peer, _ paths: HomePaths, _ records: Records
    ) async throws(CommandError) -> ExitCode {
        guard let id = MessageID(text.lowercased()) else {
            throw .badValue("--around", text, "the id of a message, as --json shows it")
        }
        let page = try await context.readHistory(paths) { store throws(StoreError) -> [ChatMessage]? in
            var found = try await store.message(id, of: peer.id, .incoming)
            if found == nil { found = try await store.message(id, of: peer.id, .outgoing) }
            guard let found else { return nil }
            return try await store.page(of: peer.id, .around(found.position), limit: count)
        }
        guard let page = page ?? nil else {
            throw CommandError(.notFound, text, "no such message in the conversation with \(peer.name)")
        }
        for message in page { try MessageOutput(context: context).print(message, records) }
        return .done
    }

    /// Prints page by page, so that a long history needs no more memory than a short one.
    private func printAll(
        of peer: Peer, _ span: ShownSpan, _ paths: HomePaths, _ records: Records
    ) async throws(CommandError) {
        _ = try await context.readHistory(paths) { store throws(CommandError) in
            var place = HistoryPosition(.min)
            while true {
                let start = place
                let page = try await HistoryFile.about(paths) { () throws(StoreError) in
                    try await store.page(of: peer.id, .after(start), shown: span, limit: Self.pageSize)
                }
                for message in page { try MessageOutput(context: context).print(message, records) }
                guard page.count == Self.pageSize, let last = page.last else { return }
                place = last.position
            }
        }
    }
}

struct SearchCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        let contacts = try await HistoryFile.contacts(paths)
        let ownName = context.ownName(paths)
        var query = try searchQuery(contacts, ownName)
        if let who = context.arguments.text("--in") { query.contact = try contacts.findForFilter(who).id }
        if let who = context.arguments.text("--from") {
            // Our own name is ours where no contact is called that.
            let isOwnName = who.lowercased() == ownName?.lowercased() && (try? contacts.find(who)) == nil
            query.from = isOwnName || who.lowercased() == "me" ? .outgoing : .incoming
            if query.from == .incoming { query.contact = try contacts.findForFilter(who).id }
        }
        let finalQuery = query
        let result = try await context.readHistory(paths) { store throws(StoreError) in
            try await store.search(finalQuery)
        }
        let records = Records(contacts: contacts)
        for message in result?.hits ?? [] {
            try MessageOutput(context: context).print(message, records, withConversation: true)
        }
        return result?.hits.isEmpty ?? true ? .negative : .done
    }

    /// The words and filters of the command line, and its options.
    private func searchQuery(
        _ contacts: ContactDirectory, _ ownName: String?
    ) throws(CommandError) -> SearchQuery {
        let today = Timestamp.now
        var missing: CommandError?
        let syntax = SearchSyntax(
            context.arguments.operands.joined(separator: " "),
            SearchSyntax.Context(
                ownName: ownName,
                contact: { who in
                    // As on the screen: the beginning of a name will do when it is nobody else's.
                    if let peer = contacts.beginning(with: who) { return peer.id }
                    do throws(CommandError) { return try contacts.find(who).id } catch {
                        if who.lowercased() != ownName?.lowercased() { missing = missing ?? error }
                        return nil
                    }
                }, day: { LocalClock.system.day(named: $0, today: today) }))
        if let missing { throw missing }
        if let problem = syntax.problem {
            throw CommandError(.usage, "search", problem, advice: SearchSyntax.help)
        }
        let filters = ["--in", "--from", "--since", "--until", "--files"]
        let words = context.arguments.operands.joined()
        guard words.contains(where: { !$0.isWhitespace }) || filters.contains(where: context.arguments.has) else {
            throw CommandError(.usage, "search", "nothing to search for", advice: SearchSyntax.help)
        }
        var query = syntax.query
        if let since = try context.arguments.date("--since") { query.since = since }
        if let until = try context.arguments.date("--until") { query.until = until }
        if context.arguments.has("--files") { query.filesOnly = true }
        query.limit = try context.arguments.count("--count") ?? 50
        return query
    }
}

/// Prints messages: for scripts, or as lines for people (time, who, state, text).
private struct MessageOutput {
    let context: CommandContext

    func print(
        _ message: ChatMessage, _ records: Records, withConversation: Bool = false
    ) throws(CommandError) {
        guard !context.isJSON else { return try context.streams.json(records.record(of: message)) }
        var lines = MessageLines(records: records, withConversation: withConversation)
        lines.usesColor = context.streams.usesColor
        for line in lines.lines(of: message) { try context.streams.line(line) }
    }
}

extension ParsedArguments {
    /// A time: a day by its name, or RFC 3339.
    func date(_ option: String) throws(CommandError) -> Timestamp? {
        guard let text = text(option) else { return nil }
        // The words of searches and of /goto, or a time of day.
        guard let time = RFC3339.read(text) ?? LocalClock.system.day(named: text, today: .now)?.start else {
            throw .badValue(option, text, "a date like yesterday, 2026-11, 2026-11-21 or 2026-11-21T09:02:00Z")
        }
        return time
    }
}
