// The chat of this process as others ask it: the client, and what only the process that runs it can do.

package import ChatCore
import ChatSettings
import Storage
import Synchronization

/// The chat that front ends and commands of other processes talk to, as do the commands of this one.
package struct HostedChat: LocalChat {
    let client: ChatClient
    let store: HistoryDatabase
    let progress = RunningProgress()

    package var identity: LocalIdentity { get async { await client.identity } }

    package func events() async -> AsyncStream<ChatEvent> { await client.events() }

    package func perform(_ call: AnyCall) async throws(ChatError) -> any CallReply {
        switch call {
        case .importHistory(let path): try await importHistory(from: path)
        case .transferProgress: progress.all
        default: try await client.perform(call)
        }
    }

    private func importHistory(from path: String) async throws(ChatError) -> ImportSummary {
        if await Confinement.hides(path) { throw .outOfReach(path: path) }
        let summary: ImportSummary
        do throws(CommandError) {
            let rules = await client.retentionRules
            let store = store
            summary = try await BlockingExecutor.run("blipchat.import") { () throws(CommandError) in
                try await HistoryImporter(store: store, path: path, rules: rules).run()
            }
        } catch {
            // A part of it may be there, new contacts too.
            try? await client.readStoreAnew()
            throw .cannotImport(
                ImportProblem(
                    exit: error.exit.rawValue, subject: error.subject, reason: error.reason, advice: error.advice))
        }
        try await client.readStoreAnew()
        return summary
    }
}

/// The last news of each transfer that runs.
package final class RunningProgress: Sendable {
    private let news = Mutex<[MessageID: TransferProgress]>([:])

    package init() {}

    package var all: [TransferProgress] { news.withLock { Array($0.values) } }

    /// Follows what events say of it.
    package func note(_ event: ChatEvent) {
        switch event {
        case .transferProgress(let progress): news.withLock { $0[progress.id] = progress }
        case .messageChanged(let message):
            guard case .file(let transfer) = message.content, transfer.state != .running else { return }
            news.withLock { $0[transfer.id] = nil }
        default: break
        }
    }
}
