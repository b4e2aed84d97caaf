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

    /// Files in deeper folders, or with a longer path, are left out: no receiver takes them.
    static let maximumDepth = 32
    /// So many files that are left out are named one by one; beyond them only the folders are that hold more of them.
    private static let named = 100_000

    private(set) var files: [File] = []
    /// Regular files that do not go, each with its reason, and folders that cannot be looked into.
    private(set) var leftOut: [LeftOutFile] = []
    /// Links, devices and the like, which are never sent.
    private(set) var skipped = 0
    /// Keys and histories of ours, which nobody is given.
    private let ours: Set<FileIdentity>

    /// Reads the folder at `path` (absolute, without links), called `name`; files in the order of their paths. `nil`
    /// when there are more than `limit`. Throws when the folder itself cannot be read; of one in it that is left out.
    /// Those of `ours` are left out.
    static func read(
        _ path: String, named name: String, limit: Int, leaving ours: Set<FileIdentity> = []
    ) throws(FileError) -> FolderTree? {
        var tree = FolderTree(ours: ours)
        // The entries that we still have to look at, the next one last: folders may be deeper than any stack is.
        var rest = try tree.entries(of: path, folder: name, depth: 1)
        while let entry = rest.popLast() {
            guard let folder = tree.take(entry) else { continue }
            guard tree.files.count <= limit else { return nil }
            do throws(FileError) {
                rest += try tree.entries(of: entry.path, folder: folder, depth: entry.depth + 1)
            } catch {
                tree.leftOut.append(LeftOutFile(path: folder, reason: .unreadable(errno: error.errno)))
            }
        }
        return tree.files.count > limit ? nil : tree
    }

    private init(ours: Set<FileIdentity>) { self.ours = ours }

    private struct Entry {
        /// Absolute.
        var path: String
        var name: String
        /// The folder that it is in.
        var folder: String
        var depth: Int
        var facts: FileFacts
    }

    /// The entries of a folder, in the reverse order of their names.
    private mutating func entries(of path: String, folder: String, depth: Int) throws(FileError) -> [Entry] {
        let directory = try DownloadFolder(path: path, creating: false)
        var entries: [Entry] = []
        for found in try directory.found().sorted(by: { $0.shown > $1.shown }) {
            guard let name = found.name else {
                if found.mayHoldFile {
                    leftOut.append(LeftOutFile(path: "\(folder)/\(found.shown)", reason: .nameIsNoText))
                } else {
                    skipped += 1
                }
                continue
            }
            do throws(FileError) {
                // It may have gone meanwhile.
                guard let facts = try directory.facts(of: name) else { continue }
                entries.append(
                    Entry(path: "\(path)/\(name)", name: name, folder: folder, depth: depth, facts: facts))
            } catch {
                leftOut.append(LeftOutFile(path: "\(folder)/\(name)", reason: .unreadable(errno: error.errno)))
            }
        }
        return entries
    }

    /// Takes one entry down. Returns what a folder is called in the tree that is to be looked into.
    private mutating func take(_ entry: Entry) -> String? {
        let place = "\(entry.folder)/\(entry.name)"
        if entry.facts.isFolder {
            guard leftOut.count >= Self.named, let reason = Self.refusal(place, depth: entry.depth + 1) else {
                return place
            }
            leftOut.append(LeftOutFile(path: place, reason: reason))
        } else if !entry.facts.isRegular {
            skipped += 1
        } else if ours.contains(entry.facts.identity) {
            leftOut.append(LeftOutFile(path: place, reason: .ours))
        } else if let reason = Self.refusal(entry.folder, depth: entry.depth) {
            leftOut.append(LeftOutFile(path: place, reason: reason))
        } else if access(entry.path, R_OK) != 0 {
            leftOut.append(LeftOutFile(path: place, reason: .unreadable(errno: errno)))
        } else {
            files.append(
                File(
                    path: entry.path, name: entry.name, folder: entry.folder, size: entry.facts.size,
                    modified: entry.facts.modified))
        }
        return nil
    }

    /// Why nothing that is in this folder can be offered; `nil` when it can.
    private static func refusal(_ folder: String, depth: Int) -> LeftOutFile.Reason? {
        if depth > maximumDepth { return .tooDeep(limit: maximumDepth) }
        return folder.utf8.count > WireLimit.folderPath ? .pathTooLong(limit: WireLimit.folderPath) : nil
    }
}
