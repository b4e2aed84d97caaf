// Which files there are in a folder that shall be sent: read without following links.

import Glibc

/// The regular files of a folder and of all folders beneath it.
struct FolderTree: Sendable {
    struct File: Sendable, Equatable {
        /// Absolute, without links.
        var path: String
        var name: String
        /// The folders down to the file, beginning with the one that is sent: `photos/2024`.
        var folder: String
        var size: UInt64
        var modified: Timestamp
    }

    /// Deeper folders and longer paths are left out: no receiver takes them.
    static let maximumDepth = 32

    private(set) var files: [File] = []
    /// Links, devices, what cannot be read or named.
    private(set) var skipped = 0
    /// Keys and histories of ours, which nobody is given.
    private(set) var withheld = 0
    private let limit: Int
    private let ours: Set<FileIdentity>

    /// Reads the folder at `path` (absolute, without links), called `name`; files in the order of their paths. `nil`
    /// when there are more than `limit`. Those of `ours` are left out.
    static func read(
        _ path: String, named name: String, limit: Int, leaving ours: Set<FileIdentity> = []
    ) throws(FileError) -> FolderTree? {
        var tree = FolderTree(limit: limit, ours: ours)
        try tree.add(path, folder: name, depth: 1)
        return tree.files.count > limit ? nil : tree
    }

    private init(limit: Int, ours: Set<FileIdentity>) {
        self.limit = limit
        self.ours = ours
    }

    private mutating func add(_ path: String, folder: String, depth: Int) throws(FileError) {
        let directory = try DownloadFolder(path: path, creating: false)
        let names = try directory.allNames()
        skipped += names.count { $0 == nil }
        for name in names.compactMap({ $0 }).sorted() where files.count <= limit {
            guard let facts = try directory.facts(of: name) else { continue }
            let inner = "\(path)/\(name)"
            if ours.contains(facts.identity) {
                withheld += 1
            } else if facts.isRegular, name.utf8.count <= 255, access(inner, R_OK) == 0 {
                files.append(
                    File(path: inner, name: name, folder: folder, size: facts.size, modified: facts.modified))
            } else if facts.isFolder, depth < Self.maximumDepth,
                folder.utf8.count + name.utf8.count < WireLimit.folderPath
            {
                let before = self
                // One folder that cannot be read does not keep the others from being sent.
                do throws(FileError) {
                    try add(inner, folder: "\(folder)/\(name)", depth: depth + 1)
                } catch {
                    self = before
                    skipped += 1
                }
            } else {
                skipped += 1
            }
        }
    }
}
