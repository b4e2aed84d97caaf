// Where incoming files go: the downloads folder, or for the files of a folder that is sent as a whole one that is made
// for it there (Docs/files.md).

import Glibc

/// Belongs to one actor.
final class DownloadPlaces {
    /// The downloads folder as it is configured.
    private var wanted: String
    /// The same without links; `nil` until its disk has said so. Links in the configured path are our user's, and one that
    /// is put there from then on is not followed.
    private var resolved: String?
    private let folders: FolderBook
    private let limits: ChatLimits

    init(downloads: String, folders: FolderBook, limits: ChatLimits) {
        wanted = downloads
        self.folders = folders
        self.limits = limits
    }

    /// Another downloads folder is configured.
    func use(_ downloads: String) {
        wanted = downloads
        resolved = nil
    }

    /// The downloads folder, without links.
    func downloads(within limit: Duration?) async throws(FileError) -> String {
        if let resolved { return resolved }
        let wanted = wanted
        let path = try await DiskLane.run(at: wanted, within: limit) { () throws(FileError) in
            try DownloadFolder.resolved(wanted)
        }
        // The first answer counts.
        if resolved == nil, self.wanted == wanted { resolved = path }
        return resolved ?? path
    }

    /// How much can be downloaded; `nil` when the folder cannot be asked now.
    func space() async -> DownloadsSpace? {
        // A picture of the screen waits for it.
        let limit = Duration.seconds(1)
        guard let folder = try? await downloads(within: limit),
            let space = try? await DiskLane.run(
                at: folder, within: limit, { () throws(FileError) in try DownloadFolder(path: folder).space() })
        else { return nil }
        return DownloadsSpace(folder: folder, freeBytes: space.free)
    }

    /// The folder of an accepted transfer: where its partial file is (`present`) unless our user wants another one.
    func folder(
        for transfer: FileTransfer, present: String?, wanted: String?, within limit: Duration?
    ) async throws(ChatError) -> String {
        if wanted == nil, let present { return present }
        let base: String
        if let wanted {
            base = try await DiskLane.runForUser(at: wanted, within: limit) { () throws(FileError) in
                let base = try DownloadFolder.resolved(wanted)
                // A new folder in one that exists is made; whole paths that do not exist are mistakes.
                guard access(PathParts.folder(of: base), F_OK) == 0 else {
                    throw FileError(call: "access", errno: errno, path: wanted)
                }
                return base
            }
        } else {
            do throws(FileError) { base = try await downloads(within: limit) } catch { throw ChatError(error) }
        }
        guard let place = transfer.place else { return base }
        let known = try await folders.set(at: place, from: transfer.contact)
        if let known, !known.path.isEmpty { return known.folder(of: place) }
        let limits = limits
        let made = try await DiskLane.runForUser(at: base, within: limit) { () throws(FileError) in
            try limits.checkSpace(for: transfer.size, in: try DownloadFolder(path: base))
            return try FolderSet.makeTop(for: place, in: base)
        }
        let set = try await folders.made(made, for: place, from: transfer.contact)
        if set.path != made { await DiskLane.of(base).clear { FolderSet.removeTop(made) } }
        return set.folder(of: place)
    }
}
