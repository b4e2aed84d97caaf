// What is in a folder, for the completion of paths. Read by ChatApplication, so that `update` stays pure.

import CLinux
import Glibc

/// The names in one folder.
public struct FileListing: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        var name: String
        var isFolder: Bool
    }

    /// More entries than this are left out.
    static let limit = 5000

    /// The absolute path that was read.
    var folder: String
    /// Sorted by name; without `.` and `..` and without names that are not UTF-8.
    var entries: [Entry]

    /// Reads a folder; empty when it cannot be read. Blocks: not for the main thread.
    static func read(_ folder: String) -> FileListing {
        guard let handle = opendir(folder) else { return FileListing(folder: folder, entries: []) }
        defer { closedir(handle) }
        var entries: [Entry] = []
        while entries.count < limit, let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name, name != ".", name != ".." else { continue }
            var isFolder = entry.pointee.d_type == UInt8(DT_DIR)
            if entry.pointee.d_type == UInt8(DT_LNK) || entry.pointee.d_type == UInt8(DT_UNKNOWN) {
                var status = stat()
                isFolder = stat(folder + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            }
            entries.append(Entry(name: name, isFolder: isFolder))
        }
        return FileListing(folder: folder, entries: entries.sorted { $0.name < $1.name })
    }
}
