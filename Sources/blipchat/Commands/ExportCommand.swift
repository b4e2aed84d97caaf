// `blipchat export`: the history as a file that others can read.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatWords
import Glibc
import Storage

struct ExportCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        let name = context.arguments.text("--format") ?? (context.isJSON ? "json" : "text")
        guard let format = ExportFormat(rawValue: name) else {
            throw .badValue("--format", name, "text, json or html")
        }
        var target: String?
        if let path = context.arguments.text("--output"), path != "-" { target = try HomePaths.absolute(path) }
        guard target != nil || !context.arguments.has("--files") else {
            throw CommandError(.usage, "--files", "needs a path", advice: "give -o PATH; the files go to PATH.files")
        }
        let contacts = try await HistoryFile.contacts(paths)
        let peer = try context.arguments.operands.first.map { who throws(CommandError) in try contacts.find(who) }
        let spelling = [ExportFormat.json: Spelling.json, .html: .html][format] ?? .glyphs
        let output = try ExportOutput(
            path: target, asFile: context.arguments.has("--files"), spelling: spelling, streams: context.streams)
        var files: ExportFiles?
        if let target, context.arguments.has("--files") {
            files = try ExportFiles(besides: target) {
                context.streams.note("blipchat: \($0)")
            }
        }
        let copies = files
        _ = try await context.readHistory(paths) { store throws(CommandError) in
            try await HistoryExport(
                store: store, paths: paths, contacts: contacts, format: format, files: copies,
                write: { text throws(CommandError) in try output.write(text) }
            ).run(only: peer)
        }
        try output.finish()
        if context.isJSON, let target {
            try context.streams.json(
                .record([
                    "v": 1, "type": "export", "path": .string(target), "format": .string(format.rawValue),
                    "size": .integer(SmallFile.size(target) ?? 0),
                ]))
        }
        return .done
    }
}
