// Everything beneath a folder, to show that a test has left it as it was.

import CLinux
import Glibc

/// Names, kinds, rights, sizes, times and contents; links are not followed. The time of a folder also tells of files
/// that were made and removed again.
struct TreeSnapshot: Equatable {
    private(set) var entries: [String: String] = [:]

    /// `except` (a path) is left out with all that is in it.
    init(_ root: String, except: String? = nil) throws { try add(root, except) }

    private mutating func add(_ path: String, _ except: String?) throws {
        guard path != except else { return }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw TestFileError(path: path, errno: errno) }
        let kind = status.st_mode & S_IFMT
        var facts = "mode \(status.st_mode) links \(status.st_nlink) size \(status.st_size)"
        facts += " time \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        if kind == S_IFREG { facts += " content \(try readFile(path))" }
        if kind == S_IFLNK { facts += " to \(linkTarget(path))" }
        entries[path] = facts
        guard kind == S_IFDIR else { return }
        for name in names(in: path) { try add(path + "/" + name, except) }
    }

    private func linkTarget(_ path: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// What is not the same, in words.
    func differences(from other: TreeSnapshot) -> [String] {
        Set(entries.keys).union(other.entries.keys).sorted().filter { entries[$0] != other.entries[$0] }
    }
}
