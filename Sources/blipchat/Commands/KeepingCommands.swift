// `blipchat forget`, `keep`, `backup` and `restore`: what becomes of old messages.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatWords
import Storage

struct ForgetCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let who = context.operand(0)
        let before = try context.arguments.date("--before")
        let ids = context.arguments.operands.dropFirst()
        let wishes = [!ids.isEmpty, before != nil, context.arguments.has("--all")].count { $0 }
        guard wishes == 1 else {
            throw CommandError(
                .usage, "forget", wishes == 0 ? "what do you want to delete?" : "which one do you mean?",
                advice: "give IDs, or --before DATE, or --all")
        }
        var messages: [MessageID] = []
        for text in ids {
            guard let id = MessageID(text.lowercased()) else {
                throw CommandError(.usage, text, "not the id of a message", advice: "see blipchat history WHO --json")
            }
            messages.append(id)
        }
        let wanted = messages
        return try await context.withChat(.quiet) { chat throws(CommandError) in
            let peer = try await chat.contact(who)
            let count =
                if wanted.isEmpty {
                    try await chat.ask(.deleteMessages(of: peer.id, storedBefore: before), about: who)
                } else {
                    try await delete(wanted, of: peer, in: chat)
                }
            try context.print(
                .record([
                    "v": 1, "type": "deleted", "conversation": .string(peer.name), "messages": .integer(Int64(count)),
                ])
            ) { () throws(CommandError) in try context.streams.line("\(count.counted("message")) deleted") }
            return .done
        }
    }

    private func delete(
        _ ids: [MessageID], of peer: Peer, in chat: CommandChat
    ) async throws(CommandError) -> Int {
        let who = context.operand(0)
        let found = try await chat.ask(.messages(ids, of: peer.id), about: who)
        // Of two with one id ours is meant, as everywhere; the same again then means the other one.
        let keys = ids.compactMap { id in
            found.filter { $0.id == id }.max { $0.direction == .incoming && $1.direction == .outgoing }?.key
        }
        let count = try await chat.ask(.deleteMessages(keys, of: peer.id), about: who)
        guard count > 0 else {
            throw CommandError(.notFound, who, "no such message", advice: "blipchat history WHO --json shows the ids")
        }
        return count
    }
}

struct KeepCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let who = context.operand(0)
        let change = context.arguments.operands.count > 1 ? context.operand(1).lowercased() : nil
        let rules = try context.configuration(try context.paths()).retentionRules
        return try await context.withChat(.quiet) { chat throws(CommandError) in
            let peer = try await chat.contact(who)
            if let change {
                let retention = Retention(change)
                guard retention != nil || change == "default" else {
                    throw CommandError(
                        .usage, change, "not a time", advice: "give a number of days, forever or default")
                }
                try await chat.ask(.setRetention(retention, of: peer.id), about: who)
            }
            let own = try await chat.ask(.retention(of: peer.id), about: who)
            try context.print(
                .record([
                    "v": 1, "type": "retention", "conversation": .string(peer.name),
                    "keep": .string(own?.text ?? "default"),
                ])
            ) { () throws(CommandError) in
                let text =
                    switch rules.retention(named: peer.name, own: own) {
                    case .forever: "forever"
                    case .days(let days): days.counted("day")
                    }
                try context.streams.line(own == nil ? "\(text), as config.toml says" : text)
            }
            return .done
        }
    }
}

struct BackupCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        let target = try HomePaths.absoluteFile(context.operand(0))
        guard try SmallFile.isThere(paths.history) else {
            throw CommandError(.notFound, "history", "there is none yet")
        }
        if try await !backUpByRunning(paths, to: target) {
            _ = try await HistoryFile.read(paths) { store throws(StoreError) in try await store.backUp(to: target) }
        }
        try context.print(
            .record([
                "v": 1, "type": "backup", "path": .string(target), "size": .integer(SmallFile.size(target) ?? 0),
            ])
        ) { () throws(CommandError) in try context.streams.line(SafeText.line(target)) }
        return .done
    }

    /// `false` when no process runs the chat, or not any more.
    private func backUpByRunning(_ paths: HomePaths, to target: String) async throws(CommandError) -> Bool {
        guard let chat = try await context.runningChat(paths, patience: .seconds(60)) else { return false }
        var isDone = true
        do throws(CommandError) { try await chat.ask(.backUp(to: target), about: target) } catch {
            guard await chat.hasEnded else {
                await chat.close()
                throw error
            }
            isDone = false
        }
        await chat.close()
        return isDone
    }
}

struct RestoreCommand: Command {
    let context: CommandContext

    /// The names of the contacts, by their keys; empty where they cannot be read.
    private func namesByKey(_ paths: HomePaths) async throws(CommandError) -> [PeerID: String] {
        let peers = try? await HistoryFile.read(paths) { store throws(StoreError) in try await store.contacts() }
        return Dictionary((peers ?? []).compactMap { peer in peer.peerID.map { ($0, peer.name) } }) { $1 }
    }

    /// An older history may have older names: what config.toml has for a contact is for the same one as before.
    private func followNames(from before: [PeerID: String], _ paths: HomePaths) async throws(CommandError) {
        let now = try await namesByKey(paths)
        let file = ConfigurationFile(paths: paths, home: context.environment["HOME"])
        let taken = Set(before.values.map(ContactNames.folded))
        for (key, old) in before.sorted(by: { $0.value < $1.value }) {
            // Settings that were made for somebody else stay theirs.
            guard let new = now[key], !taken.contains(ContactNames.folded(new)) else { continue }
            if paths.sharesConfiguration {
                _ = try file.copyContact(old, to: new)
            } else {
                _ = try file.moveContact(old, to: new)
            }
        }
    }

    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        let backup = try HomePaths.absoluteFile(context.operand(0))
        let (kept, summary) = try await paths.alone { () throws(CommandError) in
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
        if context.isJSON {
            try context.streams.json(
                .record([
                    "v": 1, "type": "restore", "messages": .integer(Int64(summary.messages)),
                    "contacts": .integer(Int64(summary.contacts)), "kept": kept.map(JSONValue.string) ?? .null,
                ]))
        } else {
            try context.streams.line(
                "restored: \(summary.messages.counted("message")) of \(summary.contacts.counted("contact"))")
            if let kept { try context.streams.line("the previous history is kept as \(SafeText.line(kept))") }
        }
        return .done
    }
}
