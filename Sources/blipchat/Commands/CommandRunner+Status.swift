// `blipchat status`: what runs, who is connected, what waits.

import BLIPNet
import ChatCore
import Storage

extension CommandRunner {
    func printStatus() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        var name: String?
        if let who = arguments.operands.first { name = try await contacts(paths).find(who).name }
        if arguments.has("--wait") { return try await waitUntilOnline(name, paths) }
        try print(status: try await status(paths), of: name)
        return .done
    }

    private func print(status: JSONValue, of name: String?) throws(CommandError) {
        let status = name.map { StatusRecord.only($0, of: status) } ?? status
        guard !isJSON else { return try streams.json(status) }
        for line in StatusRecord.lines(of: status) { try streams.line(line) }
    }

    /// What the running instance says, else what the disk says.
    private func status(_ paths: HomePaths) async throws(CommandError) -> JSONValue {
        if let running = try await runningStatus(paths) { return running }
        let conversations = try await HistoryFile.read(paths) { store throws(StoreError) in
            try await store.conversations()
        }
        // Who holds the home but does not answer starts, ends, or changes the history alone.
        let process = InstanceLock.holder(path: paths.lock)
        return StatusRecord.onDisk(conversations: conversations ?? [], own: own(paths), process: process)
    }

    /// A key or settings that cannot be read are told by other commands: this one says what it knows.
    private func own(_ paths: HomePaths) -> (peerID: PeerID?, name: String?) {
        let fingerprint = try? IdentityFile.fingerprint(at: paths.identity)
        return (fingerprint.map { PeerID($0) }, ownName(paths))
    }

    /// What others see us as; `nil` where the settings cannot be read, which other commands tell.
    func ownName(_ paths: HomePaths) -> String? {
        guard let settings = try? configuration(paths) else { return nil }
        return settings.ownName(in: paths, environment: environment)
    }

    /// Asks until `name` (or anybody) is online, at most `--timeout`, and prints the last answer.
    private func waitUntilOnline(_ name: String?, _ paths: HomePaths) async throws(CommandError) -> ExitCode {
        let limit = try arguments.seconds("--timeout").map { ContinuousClock.now + $0 }
        while true {
            let status = try await status(paths)
            let isOnline = StatusRecord.isOnline(name, in: status)
            guard isOnline || limit.map({ ContinuousClock.now >= $0 }) ?? false else {
                try? await Task.sleep(for: .milliseconds(200))
                continue
            }
            try print(status: status, of: name)
            return isOnline ? .done : .negative
        }
    }

    /// What the instance on this home says of itself; `nil` when none runs or it does not answer.
    func runningStatus(_ paths: HomePaths) async throws(CommandError) -> JSONValue? {
        guard let client = try ControlClient(path: paths.socket) else { return nil }
        return await client.status()
    }
}

extension ControlClient {
    /// What the instance says of itself; `nil` when it does not answer.
    func status() async -> JSONValue? {
        let records = RecordList()
        let result = await perform(.status, patience: .seconds(5)) { await records.append($0) }
        guard case .done = result else { return nil }
        return await records.all.first
    }

    /// The same of whoever is behind a socket; `nil` also where it cannot be asked.
    static func status(at path: String) async -> JSONValue? {
        guard let client = try? ControlClient(path: path) else { return nil }
        return await client.status()
    }
}

/// Collects records.
actor RecordList {
    private(set) var all: [JSONValue] = []

    func append(_ record: JSONValue) { all.append(record) }
}
