// `blipchat transfers`: what is being sent and received.

import ChatCore
import ChatTUI
import ChatWords
import Storage

extension CommandRunner {
    func listTransfers() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        let unfinishedOnly = arguments.has("--unfinished")
        // A running instance knows how far and how fast they are; the disk knows all that there were.
        let running = await runningTransfers(paths)
        let records = Records(contacts: try await contacts(paths))
        let transfers = try await HistoryFile.read(paths) { store throws(StoreError) in
            try await store.transfers(unfinishedOnly: unfinishedOnly, limit: .max)
        }
        for transfer in transfers ?? [] {
            let news = transfer.state.isFinal ? nil : running[transfer.id.text]
            let record = news ?? records.file(transfer)
            if isJSON { try streams.json(record) } else { try printTransfer(record) }
        }
        return .done
    }

    private func unfinishedTransfers(_ paths: HomePaths) async throws(CommandError) -> (Records, [FileTransfer]) {
        let transfers = try await HistoryFile.read(paths) { store throws(StoreError) in
            try await store.transfers(unfinishedOnly: true, limit: .max)
        }
        return (Records(contacts: try await contacts(paths)), transfers ?? [])
    }

    /// What a running instance tells of unfinished transfers, by their ids; nothing when none runs or answers.
    private func runningTransfers(_ paths: HomePaths) async -> [String: JSONValue] {
        // One that is stopped says nothing, and nothing moves.
        guard let client = try? ControlClient(path: paths.socket) else { return [:] }
        let list = RecordList()
        _ = await client.perform(.listTransfers(unfinishedOnly: true), patience: .seconds(10)) {
            await list.append($0)
        }
        return Dictionary(
            await list.all.compactMap { record in record["id"]?.stringValue.map { ($0, record) } },
            uniquingKeysWith: { $1 })
    }

    func changeTransfer(_ change: TransferChange) async throws(CommandError) -> ExitCode {
        let folder = try arguments.text("--into").map { path throws(CommandError) in try HomePaths.absolute(path) }
        let operations = try await transferNumbers(for: change).map {
            ControlOperation.changeTransfer($0, change, folder: folder)
        }
        return try await performAll(operations, print: printTransfer)
    }

    /// The transfers that are named: one, or of several those that the change can be about.
    private func transferNumbers(for change: TransferChange) async throws(CommandError) -> [Int64] {
        guard let set = NumberSet(operand(0)) else { return [try arguments.number(at: 0, of: "transfer")] }
        let numbers = try await unfinishedTransfers(try paths()).1.filter {
            change.fits($0) && set.contains($0.number.rawValue)
        }
        .map(\.number.rawValue).sorted()
        guard !numbers.isEmpty else {
            throw CommandError(
                .notFound, operand(0), "no matching transfer",
                advice: "blipchat transfers list --unfinished shows them")
        }
        return numbers
    }

    func limitRate() async throws(CommandError) -> ExitCode {
        let word = operand(1)
        _ = try OperationRunner.rateScope(operand(0))
        let rate = Units.bytes(of: word)
        guard rate != nil || word.lowercased() == "off" else {
            throw CommandError(.usage, word, "not a rate", advice: "give bytes per second, like 500k, or off")
        }
        let list = RecordList()
        let code = try await runningInstance { client in
            await client.perform(
                .limitRate(operand(0), bytesPerSecond: rate.flatMap { $0 > 0 ? $0 : nil }), patience: .seconds(10)
            ) { await list.append($0) }
        }
        if isJSON { for record in await list.all { try streams.json(record) } }
        return code
    }

    func watchTransfers() async throws(CommandError) -> ExitCode {
        // Whoever follows the transfers wants to see them move, also where no terminal is.
        let progress = FileProgress(streams: streams, isAsked: true)
        defer { progress.clear() }
        // What runs already is no news for a while: it is shown first.
        let (records, transfers) = try await unfinishedTransfers(try paths())
        for record in transfers.map({ records.file($0) }) {
            progress.note(record)
            if isJSON { try streams.json(record) } else { try printTransfer(record) }
        }
        return try await follow(.events, asJSON: isJSON, only: ["file", "progress"]) { record throws(CommandError) in
            if record["type"]?.stringValue == "file" {
                progress.note(record)
                try printTransfer(record)
            } else {
                progress.show(record)
            }
        }
    }

    /// What makes sense only while blipchat runs.
    private func runningInstance(
        _ ask: (ControlClient) async -> ControlResult
    ) async throws(CommandError) -> ExitCode {
        let paths = try paths()
        var result = ControlResult.again
        if let client = try ControlClient(path: paths.socket) { result = await ask(client) }
        switch result {
        case .done(let code): return code
        case .failed(let error): throw error
        case .again:
            throw CommandError(
                .negative, paths.data, "blipchat is not running here", advice: "start blipchat, or blipchat serve")
        }
    }

    @Sendable private func printTransfer(_ record: JSONValue) throws(CommandError) {
        func text(_ name: String) -> String { record[name]?.stringValue ?? "" }
        let arrow = text("direction") == "outgoing" ? "to" : "from"
        let name = SafeText(text("name"), as: .fileName)
        var file = name.terminalString() + (name.hiddenNote.map { " " + $0.terminalString() } ?? "")
        let folders = text("folder").split(separator: "/").map { SafeText(String($0), as: .fileName).terminalString() }
        if !folders.isEmpty { file += " in \(folders.joined(separator: "/"))" }
        var line = "#\(record["number"]?.integerValue ?? 0)  \(file)  \(arrow) \(safeName(text("conversation")))  "
        line += "\(record["transferred"]?.integerValue ?? 0) of \(record["size"]?.integerValue ?? 0) bytes  "
        line += text("state")
        if let rate = record["rate"]?.doubleValue, rate > 0 { line += "  \(Units.rate(rate))" }
        if !text("reason").isEmpty { line += "  (\(safeLine(text("reason"))))" }
        try streams.line(line)
    }
}
