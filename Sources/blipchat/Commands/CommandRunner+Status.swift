// `blipchat status`: what runs, who is connected, what waits.

import ChatCore
import Storage

extension CommandRunner {
    func printStatus() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        let status: JSONValue
        if let running = await runningStatus(paths) {
            status = running
        } else {
            let conversations = try await HistoryFile.read(paths) { store throws(StoreError) in
                try await store.conversations()
            }
            status = StatusRecord.stopped(conversations: conversations ?? [])
        }
        if isJSON {
            try streams.json(status)
        } else {
            for line in StatusRecord.lines(of: status) { try streams.line(line) }
        }
        return .done
    }

    /// What the instance on this home says of itself; `nil` when none runs or it does not answer.
    func runningStatus(_ paths: HomePaths) async -> JSONValue? {
        guard let client = try? ControlClient(path: paths.socket) else { return nil }
        let records = RecordList()
        let result = await client.perform(.status, patience: .seconds(5)) { await records.append($0) }
        guard case .done = result else { return nil }
        return await records.all.first
    }
}

/// Collects records.
actor RecordList {
    private(set) var all: [JSONValue] = []

    func append(_ record: JSONValue) { all.append(record) }
}
