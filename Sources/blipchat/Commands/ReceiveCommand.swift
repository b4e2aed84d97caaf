// `blipchat receive`: takes files that others offer, through the running instance or as one of its own.

import Arguments
import ChatCore
import ChatHost
import ChatSettings
import Glibc

struct ReceiveCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let limit = try context.arguments.size("--accept")
        guard limit != nil || (isatty(STDIN_FILENO) == 1 && !context.arguments.has("--no-input")) else {
            throw CommandError(
                .usage, "receive", "blipchat cannot ask which files to accept", advice: "give --accept MAXSIZE")
        }
        let writesOut = context.arguments.text("--output") == "-"
        let paths = try context.paths()
        var order = ReceiveOrder(
            from: context.arguments.text("--from"), once: context.arguments.has("--once") || writesOut, limit: limit,
            folder: nil,
            timeout: try context.arguments.seconds("--timeout"), takesFolders: !writesOut)
        guard writesOut else {
            if let folder = context.arguments.text("--output") { order.folder = try Self.folder(folder) }
            return try await receive(order, ReceivedFiles(context: context, order: order, showsPaths: true))
        }
        // Only what is complete and verified is written out.
        try paths.createFolders()
        let folder = try ReceiveFolder.make(in: paths.data)
        order.folder = folder
        let files = ReceivedFiles(context: context, order: order, showsPaths: false)
        // Only when it is empty.
        defer { rmdir(folder) }
        let code = try await receive(order, files)
        if let path = files.path { try hand(over: path, from: folder) }
        return code
    }

    /// It may not be there yet; what is there must be a folder.
    private static func folder(_ path: String) throws(CommandError) -> String {
        let folder = try HomePaths.absolute(path)
        var status = stat()
        guard stat(folder, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandError(.usage, path, "not a folder", advice: "name a folder, or - for standard output")
        }
        return folder
    }

    /// Writes a file out and removes it. Its sender knows that it is here and does not send it again, so it stays where
    /// it cannot be written out.
    private func hand(over path: String, from folder: String) throws(CommandError) {
        do throws(CommandError) {
            try writeOut(path)
        } catch {
            // Of a reader that has gone nothing else is said.
            if error.exit == .brokenPipe {
                context.streams.note("blipchat: standard output: closed; the file is still at \(path)")
            }
            throw CommandError(error.exit, error.subject, "\(error.reason); the file is still at \(path)")
        }
        if HomePaths.parent(of: path) == folder { unlink(path) }
    }

    private func receive(_ order: ReceiveOrder, _ files: ReceivedFiles) async throws(CommandError) -> ExitCode {
        defer { files.clear() }
        let following = Following(
            context: context, needs: ChatNeeds(listens: true, needsLongChat: true),
            asJSON: context.isJSON && files.showsPaths, print: files.print)
        return try await following.run { chat, reports throws(CommandError) in
            try await Receiving(order, in: chat) { report in
                await reports(report)
                await files.ask(about: report, in: chat)
            }.run()
        }
    }

    private func writeOut(_ path: String) throws(CommandError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .system(path, "cannot be read", errno) }
        defer { close(descriptor) }
        try ByteCopy.copy(from: descriptor, named: path, to: context.streams.output, named: "standard output")
    }
}
