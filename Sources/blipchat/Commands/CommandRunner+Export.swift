// `blipchat export` and `blipchat import`: the history as a file that others can read, and back.

import ChatCore
import ChatWords
import Glibc
import Storage

extension CommandRunner {
    func export() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        let name = arguments.text("--format") ?? (isJSON ? "json" : "text")
        guard let format = ExportFormat(rawValue: name) else {
            throw .badValue("--format", name, "text, json or html")
        }
        var target: String?
        if let path = arguments.text("--output"), path != "-" { target = try HomePaths.absolute(path) }
        guard target != nil || !arguments.has("--files") else {
            throw CommandError(.usage, "--files", "needs a path", advice: "give -o PATH; the files go to PATH.files")
        }
        let contacts = try await contacts(paths)
        let peer = try arguments.operands.first.map { who throws(CommandError) in try contacts.find(who) }
        let spelling = [ExportFormat.json: Spelling.json, .html: .html][format] ?? .glyphs
        let output = try ExportOutput(
            path: target, asFile: arguments.has("--files"), spelling: spelling, streams: streams)
        var files: ExportFiles?
        if let target, arguments.has("--files") {
            files = try ExportFiles(besides: target) { [streams] in streams.note("blipchat: \($0)") }
        }
        let copies = files
        _ = try await readHistory(paths) { store throws(CommandError) in
            try await HistoryExport(
                store: store, paths: paths, contacts: contacts, format: format, files: copies,
                write: { text throws(CommandError) in try output.write(text) }
            ).run(only: peer)
        }
        try output.finish()
        if isJSON, let target {
            try streams.json(
                .record([
                    "v": 1, "type": "export", "path": .string(target), "format": .string(format.rawValue),
                    "size": .integer(SmallFile.size(target) ?? 0),
                ]))
        }
        return .done
    }

    func importHistory() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        let file = try HomePaths.absoluteFile(operand(0))
        try await askAboutNewContacts(in: file, paths)
        if try ControlClient(path: paths.socket) != nil {
            return try await showingLife("importing \(file)") { () throws(CommandError) in
                do throws(CommandError) {
                    return try await perform(.importHistory(file), patience: .seconds(3600), print: printImport)
                } catch {
                    guard error.outOfReach != nil, let spooled = try await SpoolFile.reachable(file, paths) else {
                        throw error
                    }
                    defer { unlink(spooled) }
                    do throws(CommandError) {
                        return try await perform(.importHistory(spooled), patience: .seconds(3600), print: printImport)
                    } catch {
                        var error = error
                        error.subject = error.subject.replacing(spooled, with: file)
                        throw error
                    }
                }
            }
        }
        let rules = try configuration(paths).retentionRules
        let share = Share()
        let summary = try await showingLife("importing \(file)", share) { () throws(CommandError) in
            try await withHome(paths) { () throws(CommandError) in
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
        if isJSON { try streams.json(summary.record) } else { try printImport(summary.record) }
        noteLostKey(paths)
        return .done
    }

    /// Says how many contacts an import adds, and asks.
    private func askAboutNewContacts(in file: String, _ paths: HomePaths) async throws(CommandError) {
        guard !arguments.has("--yes") else { return }
        let question = try await HistoryFile.read(paths) { store throws(CommandError) -> Confirmation? in
            let known = try await HistoryFile.about(paths) { () throws(StoreError) in try await store.contacts() }
            guard !known.isEmpty else { return nil }
            let names = try HistoryImporter(store: store, path: file).newContacts(besides: known)
            return HistoryImporter.question(adding: names, to: known, from: file)
        }
        if let question = question ?? nil { try confirm(question) }
    }

    @Sendable private func printImport(_ record: JSONValue) throws(CommandError) {
        func count(_ name: String, _ noun: String) -> String {
            Int(clamping: record[name]?.integerValue ?? 0).counted(noun)
        }
        try streams.line(
            "\(count("messages", "message")), \(count("operations", "change")) and \(count("contacts", "contact")) added; "
                + "\(count("known", "record")) already there")
        try printExpiring(record)
        guard record["contacts"]?.integerValue ?? 0 > 0 else { return }
        try streams.line(
            "blipchat calls the new contacts while it runs: anyone who does not know your key sees a contact request "
                + "(block or remove those you do not want to call)")
    }

    /// What was imported and is too old for this home is not deleted without a word.
    private func printExpiring(_ record: JSONValue) throws(CommandError) {
        let messages = Int(clamping: record["expiring"]?.integerValue ?? 0)
        guard messages > 0 else { return }
        let names = (record["expiring_in"]?.arrayValue ?? []).compactMap(\.stringValue).map(safeName)
        let shown = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and \(names.count - 10) more" : "")
        try streams.line(
            "\(messages.counted("message")) with \(shown) will be deleted when blipchat starts, or within six hours while "
                + "it runs: older than history.keep allows (blipchat keep WHO forever keeps everything with WHO)")
    }

    /// Does what nobody else may disturb: holds the home as a running instance would.
    func withHome<Value>(
        _ paths: HomePaths, _ body: () async throws(CommandError) -> Value
    ) async throws(CommandError) -> Value {
        try paths.createFolders()
        let lock = try InstanceLock(path: paths.lock)
        do throws(CommandError) {
            let value = try await body()
            _ = consume lock
            return value
        } catch {
            throw error
        }
    }
}
