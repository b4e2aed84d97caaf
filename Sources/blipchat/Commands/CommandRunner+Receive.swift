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
        let performer = try await performer(listens: true)
        let operation = ControlOperation.receive(order)
        let printer = RecordPrinter(isJSON: isJSON && files.showsPaths, streams: streams, print: files.print)
        let result: ControlResult
        switch performer {
        case .running:
            result = await performer.perform(operation, patience: .seconds(604_800)) { record in
                await printer.take(record)
                await files.ask(about: record, through: nil)
            }
        case .own(let instance):
            if let listening = await instance.client.identity.listening { streams.note("listening \(listening)") }
            result = try await performUntilSignal(operation, instance, printer, files)
        }
        await performer.finish()
        streams.progress("")
        if let failure = await printer.failure { throw failure }
        switch result {
        case .done(let code): return code
        case .failed(let error): throw error
        }
    }

    /// A signal ends our own instance in order: what is unfinished goes on the next time.
    private func performUntilSignal(
        _ operation: ControlOperation, _ instance: ChatInstance, _ printer: RecordPrinter, _ files: ReceivedFiles
    ) async throws(CommandError) -> ControlResult {
        let signals = try await TerminationSignals.take()
        return await withTaskGroup(of: ControlResult?.self) { group in
            group.addTask {
                await instance.runner.perform(operation) { record in
                    await printer.take(record)
                    await files.ask(about: record, through: instance)
                }
            }
            group.addTask { await signals.wait().map { .done($0) } }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? .failed(CommandError(.network, "receive", "ended"))
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
