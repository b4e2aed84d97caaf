// `blipchat receive`: takes files that others offer, through the running instance or as one of its own.

import ChatCore
import ChatTUI
import Glibc

extension CommandRunner {
    func receive() async throws(CommandError) -> ExitCode {
        let limit = try arguments.size("--accept")
        guard limit != nil || (isatty(STDIN_FILENO) == 1 && !arguments.has("--no-input")) else {
            throw CommandError(
                .usage, "receive", "nobody can be asked which files to take", advice: "give --accept MAXSIZE")
        }
        let writesOut = arguments.text("--output") == "-"
        let paths = try paths()
        var order = ReceiveOrder(
            from: arguments.text("--from"), once: arguments.has("--once") || writesOut, limit: limit, folder: nil,
            timeout: try arguments.seconds("--timeout"))
        guard writesOut else {
            if let folder = arguments.text("--output") { order.folder = try HomePaths.absolute(folder) }
            return try await receive(order, ReceivedFiles(runner: self, order: order, showsPaths: true))
        }
        // Only what is complete and verified is written out.
        try paths.createFolders()
        let folder = try temporaryFolder(in: paths.data)
        order.folder = folder
        let files = ReceivedFiles(runner: self, order: order, showsPaths: false)
        defer {
            if let path = files.path, HomePaths.parent(of: path) == folder { unlink(path) }
            rmdir(folder)
        }
        let code = try await receive(order, files)
        if let path = files.path { try writeOut(path) }
        return code
    }

    private func receive(_ order: ReceiveOrder, _ files: ReceivedFiles) async throws(CommandError) -> ExitCode {
        defer { files.clear() }
        return try await follow(.receive(order), asJSON: isJSON && files.showsPaths, print: files.print) {
            await files.ask(about: $0, through: $1)
        }
    }

    private func temporaryFolder(in folder: String) throws(CommandError) -> String {
        var template = Array("\(folder)/receive-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system(folder, "cannot make a folder here", errno) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func writeOut(_ path: String) throws(CommandError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .system(path, "cannot be read", errno) }
        defer { close(descriptor) }
        try ByteCopy.copy(from: descriptor, named: path, to: streams.output, named: "standard output")
    }
}
