// The chat that a command asks: that of another process on this home, else its own for as long as the command takes.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import Synchronization

enum CommandChat: Sendable {
    case own(ChatInstance)
    /// When that process ends in order, the chat continues in whichever comes next, perhaps this one.
    case attached(AttachedService)

    var service: any ChatService {
        switch self {
        case .own(let instance): instance.chat
        case .attached(let service): service
        }
    }

    var isAttached: Bool { if case .attached = self { true } else { false } }

    /// How the chat has ended; `nil` while it can be asked.
    private var end: AttachedService.End? {
        get async {
            switch self {
            case .own: nil
            case .attached(let service): await service.end
            }
        }
    }

    /// Why nothing can be asked any more.
    var failure: CommandError? {
        get async { if case .failed(let error) = await end { error } else { nil } }
    }

    /// The process that ran it has ended in order, and nobody continues it.
    var hasEnded: Bool { get async { await end == .inOrder } }

    func close() async {
        switch self {
        case .own(let instance): await instance.stop()
        case .attached(let service): await service.detach()
        }
    }

    // MARK: Asking

    /// Asks the chat; its errors become sentences about `subject`.
    func ask<Reply>(_ call: ChatCall<Reply>, about subject: String) async throws(CommandError) -> Reply {
        do throws(ChatError) { return try await service.ask(call) } catch {
            if case .instanceLost = error, let failure = await failure { throw failure }
            throw CommandError(error.asConfined, about: subject)
        }
    }

    func ask(_ call: ChatCall<NoReply>, about subject: String) async throws(CommandError) {
        let _: NoReply = try await ask(call, about: subject)
    }

    func directory() async throws(CommandError) -> ContactDirectory {
        ContactDirectory(try await ask(.conversations, about: "contacts").map(\.peer))
    }

    func contact(_ who: String) async throws(CommandError) -> Peer { try await directory().find(who) }

    func records() async throws(CommandError) -> Records { Records(contacts: try await directory()) }

    /// The same with how fast transfers are.
    func recordsWithRates() async throws(CommandError) -> Records {
        var records = try await records()
        for progress in try await ask(.transferProgress, about: "transfers") {
            records.rates[progress.id] = progress.rate
        }
        return records
    }
}

/// The records of who is who, for commands that hear of thousands of files within a second.
final class RecentRecords: Sendable {
    private static let validity = Duration.seconds(1)
    private let last = Mutex<(records: Records, read: ContinuousClock.Instant)?>(nil)

    /// The records of now, or of a moment ago if they know `contact`.
    func records(of chat: CommandChat, knowing contact: ContactID) async throws(CommandError) -> Records {
        if let last = last.withLock({ $0 }), ContinuousClock.now - last.read < Self.validity,
            last.records.contacts.knows(contact)
        {
            return last.records
        }
        let records = try await chat.records()
        last.withLock { $0 = (records, .now) }
        return records
    }
}

/// The needs of a command: what the chat must offer it.
struct ChatNeeds: Sendable {
    /// It involves others. A command that is only about this home must not show contacts that we are here.
    var concernsPeers = true
    /// A chat of this process takes calls.
    var listens = false
    /// It may be needed for days, which is no reason for a screen not to open.
    var isLong = false
    /// The command ends with the chat, where nobody continues that.
    var endsWithChat = false
    /// The command begins work that needs a chat that stays until it is done.
    var needsLongChat = false

    /// It is about this home only.
    static let quiet = ChatNeeds(concernsPeers: false)
}

extension CommandContext {
    /// `afterEnd`: the process that ran the chat has just ended.
    func openChat(
        _ needs: ChatNeeds = ChatNeeds(), afterEnd: Bool = false
    ) async throws(CommandError) -> CommandChat {
        let paths = try paths()
        let patience = try arguments.seconds("--timeout") ?? .seconds(10)
        let finder = ChatFinder(
            paths: paths, concernsPeers: needs.concernsPeers, endsWithChat: needs.endsWithChat,
            needsLongChat: needs.needsLongChat, limit: .seconds(30) + patience,
            attached: { [streams] in streams.detail("through the running blipchat at \(paths.socket)") },
            start: { listening throws(CommandError) in try await startChat(needs, at: listening, paths) })
        switch try await finder.find(afterEnd: afterEnd) {
        case .own(let instance): return .own(instance)
        case .attached(let found):
            return .attached(
                await AttachedService.attach(to: found, at: paths.socket, home: paths, as: .command(finder)))
        }
    }

    private func startChat(
        _ needs: ChatNeeds, at listening: String?, _ paths: HomePaths
    ) async throws(CommandError) -> ChatInstance {
        let opened = try await HomeKey(context: self).open(paths)
        var configuration = try chatConfiguration(configuration(paths), paths, listens: needs.listens)
        if needs.listens, !arguments.has("--listen") { configuration.goOn(at: listening) }
        configuration.callsContacts = needs.concernsPeers
        noteLostKey(paths)
        let instance = try await ChatInstance.start(
            paths, configuration, for: needs.listens || needs.isLong ? .everybody(until: .command) : .commands,
            key: opened)
        streams.detail("blipchat is not running on \(paths.data): connecting from here")
        if needs.listens, let listening = await instance.client.identity.listening {
            streams.note("listening \(listening)")
        }
        return instance
    }

    /// Does something with the chat, and closes it.
    func withChat<Value>(
        _ needs: ChatNeeds = ChatNeeds(), _ body: (CommandChat) async throws(CommandError) -> Value
    ) async throws(CommandError) -> Value {
        let chat = try await openChat(needs)
        do throws(CommandError) {
            let value = try await body(chat)
            await chat.close()
            return value
        } catch {
            await chat.close()
            throw error
        }
    }

    /// The chat that runs now, for a question to it; `nil` when none runs or it does not answer.
    ///
    /// Throws when it is another version, or stopped.
    func runningChat(
        _ paths: HomePaths, patience: Duration, limit: Duration? = nil
    ) async throws(CommandError) -> CommandChat? {
        try await AttachedService.attach(
            to: paths.socket, home: paths, as: .visitor(patience: patience, limit: limit)
        ).map(CommandChat.attached)
    }

    /// Prints a record with --json, without it what `lines` prints for people.
    func print(
        _ record: JSONValue, _ lines: () throws(CommandError) -> Void = {}
    ) throws(CommandError) {
        if isJSON { try streams.json(record) } else { try lines() }
    }

    /// Does the same to several: reports each that fails, and does the others all the same. The code is that of the
    /// first that failed.
    func forEach<Item>(
        of items: [Item], _ body: (Item) async throws(CommandError) -> Void
    ) async throws(CommandError) -> ExitCode {
        var failed: ExitCode?
        for item in items {
            do throws(CommandError) { try await body(item) } catch {
                // Nobody reads any more, or nothing can be reached: it is the same for the others.
                guard items.count > 1, error.exit != .brokenPipe, error.exit != .store else { throw error }
                streams.report(error)
                failed = failed ?? error.exit
            }
        }
        return failed ?? .done
    }
}
