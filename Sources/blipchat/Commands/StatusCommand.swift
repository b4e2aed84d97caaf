// `blipchat status`: what runs, who is connected, what waits.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import Storage

struct StatusCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        var name: String?
        if let who = context.arguments.operands.first { name = try await HistoryFile.contacts(paths).find(who).name }
        if context.arguments.has("--wait") { return try await waitUntilOnline(name, paths) }
        try print(status: try await status(paths), of: name)
        return .done
    }

    private func print(status: ChatStatus, of name: String?) throws(CommandError) {
        let status = name.map(status.only) ?? status
        guard !context.isJSON else { return try context.streams.json(status.record) }
        for line in status.lines { try context.streams.line(line) }
    }

    /// The status that the running instance gives, else the one on the disk.
    private func status(_ paths: HomePaths) async throws(CommandError) -> ChatStatus {
        if let running = try await Self.running(paths) { return running }
        let conversations = try await HistoryFile.read(paths) { store throws(StoreError) in
            try await store.conversations()
        }
        // A process that holds the home but does not answer is starting, ending, or changing the history alone.
        let process = InstanceLock.holder(path: paths.lock)
        return ChatStatus(onDisk: conversations ?? [], own: own(paths), process: process)
    }

    /// Other commands complain about a key or settings that cannot be read: this one says what it knows.
    private func own(_ paths: HomePaths) -> (peerID: PeerID?, name: String?) {
        let fingerprint = try? IdentityFile.fingerprint(at: paths.identity)
        return (fingerprint.map { PeerID($0) }, context.ownName(paths))
    }

    /// Asks until `name` (or anybody) is online, at most `--timeout`, and prints the last answer.
    private func waitUntilOnline(_ name: String?, _ paths: HomePaths) async throws(CommandError) -> ExitCode {
        let limit = try context.arguments.seconds("--timeout").map { ContinuousClock.now + $0 }
        while true {
            let status = try await status(paths)
            let isOnline = status.isOnline(name)
            guard isOnline || limit.map({ ContinuousClock.now >= $0 }) ?? false else {
                try? await Task.sleep(for: .milliseconds(200))
                continue
            }
            try print(status: status, of: name)
            return isOnline ? .done : .negative
        }
    }

    /// The status that the process that runs the chat gives. `nil` when none runs or it does not answer; throws when it
    /// is another version, or stopped.
    private static func running(_ paths: HomePaths) async throws(CommandError) -> ChatStatus? {
        // Its store may hang, and then only its greeting comes.
        let visitor = Attacher.visitor(patience: .seconds(5), limit: .seconds(5))
        guard let found = try await AttachedService.find(at: paths.socket, as: visitor) else { return nil }
        let service = await AttachedService.attach(to: found, at: paths.socket, home: nil, as: visitor)
        let conversations = try? await service.ask(.conversations)
        var links: [ContactID: LinkState] = [:]
        for contact in (conversations ?? []).map(\.peer.id) { links[contact] = await service.linkState(of: contact) }
        let chat = await service.chat
        let hasEnded = await service.end != nil
        await service.detach()
        guard let conversations, !hasEnded else { return nil }
        return ChatStatus(ChatStatus.Running(chat: chat, version: found.version), conversations, links)
    }
}
