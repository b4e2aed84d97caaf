// Several small files that came in one answer: on the disk with two syncs for all of them, and never half under its name.

import BLIPNet

/// Verifies each file and writes it under a hidden name, syncs all of them, renames them, and syncs the names. Blocks as long
/// as the disk does, so callers run it in the lane of that disk.
struct IncomingBundle: Sendable {
    /// A file on its way to its name.
    struct Kept: Sendable {
        let id: MessageID
        let sha256: String
        fileprivate let folder: DownloadFolder
        fileprivate let file: OpenFile
        fileprivate let partial: String
        fileprivate let name: String

        /// Where it is in the end.
        var path: String { folder.path(of: name) }
    }

    /// For so few files single syncs cost less than one of the whole disk, which waits for what other programs write, too.
    private static let fewFiles = 4

    /// Writes those of `files` whose content is right, and returns them in their order. Leaves out a file that it cannot write,
    /// and removes what was begun of it: the receiver fetches that file once more, alone, and reports the error then.
    static func write(_ files: [(transfer: FileTransfer, content: FileBundleReply.File)]) -> [Kept] {
        var folders: [String: DownloadFolder] = [:]
        var names: Set<String> = []
        var kept: [Kept] = []
        for (transfer, content) in files {
            guard let path = transfer.path, content.modified == transfer.modified,
                UInt64(content.bytes.count) == transfer.size, digest(content.bytes) == content.sha256
            else { continue }
            do throws(FileError) {
                let place = PathParts.folder(of: path)
                let folder: DownloadFolder
                if let known = folders[place] {
                    folder = known
                } else {
                    folder = try DownloadFolder(path: place, durably: false)
                    folders[place] = folder
                }
                let file = Kept(
                    id: transfer.id, sha256: content.sha256, folder: folder,
                    file: try write(content.bytes, as: transfer, in: folder),
                    partial: FileNameSanitizer.partialName(transfer.name, transfer.id),
                    name: try freeName(for: transfer, in: folder, &names))
                kept.append(file)
            } catch {
                continue
            }
        }
        guard synchronize(kept) else {
            drop(kept)
            return []
        }
        return kept
    }

    /// Gives files their names, for good. Returns those that have them now; the others keep their hidden names.
    static func finish(_ kept: [Kept]) -> Set<MessageID> {
        var finished: [Kept] = []
        for file in kept {
            // We verified the open file: another one that has taken its name must not become the result.
            let isRenamed =
                try? file.folder.holds(file.file, as: file.partial)
                && file.folder.rename(file.partial, to: file.name) && file.folder.holds(file.file, as: file.name)
            if isRenamed == true { finished.append(file) }
        }
        do throws(FileError) {
            if finished.count > fewFiles {
                try finished.first?.folder.synchronizeDisk()
            } else {
                for file in finished { try file.folder.synchronize() }
            }
        } catch {
            // A later run that finds them under their names syncs them.
            return []
        }
        return Set(finished.map(\.id))
    }

    /// Removes files that have their names when nobody wants them any more, unless another file has taken the name.
    static func remove(_ finished: [Kept]) {
        for file in finished where (try? file.folder.holds(file.file, as: file.name)) == true {
            try? file.folder.remove(file.name)
        }
    }

    /// Removes the hidden files when nobody wants them any more.
    static func drop(_ kept: [Kept]) {
        // Ignores errors: a file that stays is hidden, ours, and harmless.
        for file in kept { try? file.folder.remove(file.partial) }
    }

    private static func digest(_ bytes: ArraySlice<UInt8>) -> String {
        let digest = SHA256Digest()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish().hex
    }

    private static func write(
        _ bytes: ArraySlice<UInt8>, as transfer: FileTransfer, in folder: DownloadFolder
    ) throws(FileError) -> OpenFile {
        let partial = FileNameSanitizer.partialName(transfer.name, transfer.id)
        let file = try folder.createPartial(partial)
        do throws(FileError) {
            try bytes.withUnsafeBytes { buffer in
                Result { () throws(FileError) in try file.write(buffer, at: 0) }
            }.get()
        } catch {
            try? folder.remove(partial)
            throw error
        }
        return file
    }

    /// The first name that neither the folder nor another file of the bundle has.
    private static func freeName(
        for transfer: FileTransfer, in folder: DownloadFolder, _ taken: inout Set<String>
    ) throws(FileError) -> String {
        let wanted = FileNameSanitizer.sanitized(transfer.name)
        var number = 1
        while true {
            let name = FileNameSanitizer.numbered(wanted, number)
            if try !folder.contains(name), taken.insert(folder.path(of: name)).inserted { return name }
            number += 1
        }
    }

    private static func synchronize(_ kept: [Kept]) -> Bool {
        do throws(FileError) {
            if kept.count > fewFiles {
                try kept.first?.folder.synchronizeDisk()
            } else {
                for file in kept { try file.file.synchronize() }
            }
            return true
        } catch {
            return false
        }
    }
}
