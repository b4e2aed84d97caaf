// `blipchat receive`: takes files that others offer, through the running instance or as one of its own.

import ChatCore
import ChatTUI
import Glibc

extension CommandRunner {
    func receive() async throws(CommandError) -> ExitCode {
        let limit = try arguments.size("--accept")
        guard limit != nil || (isatty(STDIN_FILENO) == 1 && !arguments.has("--no-input")) else {
            throw CommandError(
                .usage, "receive", "blipchat cannot ask which files to accept", advice: "give --accept MAXSIZE")
        }
        let writesOut = arguments.text("--output") == "-"
        let paths = try paths()
        var order = ReceiveOrder(
            from: arguments.text("--from"), once: arguments.has("--once") || writesOut, limit: limit, folder: nil,
            timeout: try arguments.seconds("--timeout"), takesFolders: !writesOut)
        guard writesOut else {
            if let folder = arguments.text("--output") { order.folder = try Self.folder(folder) }
            return try await receive(order, ReceivedFiles(runner: self, order: order, showsPaths: true))
        }
        // Only what is complete and verified is written out.
        try paths.createFolders()
        let folder = try ReceiveFolder.make(in: paths.data)
        order.folder = folder
        let files = ReceivedFiles(runner: self, order: order, showsPaths: false)
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
                streams.note("blipchat: standard output: closed; the file is still at \(path)")
            }
            throw CommandError(error.exit, error.subject, "\(error.reason); the file is still at \(path)")
        }
        if HomePaths.parent(of: path) == folder { unlink(path) }
    }

    private func receive(_ order: ReceiveOrder, _ files: ReceivedFiles) async throws(CommandError) -> ExitCode {
        defer { files.clear() }
        return try await follow(.receive(order), asJSON: isJSON && files.showsPaths, print: files.print) {
            await files.ask(about: $0, through: $1)
        }
    }

    private func writeOut(_ path: String) throws(CommandError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .system(path, "cannot be read", errno) }
        defer { close(descriptor) }
        try ByteCopy.copy(from: descriptor, named: path, to: streams.output, named: "standard output")
    }
}
