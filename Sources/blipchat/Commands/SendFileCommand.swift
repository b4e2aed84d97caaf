// `blipchat send-file`: files, folders, and what comes from standard input.

import Arguments
import ChatCore
import ChatHost
import ChatSettings
import Glibc
import Storage

struct SendFileCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        _ = try context.sendingTimeout()
        let files = Array(context.arguments.operands.dropFirst())
        if files.contains("-") { return try await sendStandardInput(files) }
        if files.count > 1, context.arguments.has("--name") {
            throw CommandError(.usage, "--name", "only for one file", advice: "send the files one by one")
        }
        var paths: [String] = []
        for file in files { paths.append(try HomePaths.absolute(file)) }
        return try await send(paths)
    }

    private func send(_ paths: [String]) async throws(CommandError) -> ExitCode {
        let who = context.operand(0)
        let arguments = context.arguments
        let timeout = try context.sendingTimeout()
        let standstill = try arguments.seconds("--timeout")
        let progress = FileProgress(streams: context.streams)
        defer { progress.clear() }
        let sending = try await Sending.begin(to: who, context) { report throws(CommandError) in
            try progress.printSent(report)
        }
        var failure: CommandError?
        var isUnfinished = false
        do throws(CommandError) {
            let delivery = FileDelivery(
                to: try await Recipient(who, in: sending.chat), name: arguments.text("--name"),
                caption: arguments.text("--caption") ?? "", timeout: timeout, standstill: standstill
            ) { await sending.take($0) }
            do throws(CommandError) { try await delivery.run(paths) } catch {
                isUnfinished = delivery.isUnfinished
                throw error
            }
        } catch {
            failure = error
            if let reason = await sending.chat.failure {
                failure = Sending.abandoned(reason, isStored: isUnfinished)
            }
        }
        try await sending.end(failure)
        return .done
    }

    /// What comes from standard input is kept in a file of ours until it has been sent: its size and digest must be
    /// known, and after an interruption it must still be there.
    private func sendStandardInput(_ files: [String]) async throws(CommandError) -> ExitCode {
        guard files == ["-"] else {
            throw CommandError(
                .usage, "-", "cannot be combined with files", advice: "send files and standard input separately")
        }
        guard context.arguments.text("--name") != nil else {
            throw CommandError(.usage, "-", "standard input has no name", advice: "give one: --name NAME")
        }
        let paths = try context.paths()
        guard !paths.privateFiles.holds(descriptor: STDIN_FILENO) else {
            throw CommandError(ChatError.privateFile(path: "standard input"), about: context.operand(0))
        }
        try paths.createFolders()
        try HomePaths.createFolder(paths.spool)
        let path = try SpoolFile.fill(in: paths.spool, from: STDIN_FILENO)
        do throws(CommandError) {
            return try await send([path])
        } catch {
            // An offered file is sent later, whatever we said here, and removed then.
            if await !isOffered(path, paths) { unlink(path) }
            throw error
        }
    }

    /// Whether an unfinished transfer reads this file. Where we cannot tell, it stays, and we look at it again later.
    private func isOffered(_ path: String, _ paths: HomePaths) async -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        do throws(CommandError) {
            let needed = try await HistoryFile.read(paths) { store throws(StoreError) in
                try await store.unfinishedPaths(.outgoing)
            }
            return needed?.contains(String(cString: real)) ?? false
        } catch {
            return true
        }
    }
}
