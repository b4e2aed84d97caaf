// `blipchat send-file`: files, folders, and what comes from standard input.

import ChatCore
import Glibc
import Storage

extension CommandRunner {
    func sendFiles() async throws(CommandError) -> ExitCode {
        let timeout = try sendingTimeout()
        let files = Array(arguments.operands.dropFirst())
        if files.contains("-") { return try await sendStandardInput(files, timeout) }
        if files.count > 1, arguments.has("--name") {
            throw CommandError(.usage, "--name", "only for one file", advice: "send the files one by one")
        }
        var paths: [String] = []
        for file in files { paths.append(try HomePaths.absolute(file)) }
        return try await send(paths, timeout)
    }

    /// What the chat may not read since it confines itself is given to it under a second name, where it may.
    private func send(_ paths: [String], _ timeout: Duration?) async throws(CommandError) -> ExitCode {
        var sources = paths
        var names: [String: String] = [:]
        while true {
            do throws(CommandError) {
                return try await offer(sources, called: names, timeout)
            } catch {
                // Nothing has been offered where one of them cannot be read.
                if let index = error.outOfReach.flatMap({ sources.firstIndex(of: $0) }), names[sources[index]] == nil {
                    let home = try self.paths()
                    if let spooled = try await SpoolFile.reachable(sources[index], home) {
                        names[spooled] = PathParts.lastName(of: paths[index])
                        sources[index] = spooled
                        continue
                    }
                }
                for path in names.keys where await !isOffered(path, try self.paths()) { unlink(path) }
                throw error
            }
        }
    }

    private func offer(
        _ paths: [String], called names: [String: String], _ timeout: Duration?
    ) async throws(CommandError) -> ExitCode {
        let operation = ControlOperation.sendFiles(
            to: operand(0), paths: paths, name: arguments.text("--name"), caption: arguments.text("--caption") ?? "",
            timeout: timeout, standstill: try arguments.seconds("--timeout"), names: names)
        let files = FileProgress(streams: streams)
        defer { files.clear() }
        return try await perform(
            [operation], patience: max(timeout ?? .zero, .seconds(600)) + .seconds(30)
        ) { record throws(CommandError) in try files.printSent(record) }
    }

    /// What comes from standard input is kept in a file of ours until it has been sent: its size and digest must be
    /// known, and after an interruption it must still be there.
    private func sendStandardInput(_ files: [String], _ timeout: Duration?) async throws(CommandError) -> ExitCode {
        guard files == ["-"] else {
            throw CommandError(
                .usage, "-", "cannot be combined with files", advice: "send files and standard input separately")
        }
        guard arguments.text("--name") != nil else {
            throw CommandError(.usage, "-", "standard input has no name", advice: "give one: --name NAME")
        }
        let paths = try paths()
        guard !paths.privateFiles.holds(descriptor: STDIN_FILENO) else {
            throw CommandError(ChatError.privateFile(path: "standard input"), about: operand(0))
        }
        try paths.createFolders()
        try HomePaths.createFolder(paths.spool)
        let path = try SpoolFile.fill(in: paths.spool, from: STDIN_FILENO)
        do throws(CommandError) {
            return try await send([path], timeout)
        } catch {
            // What is offered is sent later, whatever was said here, and removed then.
            if await !isOffered(path, paths) { unlink(path) }
            throw error
        }
    }

    /// Whether a transfer that goes on reads this file. Where that cannot be told it stays, and is looked at again later.
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

/// Copies bytes between descriptors.
enum ByteCopy {
    /// Until the end of `source`. The names are for errors; `passing` sees what is copied.
    static func copy(
        from source: Int32, named sourceName: String, to target: Int32, named targetName: String,
        passing: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws(CommandError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        while true {
            let count: Int
            do throws(SystemError) {
                count = try SharedDescriptor.read(source, into: buffer)
            } catch {
                throw .system(sourceName, "cannot be read", error.code)
            }
            if count == 0 { return }
            var rest = UnsafeRawBufferPointer(rebasing: buffer.prefix(count))
            passing(rest)
            while !rest.isEmpty {
                let written: Int
                do throws(SystemError) {
                    written = try SharedDescriptor.write(rest, to: target)
                } catch {
                    if error.code == EPIPE { throw CommandError(.brokenPipe, targetName, "closed") }
                    throw .system(targetName, "cannot be written", error.code)
                }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
            }
        }
    }
}
