// The contents of a folder, for the file picker and the completion of paths. Read by EffectRunner, so that `update`
// stays pure.

import CLinux
import ChatCore
import ChatWords
import Glibc

/// The names in one folder, with what a list shows of them.
package struct FileListing: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        var name: String
        var isFolder: Bool
        /// Bytes; 0 for a folder.
        var size: UInt64 = 0
        var modified = Timestamp(milliseconds: 0)
        /// We may read it, as far as its rights say.
        var isReadable = true
    }

    /// More entries than this are left out: folders and the first ones by name are there, of those that are wished for.
    static let limit = 5000
    /// A folder of more names is not read to its end.
    private static let nameLimit = 500_000

    /// The absolute path that was read.
    var folder: String
    /// Sorted by name; without `.` and `..`, without names that are not UTF-8, and without what cannot be sent (devices,
    /// sockets, pipes).
    var entries: [Entry]
    /// Why it could not be read, in words.
    var problem: String?
    /// There are more entries than are listed.
    var isCut = false

    /// Reads what begins with `beginning` in a folder. Where that is more than `limit`, only what a filter by `wish`
    /// would leave of it. Blocks: not for the main thread.
    static func read(_ folder: String, beginning: String = "", wish: String = "") -> FileListing {
        guard let handle = opendir(folder) else {
            return FileListing(folder: folder, entries: [], problem: Sentences.words(forErrno: errno))
        }
        defer { closedir(handle) }
        let descriptor = dirfd(handle)
        var names: [(isFolder: Bool, name: String)] = []
        while names.count < nameLimit, let next = readdir(handle) {
            let name = withUnsafeBytes(of: &next.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name, name != ".", name != "..", name.hasPrefix(beginning) else { continue }
            names.append((Int32(next.pointee.d_type) == Int32(DT_DIR), name))
        }
        let isCut = names.count > limit
        if isCut, !wish.isEmpty { names.removeAll { FuzzyMatch.score(wish, in: $0.name) == nil } }
        // If there are too many entries, the folders stay: they lead further.
        let foldersFirst = names.count > limit
        names.sort { foldersFirst && $0.isFolder != $1.isFolder ? $0.isFolder : $0.name < $1.name }
        let listed = names.lazy.compactMap { entry($0.name, in: descriptor) }.prefix(limit)
        let entries = foldersFirst ? listed.sorted { $0.name < $1.name } : Array(listed)
        return FileListing(folder: folder, entries: entries, isCut: isCut)
    }

    /// Links are followed: what they lead to is what would be sent.
    private static func entry(_ name: String, in folder: Int32) -> Entry? {
        var status = stat()
        guard fstatat(folder, name, &status, 0) == 0 else { return nil }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFDIR || kind == S_IFREG else { return nil }
        let seconds = Int64(status.st_mtim.tv_sec)
        return Entry(
            name: name, isFolder: kind == S_IFDIR, size: kind == S_IFREG ? UInt64(max(0, status.st_size)) : 0,
            modified: Timestamp(milliseconds: seconds.multipliedReportingOverflow(by: 1000).partialValue),
            isReadable: faccessat(folder, name, R_OK, 0) == 0)
    }
}
