// `blipchat import`: the history from a file of `blipchat export`.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatWords
import Glibc
import Storage

struct ImportCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        let file = try HomePaths.absoluteFile(context.operand(0))
        try await askAboutNewContacts(in: file, paths)
        if let summary = try await importByRunning(file, paths) {
            try context.print(summary.record) { () throws(CommandError) in try printImport(summary) }
            return .done
        }
        let rules = try context.configuration(paths).retentionRules
        let share = Share()
        let summary = try await context.streams.showingLife("importing \(file)", share) { () throws(CommandError) in
            try await paths.alone { () throws(CommandError) in
                let store = try await HistoryFile.about(paths) { () throws(StoreError) in
                    try await HistoryDatabase.open(at: paths.history)
                }
                do throws(CommandError) {
                    let summary = try await HistoryImporter(store: store, path: file, rules: rules, share: share).run()
                    await store.close()
                    return summary
                } catch {
                    await store.close()
                    throw error
                }
            }
        }
        try context.print(summary.record) { () throws(CommandError) in try printImport(summary) }
        context.noteLostKey(paths)
        return .done
    }

    /// `nil` when no process runs the chat, or not any more.
    private func importByRunning(
        _ file: String, _ paths: HomePaths
    ) async throws(CommandError) -> ImportSummary? {
        guard let chat = try await context.runningChat(paths, patience: .seconds(60)) else { return nil }
        context.streams.detail("through the running blipchat at \(paths.socket)")
        let result: Result<ImportSummary, CommandError>
        do throws(CommandError) {
            result = .success(
                try await context.streams.showingLife("importing \(file)") { () throws(CommandError) in
                    try await chat.ask(.importHistory(from: file), about: file)
                })
        } catch {
            result = .failure(error)
        }
        let hasEnded = await chat.hasEnded
        await chat.close()
        if case .failure = result, hasEnded { return nil }
        return try result.get()
    }

    /// Says how many contacts an import adds, and asks.
    private func askAboutNewContacts(in file: String, _ paths: HomePaths) async throws(CommandError) {
        guard !context.arguments.has("--yes") else { return }
        let question = try await HistoryFile.read(paths) { store throws(CommandError) -> Confirmation? in
            let known = try await HistoryFile.about(paths) { () throws(StoreError) in try await store.contacts() }
            guard !known.isEmpty else { return nil }
            let names = try HistoryImporter(store: store, path: file).newContacts(besides: known)
            return HistoryImporter.question(adding: names, to: known, from: file)
        }
        if let question = question ?? nil { try context.confirm(question) }
    }

    private func printImport(_ summary: ImportSummary) throws(CommandError) {
        try context.streams.line(
            "\(summary.messages.counted("message")), \(summary.operations.counted("change")) and "
                + "\(summary.contacts.counted("contact")) added; \(summary.known.counted("record")) already there")
        try printExpiring(summary)
        guard summary.contacts > 0 else { return }
        try context.streams.line(
            "blipchat calls the new contacts while it runs: anyone who does not know your key sees a contact request "
                + "(block or remove those you do not want to call)")
    }

    /// Imported messages that are too old for this home are not deleted without a word.
    private func printExpiring(_ summary: ImportSummary) throws(CommandError) {
        let messages = summary.expiringMessages
        guard messages > 0 else { return }
        let names = summary.expiring.map(SafeText.name)
        let shown = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and \(names.count - 10) more" : "")
        try context.streams.line(
            "\(messages.counted("message")) with \(shown) will be deleted when blipchat starts, or within six hours while "
                + "it runs: older than history.keep allows (blipchat keep WHO forever keeps everything with WHO)")
    }
}

extension HistoryImporter {
    /// What has to be asked before an import that adds `names` to a home with contacts; `nil`: nothing has to. A home
    /// without contacts is a new one, into which somebody moves.
    static func question(adding names: [String], to known: [Peer], from path: String) -> Confirmation? {
        guard !names.isEmpty, !known.isEmpty else { return nil }
        let shown = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
        let count = names.count.counted("contact")
        return Confirmation(
            subject: path, consequence: "it adds \(count) (\(shown)) for blipchat to call",
            question: "This adds \(count) for blipchat to call: \(shown). Import?")
    }
}
