// The files that nobody ever gets: whoever has our key is us, and the history is what others have told us in confidence.

import CLinux
import Glibc

/// Where the keys and histories of this user are. A file is recognised by device and inode, so by any name and through any
/// link, also one that is called something else.
package struct PrivateFiles: Sendable, Equatable {
    /// Folders with such files (absolute).
    package var folders: [String]
    /// Folders that have one such folder for each profile.
    package var profiles: [String]
    /// How the names of such files begin: those beside them (`-wal`, kept and put-aside ones) count, too.
    package var prefixes: [String]
    /// Single files that are as private.
    package var files: [String]

    package init(folders: [String] = [], profiles: [String] = [], prefixes: [String] = [], files: [String] = []) {
        self.folders = folders
        self.profiles = profiles
        self.prefixes = prefixes
        self.files = files
    }

    /// Whether the file of an open descriptor is one of them. Looks at the disk.
    package func holds(descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && present().contains(FileFacts(status).identity)
    }

    /// Those that are there now. Folders that cannot be read have none that could be sent.
    func present() -> Set<FileIdentity> {
        var found: Set<FileIdentity> = []
        func add(_ path: String) {
            var status = stat()
            // A link leads to the file that is meant.
            if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { found.insert(FileFacts(status).identity) }
        }
        let ofProfiles = profiles.flatMap { folder in Self.names(in: folder).map { "\(folder)/\($0)" } }
        for folder in folders + ofProfiles {
            for name in Self.names(in: folder) where prefixes.contains(where: { name.utf8.starts(with: $0.utf8) }) {
                add("\(folder)/\(name)")
            }
        }
        for file in files { add(file) }
        return found
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        return DirectoryStream.names(of: stream).compactMap { $0 }
    }
}

/// The identity of a file for as long as it exists, whatever it is called.
struct FileIdentity: Sendable, Hashable {
    var device: UInt64
    var inode: UInt64
}
