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

    private func send(_ paths: [String], _ timeout: Duration?) async throws(CommandError) -> ExitCode {
        let operation = ControlOperation.sendFiles(
            to: operand(0), paths: paths, name: arguments.text("--name"), caption: arguments.text("--caption") ?? "",
            timeout: timeout, standstill: try arguments.seconds("--timeout"))
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

/// A copy of a stream of unknown length.
enum SpoolFile {
    /// How the names of such files begin.
    static let prefix = "stdin-"

    /// O_TMPFILE (open(2)), which is a macro that Swift does not see.
    private static let withoutName = O_DIRECTORY | 0o20_000_000

    /// Makes a file (0600) in `folder` with everything that `source` gives; returns its path. It has a name only when it
    /// is whole, so that nothing stays when the command is interrupted.
    static func fill(in folder: String, from source: Int32) throws(CommandError) -> String {
        let nameless = open(folder, O_RDWR | withoutName | O_CLOEXEC, 0o600)
        guard nameless >= 0 else { return try fillNamed(in: folder, from: source) }
        defer { close(nameless) }
        let path = "\(folder)/\(prefix)\(UInt64.random(in: .min ... .max))"
        try ByteCopy.copy(from: source, named: "standard input", to: nameless, named: path)
        if linkat(AT_FDCWD, "/proc/self/fd/\(nameless)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 { return path }
        // A file system without hard links, or no /proc: what has come of the stream is copied into a file with a name.
        guard lseek(nameless, 0, SEEK_SET) == 0 else { throw .system(folder, "cannot create a file here", errno) }
        return try fillNamed(in: folder, from: nameless)
    }

    /// Where a file system knows no files without a name.
    private static func fillNamed(in folder: String, from source: Int32) throws(CommandError) -> String {
        var template = Array("\(folder)/\(prefix)XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw .system(folder, "cannot create a file here", errno) }
        defer { close(descriptor) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(CommandError) {
            try ByteCopy.copy(from: source, named: "standard input", to: descriptor, named: path)
        } catch {
            unlink(path)
            throw error
        }
        return path
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
