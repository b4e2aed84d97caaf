// `blipchat forget`, `keep`, `backup` and `restore`: what becomes of old messages.

import ChatCore
import Storage

extension CommandRunner {
    func forget() async throws(CommandError) -> ExitCode {
        let who = operand(0)
        let before = try date("--before")
        let ids = arguments.operands.dropFirst()
        let wishes = [!ids.isEmpty, before != nil, arguments.has("--all")].count { $0 }
        guard wishes == 1 else {
            throw CommandError(
                .usage, "forget", wishes == 0 ? "what do you want to delete?" : "which one do you mean?",
                advice: "give IDs, or --before DATE, or --all")
        }
        var operation = ControlOperation.clear(who, before: before)
        if !ids.isEmpty {
            var messages: [MessageID] = []
            for text in ids {
                guard let id = MessageID(text.lowercased()) else {
                    throw CommandError(
                        .usage, text, "not the id of a message", advice: "see blipchat history WHO --json")
                }
                messages.append(id)
            }
            operation = .deleteMessages(of: who, ids: messages)
        }
        return try await perform(operation, patience: .seconds(3600)) { [streams] record throws(CommandError) in
            try streams.line("\(Int(record["messages"]?.integerValue ?? 0).counted("message")) deleted")
        }
    }

    func keep() async throws(CommandError) -> ExitCode {
        let change = arguments.operands.count > 1 ? operand(1).lowercased() : nil
        let rules = try configuration(try paths()).retentionRules
        return try await perform(.keep(operand(0), change: change), patience: .seconds(3600)) {
            [streams] record throws(CommandError) in
            let own = Retention(record["keep"]?.stringValue ?? "")
            let name = record["conversation"]?.stringValue ?? ""
            let text =
                switch rules.retention(named: name, own: own) {
                case .forever: "forever"
                case .days(let days): days.counted("day")
                }
            try streams.line(own == nil ? "\(text), as config.toml says" : text)
        }
    }

    func backUp() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        let target = try HomePaths.absoluteFile(operand(0))
        guard try SmallFile.isThere(paths.history) else {
            throw CommandError(.notFound, "history", "there is none yet")
        }
        var result = ControlResult.again
        if let client = try ControlClient(path: paths.socket) {
            result = await client.perform(.backUp(to: target), patience: .seconds(3600)) { _ in }
        }
        // Where a confined chat may not write, this process may.
        if case .failed(let error) = result, error.outOfReach != nil { result = .again }
        switch result {
        case .done: break
        case .failed(let error): throw error
        // Nobody runs, or not any more, or not with enough rights.
        case .again:
            _ = try await HistoryFile.read(paths) { store throws(StoreError) in try await store.backUp(to: target) }
        }
        if isJSON {
            try streams.json(
                .record([
                    "v": 1, "type": "backup", "path": .string(target), "size": .integer(SmallFile.size(target) ?? 0),
                ]))
        } else {
            try streams.line(safeLine(target))
        }
        return .done
    }

    /// What contacts are called, by their keys; empty where that cannot be read.
    private func namesByKey(_ paths: HomePaths) async throws(CommandError) -> [PeerID: String] {
        let peers = try? await HistoryFile.read(paths) { store throws(StoreError) in try await store.contacts() }
        return Dictionary((peers ?? []).compactMap { peer in peer.peerID.map { ($0, peer.name) } }) { $1 }
    }

    /// An older history may have older names: what config.toml has for a contact is for the same one as before.
    private func followNames(from before: [PeerID: String], _ paths: HomePaths) async throws(CommandError) {
        let now = try await namesByKey(paths)
        let file = ConfigurationFile(paths: paths, home: environment["HOME"])
        let taken = Set(before.values.map(ContactNames.folded))
        for (key, old) in before.sorted(by: { $0.value < $1.value }) {
            // What is set for somebody else stays theirs.
            guard let new = now[key], !taken.contains(ContactNames.folded(new)) else { continue }
            if paths.sharesConfiguration {
                _ = try file.copyContact(old, to: new)
            } else {
                _ = try file.moveContact(old, to: new)
            }
        }
    }

    func restore() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        let backup = try HomePaths.absoluteFile(operand(0))
        let (kept, summary) = try await withHome(paths) { () throws(CommandError) in
            let before = try await namesByKey(paths)
            let result: (kept: String?, HistoryDatabase.BackupSummary)
            do throws(StoreError) {
                result = try await HistoryDatabase.restore(from: backup, to: paths.history)
            } catch {
                throw CommandError(error, path: backup)
            }
            try await followNames(from: before, paths)
            return result
        }
        if isJSON {
            try streams.json(
                .record([
                    "v": 1, "type": "restore", "messages": .integer(Int64(summary.messages)),
                    "contacts": .integer(Int64(summary.contacts)), "kept": kept.map(JSONValue.string) ?? .null,
                ]))
        } else {
            try streams.line(
                "restored: \(summary.messages.counted("message")) of \(summary.contacts.counted("contact"))")
            if let kept { try streams.line("the previous history is kept as \(safeLine(kept))") }
        }
        return .done
    }
}
