// `blipchat history` and `blipchat search`: reading, with or without a running instance, without a network.

import ChatCore
import ChatTUI

extension CommandRunner {
    func printHistory() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        let since = try date("--since")
        let until = try date("--until")
        let wanted = try arguments.count("--count") ?? (since == nil ? 100 : .max)
        let contacts = try await contacts(paths)
        let peer = try contacts.find(operand(0))
        let messages = try await HistoryFile.read(paths) { store throws(StoreError) in
            try await Self.newest(wanted, of: peer.id, since: since, until: until, in: store)
        }
        let records = Records(contacts: contacts)
        for message in (messages ?? []).reversed() { try print(message, records) }
        return .done
    }

    /// The newest `count` messages in the span of time, newest first.
    private static func newest(
        _ count: Int, of contact: ContactID, since: Timestamp?, until: Timestamp?, in store: any HistoryStore
    ) async throws(StoreError) -> [ChatMessage] {
        let pageSize = 500
        var found: [ChatMessage] = []
        var anchor = PageAnchor.newest
        while found.count < count {
            let page = try await store.page(of: contact, anchor, limit: pageSize)
            for message in page.reversed() where found.count < count {
                // Rows stand in the order in which they were stored, so older ones follow only.
                if let since, message.stored < since { return found }
                if let until, message.stored >= until { continue }
                found.append(message)
            }
            guard page.count == pageSize, let oldest = page.first else { break }
            anchor = .before(oldest.position)
        }
        return found
    }

    func search() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        let contacts = try await contacts(paths)
        var query = SearchQuery(
            text: arguments.operands.joined(separator: " "), since: try date("--since"), until: try date("--until"),
            filesOnly: arguments.has("--files"), limit: try arguments.count("--count") ?? 50)
        if let who = arguments.text("--in") { query.contact = try contacts.find(who).id }
        if let who = arguments.text("--from") {
            query.from = who.lowercased() == "me" ? .outgoing : .incoming
            if query.from == .incoming { query.contact = try contacts.find(who).id }
        }
        let finalQuery = query
        let result = try await HistoryFile.read(paths) { store throws(StoreError) in
            try await store.search(finalQuery)
        }
        let records = Records(contacts: contacts)
        for message in result?.hits ?? [] { try print(message, records, withConversation: true) }
        return result?.hits.isEmpty ?? true ? .negative : .done
    }

    private func date(_ option: String) throws(CommandError) -> Timestamp? {
        guard let text = arguments.text(option) else { return nil }
        guard let time = RFC3339.read(text) else {
            throw .badValue(option, text, "a date like 2026-11-21 or 2026-11-21T09:02:00Z")
        }
        return time
    }

    /// A message for scripts, or its lines for people: time, who, state, text.
    private func print(
        _ message: ChatMessage, _ records: Records, withConversation: Bool = false
    ) throws(CommandError) {
        guard !isJSON else { return try streams.json(records.record(of: message)) }
        let name = safeName(records.contacts.name(of: message.contact))
        var head = LocalTime.text(message.stored) + "  "
        if withConversation { head += "\(name)  " }
        head += message.direction == .outgoing ? "me \(Self.mark(message.state))  " : "\(name)  "
        switch message.content {
        case .file(let transfer):
            let file = SafeText(transfer.name, as: .fileName).terminalString()
            let place = transfer.path.map { "  \(safeLine($0))" } ?? ""
            try streams.line(
                "\(head)#\(transfer.number.rawValue) \(file)  \(transfer.size) bytes  "
                    + "\(transfer.state.rawValue)\(place)")
        case .text(let text):
            let lines = SafeText(text, as: .multiline).lines().map { $0.terminalString() }
            try streams.line(head + (lines.first ?? ""))
            for line in lines.dropFirst() { try streams.line("    " + line) }
        }
    }

    private static func mark(_ state: DeliveryState) -> String {
        switch state {
        case .pending: "~"
        case .sent: ">"
        case .delivered: "✓"
        case .read: "✓✓"
        case .failed: "!"
        }
    }
}

/// Times for people: `2026-11-21 09:02` in this machine's time zone.
enum LocalTime {
    static func text(_ time: Timestamp) -> String {
        let second = time.milliseconds.flooredQuotient(by: 1000)
        let clamped = min(max(second, -62_000_000_000), 253_000_000_000)
        let local = Timestamp(milliseconds: (clamped + localOffset(at: clamped)) * 1000)
        let digits = RFC3339.text(local).utf8.prefix(16)
        return String(decoding: digits.map { $0 == UInt8(ascii: "T") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }
}
