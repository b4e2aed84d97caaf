// Commands that continue until somebody ends them: `blipchat watch`, `transfers watch`, `receive`.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings

/// Takes what happens as it comes.
typealias ReportSink = @Sendable (ChatReport) async -> Void

/// A command that follows a chat, which takes calls where it is our own.
struct Following: Sendable {
    let context: CommandContext
    let needs: ChatNeeds
    let asJSON: Bool
    /// For people.
    let print: @Sendable (ChatReport) throws(CommandError) -> Void

    /// Follows until `body` returns, a signal comes, or nobody reads what it prints any more.
    ///
    /// A signal ends our own chat in order: unfinished work continues the next time.
    func run(
        _ body: @escaping @Sendable (CommandChat, @escaping ReportSink) async throws(CommandError) -> ExitCode
    ) async throws(CommandError) -> ExitCode {
        try await HomeKey(context: context).openToStart(try context.paths())
        let printer = ReportPrinter(isJSON: asJSON, streams: context.streams, print: print)
        let signals = try await TerminationSignals.take()
        let chat = try await context.openChat(needs)
        if chat.isAttached, let place = context.arguments.text("--listen") {
            context.streams.note("blipchat: --listen \(place): ignored, the running blipchat keeps its own address")
        }
        let (failures, failed) = AsyncStream<Void>.makeStream()
        let result = await withTaskGroup(of: Outcome?.self) { group in
            group.addTask {
                do throws(CommandError) {
                    return .success(
                        try await body(chat) { report in
                            await printer.take(report)
                            if await printer.failure != nil { failed.yield() }
                        })
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { await signals.wait().map { .success($0) } }
            group.addTask {
                for await _ in failures { return .success(.brokenPipe) }
                return nil
            }
            let first = await group.next() ?? nil
            failed.finish()
            group.cancelAll()
            return first
        }
        await chat.close()
        // Output that nobody reads any more is no failure of a process that was asked to end.
        if case .success(let code)? = result, code == .interrupted || code == .terminated { return code }
        if let failure = await printer.failure { throw failure }
        return try result?.get() ?? .done
    }
}

/// Reports everything that happens.
struct EventFollower: Sendable {
    let chat: CommandChat
    let reports: ReportSink

    /// Returns when the chat ends as whoever runs it wanted, or when the task is cancelled.
    func run() async throws(CommandError) -> ExitCode {
        do throws(CommandError) { return try await follow() } catch {
            guard await chat.hasEnded else { throw error }
            return .done
        }
    }

    private func follow() async throws(CommandError) -> ExitCode {
        // We ask for events first: what happens while we read the newest messages is compared with what they were.
        let events = await chat.service.events()
        let begun = Timestamp.now
        var news = MessageNews()
        let conversations = try await newestConversations()
        for last in conversations.compactMap(\.lastMessage) { news.know(last) }
        for conversation in conversations.prefix(MessageNews.conversations) {
            let page = try? await chat.service.ask(
                .page(of: conversation.peer.id, .newest, limit: MessageNews.pageSize))
            for message in page ?? [] { news.know(message) }
        }
        let running = RunningProgress()
        // Read anew only when a name may have changed: thousands of events may come in a second.
        var contacts: ContactDirectory?
        for await event in events {
            guard !Task.isCancelled else { return .done }
            running.note(event)
            if case .conversationsChanged = event { contacts = nil }
            if let contact = event.contact, contacts?.peers.contains(where: { $0.id == contact }) == false {
                contacts = nil
            }
            let directory: ContactDirectory
            if let contacts { directory = contacts } else { directory = try await chat.directory() }
            contacts = directory
            let rates = Dictionary(running.all.map { ($0.id, $0.rate) }) { $1 }
            let records = Records(contacts: directory, rates: rates)
            switch event {
            case .messageAdded(let message) where news.isToldByReading(message): break
            case .messageAdded(let message):
                await reports(.message(message, records, news: news.event(of: message, isNew: true)))
            case .messageChanged(let message):
                await reports(.message(message, records, news: news.event(of: message, isNew: false)))
            case .transferProgress(let progress): await reports(.progress(progress))
            case .historyReplaced(let contact):
                try await readAgain(contact, from: news.place(in: contact)) { message in
                    // An import is no news.
                    guard let event = news.eventByReading(message), event != .added || message.stored >= begun else {
                        return
                    }
                    await reports(.message(message, records, news: event))
                }
            default: await reports(.event(event, records))
            }
        }
        if let failure = await chat.failure { throw failure }
        return .done
    }

    /// Reads what no event told, because events came faster than we took them, or because another process ran the chat: changes
    /// of the newest messages, and every new one.
    private func readAgain(
        _ contact: ContactID, from place: HistoryPosition, _ take: (ChatMessage) async -> Void
    ) async throws(CommandError) {
        var anchor = PageAnchor.newest
        var place = place
        while !Task.isCancelled {
            let page = try await chat.ask(.page(of: contact, anchor, limit: MessageNews.pageSize), about: "history")
            for message in page where anchor != .newest || message.position <= place { await take(message) }
            if anchor != .newest {
                guard page.count == MessageNews.pageSize, let last = page.last else { return }
                place = last.position
            }
            anchor = .after(place)
        }
    }

    /// Those in which something happened last come first.
    private func newestConversations() async throws(CommandError) -> [Conversation] {
        let all = try await chat.ask(.conversations, about: "contacts")
        return all.sorted { ($0.lastMessage?.position.rawValue ?? 0) > ($1.lastMessage?.position.rawValue ?? 0) }
    }
}
