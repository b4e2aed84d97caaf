// Files in the spool of a home, which are there only until they have been sent: what came from standard input, and what a
// confined chat cannot read where it is.

package import ChatCore
package import ChatSettings
import ChatTUI
import Glibc

/// A file in the spool of a home.
package enum SpoolFile {
    /// How the names of copies of standard input begin.
    package static let prefix = "stdin-"
    /// How the names of those begin that are files of the user's, under a second name or as a copy.
    static let linkPrefix = "file-"

    /// O_TMPFILE (open(2)), which is a macro that Swift does not see.
    private static let withoutName = O_DIRECTORY | 0o20_000_000

    /// Makes a file (0600) in `folder` with everything that `source` gives; returns its path. It has a name only when it
    /// is whole, so that nothing stays when the command is interrupted.
    package static func fill(
        in folder: String, from source: Int32, named name: String = "standard input", prefix: String = prefix
    ) throws(CommandError) -> String {
        let nameless = open(folder, O_RDWR | withoutName | O_CLOEXEC, 0o600)
        guard nameless >= 0 else { return try fillNamed(in: folder, from: source, named: name, prefix) }
        defer { close(nameless) }
        let path = newPath(in: folder, prefix)
        try ByteCopy.copy(from: source, named: name, to: nameless, named: path)
        if link(nameless, to: path) { return path }
        // A file system without hard links, or no /proc: what has come of the stream is copied into a file with a name.
        guard lseek(nameless, 0, SEEK_SET) == 0 else { throw .system(folder, "cannot create a file here", errno) }
        return try fillNamed(in: folder, from: nameless, named: name, prefix)
    }

    private static func newPath(in folder: String, _ prefix: String) -> String {
        "\(folder)/\(prefix)\(UInt64.random(in: .min ... .max))"
    }

    private static func link(_ descriptor: Int32, to path: String) -> Bool {
        linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    }

    /// Where a file system knows no files without a name.
    private static func fillNamed(
        in folder: String, from source: Int32, named name: String, _ prefix: String
    ) throws(CommandError) -> String {
        var template = Array("\(folder)/\(prefix)XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw .system(folder, "cannot create a file here", errno) }
        defer { close(descriptor) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(CommandError) {
            try ByteCopy.copy(from: source, named: name, to: descriptor, named: path)
        } catch {
            unlink(path)
            throw error
        }
        return path
    }

    // MARK: Files out of reach of a confined chat

    /// Gives the file at `path` a name in the spool of the home, by which a confined chat can read it; where the file system
    /// does not allow that, the spool gets a copy. `nil`: it is no file that could be read here either, or a folder.
    ///
    /// A file that we never give to anybody is refused, since a copy of it could not be recognised any more.
    @concurrent static func reachable(_ path: String, _ home: HomePaths) async throws(CommandError) -> String? {
        try await BlockingExecutor.run("blipchat.spool") { () throws(CommandError) in try reachableNow(path, home) }
    }

    private static func reachableNow(_ path: String, _ home: HomePaths) throws(CommandError) -> String? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard !home.privateFiles.holds(descriptor: descriptor) else {
            throw CommandError(ChatError.privateFile(path: path), about: path)
        }
        try HomePaths.createFolder(home.spool)
        let name = newPath(in: home.spool, linkPrefix)
        if link(descriptor, to: name) { return name }
        return try fill(in: home.spool, from: descriptor, named: path, prefix: linkPrefix)
    }
}

extension HomePaths {
    /// The folders of files that are made only to be sent. A paste is offered as soon as it is written; standard input
    /// may come for hours.
    package var spools: [SpoolFolder] {
        [
            SpoolFolder(path: spool, prefix: SpoolFile.prefix, grace: .seconds(86_400)),
            SpoolFolder(path: spool, prefix: SpoolFile.linkPrefix, grace: .seconds(86_400), holdsLinks: true),
            SpoolFolder(path: pasted, prefix: PastedFile.prefix, grace: .seconds(60)),
        ]
    }
}
