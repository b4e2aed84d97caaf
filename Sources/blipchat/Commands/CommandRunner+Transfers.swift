// `blipchat transfers`: what is being sent and received.

import ChatCore
import ChatTUI
import Storage

extension CommandRunner {
    func listTransfers() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        let unfinishedOnly = arguments.has("--unfinished")
        let list = RecordList()
        var isAnswered = false
        // A running instance knows how fast they are; else the disk knows all but that.
        if let client = try ControlClient(path: paths.socket) {
            let operation = ControlOperation.listTransfers(unfinishedOnly: unfinishedOnly)
            let result = await client.perform(operation, patience: .seconds(10)) { await list.append($0) }
            isAnswered = result == .done(.done)
        }
        var lines = isAnswered ? await list.all : []
        if !isAnswered {
            let records = Records(contacts: try await contacts(paths))
            let transfers = try await HistoryFile.read(paths) { store throws(StoreError) in
                try await store.transfers(unfinishedOnly: unfinishedOnly, limit: 100_000)
            }
            lines = (transfers ?? []).map { records.file($0) }
        }
        for record in lines {
            if isJSON { try streams.json(record) } else { try printTransfer(record) }
        }
        return .done
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
        let rate = Units.bytes(of: word)
        guard rate != nil || word.lowercased() == "off" else {
            throw CommandError(.usage, word, "not a rate", advice: "give bytes per second, like 500k, or off")
        }
        return try await runningInstance { client in
            await client.perform(
                .limitRate(operand(0), bytesPerSecond: rate.flatMap { $0 > 0 ? $0 : nil }), patience: .seconds(10)
            ) { _ in }
        }
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
        var file = SafeText(text("name"), as: .fileName).terminalString()
        if !text("folder").isEmpty { file += " in \(SafeText(text("folder"), as: .fileName).terminalString())" }
        var line = "#\(record["number"]?.integerValue ?? 0)  \(file)  \(arrow) \(safeName(text("conversation")))  "
        line += "\(record["transferred"]?.integerValue ?? 0) of \(record["size"]?.integerValue ?? 0) bytes  "
        line += text("state")
        if let rate = record["rate"]?.doubleValue, rate > 0 { line += "  \((rate / 100_000).rounded() / 10) MB/s" }
        if !text("reason").isEmpty { line += "  (\(safeLine(text("reason"))))" }
        try streams.line(line)
    }
}
