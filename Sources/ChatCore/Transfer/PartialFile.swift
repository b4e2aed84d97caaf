// The unfinished file of an incoming transfer: hidden, in the folder where the file will be.

import BLIPNet

struct PartialFile {
    let transfer: FileTransfer
    /// Absolute.
    let folder: String

    init(of transfer: FileTransfer, in folder: String) {
        self.transfer = transfer
        self.folder = folder
    }

    /// At the path in the transfer's row; `nil` before the row has one.
    init?(of transfer: FileTransfer) {
        guard let path = transfer.path else { return nil }
        self.init(of: transfer, in: PathParts.folder(of: path))
    }

    private var name: String { FileNameSanitizer.partialName(transfer.name, transfer.id) }
    private var mapName: String { FileNameSanitizer.mapName(transfer.name, transfer.id) }

    /// Its path. `prepare` makes the file.
    var path: String { folder + "/" + name }

    /// Makes an empty file, unless `done` bytes are there already, and returns the path for the row. Fails where the folder or
    /// its disk cannot take the file. Blocks as long as that disk does.
    func prepare(done: UInt64, limits: ChatLimits) throws(FileError) -> String {
        let folder = try DownloadFolder(path: folder)
        // An earlier run verified the file, and may have renamed it, before its disk failed: the next run only has to finish.
        if transfer.sha256 != nil, let path = transfer.path, path != folder.path(of: name),
            PathParts.folder(of: path) == self.folder
        {
            return path
        }
        try limits.checkSpace(for: transfer.size - min(done, transfer.size), in: folder)
        if done == 0 {
            try folder.remove(mapName)
            _ = try folder.createPartial(name)
        }
        return folder.path(of: name)
    }

    func remove() async {
        await DiskLane.of(folder).clear {
            // A partial file that cannot be removed now is hidden, ours, and harmless.
            let present = try? DownloadFolder(path: folder, creating: false)
            for name in [name, mapName] { try? present?.remove(name) }
            // The folders that were made for it go with it when nothing else is in them.
            for path in transfer.place.map({ FolderSet.foldersMade(for: $0, downTo: folder) }) ?? [] {
                let outer = try? DownloadFolder(path: PathParts.folder(of: path), creating: false)
                guard (try? outer?.removeFolder(PathParts.lastName(of: path))) != nil else { return }
            }
        }
    }

    // MARK: Old ones

    /// The partial files in a folder, and their records, that nobody has written to since `limit` (milliseconds since 1970), each
    /// with its transfer. Finds none in a folder that is missing or cannot be read now; the cleaning tries again tomorrow.
    static func old(in path: String, before limit: Int64) async -> [(name: String, id: MessageID)] {
        await DiskLane.of(path).value { () -> [(name: String, id: MessageID)] in
            guard let folder = try? DownloadFolder(path: path, creating: false), let names = try? folder.allNames()
            else { return [] }
            return names.compactMap { $0 }.compactMap { name in
                guard let id = FileNameSanitizer.transferID(ofPartial: name), let facts = try? folder.facts(of: name),
                    facts.isRegular, facts.modified.milliseconds < limit
                else { return nil }
                return (name, id)
            }
        } ?? []
    }

    /// Ignores errors: a file that stays is hidden, ours, and harmless.
    static func remove(_ name: String, in path: String) async {
        await DiskLane.of(path).clear { try? DownloadFolder(path: path, creating: false).remove(name) }
    }
}
