// `blipchat transfers`: what is being sent and received.

import ChatCore
import ChatTUI
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
        let folder = arguments.text("--into")
        let operation = ControlOperation.changeTransfer(
            try arguments.number(at: 0, of: "transfer"), change,
            folder: try folder.map { path throws(CommandError) in try HomePaths.absolute(path) })
        return try await perform(operation, print: printTransfer)
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
        let progress = FileProgress(streams: streams)
        defer { progress.clear() }
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
                .negative, paths.data, "no blipchat runs here", advice: "start blipchat, or blipchat serve")
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
