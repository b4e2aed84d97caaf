// `blipchat transfers`: what is being sent and received.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI
import ChatWords
import Storage

struct ListTransfersCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        let unfinishedOnly = context.arguments.has("--unfinished")
        // A running instance knows how far and how fast they are; the disk knows all that there were.
        let running = await runningTransfers(paths)
        let records = Records(contacts: try await HistoryFile.contacts(paths))
        let transfers = try await HistoryFile.read(paths) { store throws(StoreError) in
            try await store.transfers(unfinishedOnly: unfinishedOnly, limit: .max)
        }
        for transfer in transfers ?? [] {
            let news = transfer.state.isFinal ? nil : running[transfer.id]
            try context.print(news ?? .transfer(transfer, records))
        }
        return .done
    }

    /// The reports of a running instance about unfinished transfers; none when none runs or answers.
    private func runningTransfers(_ paths: HomePaths) async -> [MessageID: ChatReport] {
        // One that is stopped says nothing, and nothing moves.
        guard let chat = try? await context.runningChat(paths, patience: .seconds(10), limit: .seconds(10)) else {
            return [:]
        }
        let records = try? await chat.recordsWithRates()
        let transfers = try? await chat.service.ask(.transfers(unfinishedOnly: true))
        await chat.close()
        guard let records, let transfers else { return [:] }
        return Dictionary(transfers.map { ($0.id, .transfer($0, records)) }) { $1 }
    }
}

/// `transfers accept`, `decline`, `pause`, `resume` and `cancel`.
struct ChangeTransferCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        guard let change = TransferChange(context.arguments.command) else { return .usage }
        let folder = try context.arguments.text("--into").map { path throws(CommandError) in
            try HomePaths.absolute(path)
        }
        let numbers = try await numbers(for: change)
        return try await context.withChat { chat throws(CommandError) in
            try await context.forEach(of: numbers) { number throws(CommandError) in
                let subject = "#\(number.rawValue)"
                try await chat.ask(change.call(number, into: folder), about: subject)
                let transfer = try await chat.ask(.transfer(number), about: subject)
                try context.print(.transfer(transfer, try await chat.recordsWithRates()))
            }
        }
    }

    /// The transfers that are named: one, or of several those that the change can be about.
    private func numbers(for change: TransferChange) async throws(CommandError) -> [TransferNumber] {
        guard let set = NumberSet(context.operand(0)) else {
            return [TransferNumber(try context.arguments.number(at: 0, of: "transfer"))]
        }
        let numbers = try await UnfinishedTransfers(context).all.filter {
            change.fits($0) && set.contains($0.number.rawValue)
        }
        .map(\.number.rawValue).sorted()
        guard !numbers.isEmpty else {
            throw CommandError(
                .notFound, context.operand(0), "no matching transfer",
                advice: "blipchat transfers list --unfinished shows them")
        }
        return numbers.map { TransferNumber($0) }
    }
}

extension TransferChange {
    fileprivate init?(_ command: CommandName) {
        switch command {
        case .transfersAccept: self = .accept
        case .transfersDecline: self = .decline
        case .transfersPause: self = .pause
        case .transfersResume: self = .resume
        case .transfersCancel: self = .cancel
        default: return nil
        }
    }

    fileprivate func call(_ number: TransferNumber, into folder: String?) -> ChatCall<NoReply> {
        switch self {
        case .accept: .acceptTransfer(number, into: folder)
        case .decline: .declineTransfer(number)
        case .pause: .pauseTransfer(number)
        case .resume: .resumeTransfer(number)
        case .cancel: .cancelTransfer(number)
        }
    }
}

/// `transfers limit`: makes sense only while blipchat runs.
struct LimitRateCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let (scope, word) = (context.operand(0), context.operand(1))
        guard let limited = RateScope(words: scope) else {
            throw CommandError(.usage, scope, "not up, down or a transfer", advice: "write up, down or a number")
        }
        guard let rate = Units.bytes(of: word) ?? (word.lowercased() == "off" ? 0 : nil) else {
            throw CommandError(.usage, word, "not a rate", advice: "give bytes per second, like 500k, or off")
        }
        let limit = rate > 0 ? rate : nil
        let paths = try context.paths()
        let none = CommandError(
            .negative, paths.data, "blipchat is not running here", advice: "start blipchat, or blipchat serve")
        guard let chat = try await context.runningChat(paths, patience: .seconds(10), limit: .seconds(10)) else {
            throw none
        }
        do throws(CommandError) { try await chat.ask(.setRateLimit(limit, of: limited), about: scope) } catch {
            let hasEnded = await chat.hasEnded
            await chat.close()
            throw hasEnded ? none : error
        }
        await chat.close()
        try context.print(Records.limit(limit, of: limited))
        return .done
    }
}

struct WatchTransfersCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        // A user who follows the transfers wants to see them move, also where there is no terminal.
        let progress = FileProgress(streams: context.streams, isAsked: true)
        defer { progress.clear() }
        // What runs already is no news for a while: it is shown first.
        let unfinished = try await UnfinishedTransfers(context)
        for transfer in unfinished.all {
            progress.note(transfer)
            try context.print(.transfer(transfer, unfinished.records))
        }
        let following = Following(
            context: context, needs: ChatNeeds(listens: true, endsWithChat: true), asJSON: context.isJSON
        ) { [context] report throws(CommandError) in
            if case .progress(let news) = report { progress.show(news) }
            guard let file = report.file else { return }
            progress.note(file.transfer)
            try context.streams.line(file.line)
        }
        return try await following.run { chat, reports throws(CommandError) in
            try await EventFollower(chat: chat) { report in
                if case .progress = report { await reports(report) }
                if report.file != nil { await reports(report) }
            }.run()
        }
    }
}

/// Those on the disk that are not at their end.
private struct UnfinishedTransfers {
    let records: Records
    let all: [FileTransfer]

    init(_ context: CommandContext) async throws(CommandError) {
        let paths = try context.paths()
        all =
            try await HistoryFile.read(paths) { store throws(StoreError) in
                try await store.transfers(unfinishedOnly: true, limit: .max)
            } ?? []
        records = Records(contacts: try await HistoryFile.contacts(paths))
    }
}

extension CommandContext {
    /// Prints a transfer: its record with --json, its line without.
    fileprivate func print(_ report: ChatReport) throws(CommandError) {
        if isJSON {
            if let record = report.record { try streams.json(record) }
        } else if let file = report.file {
            try streams.line(file.line)
        }
    }
}
