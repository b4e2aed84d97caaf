// Where incoming files go: the downloads folder, or for the files of a folder that is sent as a whole one that is made
// for it there (Docs/files.md).

import Glibc

extension ChatClient {
    /// Links in the configured path are our user's. From now on a link that is put there is not followed.
    func resolveDownloadsFolder() {
        downloadsFolder = nil
        // A path that cannot be resolved is told when the first file is to go there.
        spawn { _ = try? await $0.downloadsPath(within: nil) }
    }

    /// The downloads folder, without links.
    func downloadsPath(within limit: Duration?) async throws(FileError) -> String {
        if let downloadsFolder { return downloadsFolder }
        let wanted = configuration.downloadsFolder
        let path = try await DiskLane.run(at: wanted, within: limit) { () throws(FileError) in
            try DownloadFolder.resolved(wanted)
        }
        // The first answer counts.
        if downloadsFolder == nil, configuration.downloadsFolder == wanted { downloadsFolder = path }
        return downloadsFolder ?? path
    }

    /// The folder of an accepted transfer: where its partial file is (`present`) unless our user wants another one.
    func folderToUse(
        for transfer: FileTransfer, present: String?, wanted: String?, within limit: Duration?
    ) async throws(ChatError) -> String {
        if wanted == nil, let present { return present }
        let base: String
        if let wanted {
            base = try await DiskLane.runForUser(at: wanted, within: limit) { () throws(FileError) in
                let base = try DownloadFolder.resolved(wanted)
                // A new folder in one that is there is made; whole ways that are not there are slips.
                guard access(PathParts.folder(of: base), F_OK) == 0 else {
                    throw FileError(call: "access", errno: errno, path: wanted)
                }
                return base
            }
        } else {
            do throws(FileError) { base = try await downloadsPath(within: limit) } catch { throw ChatError(error) }
        }
        guard let place = transfer.place else { return base }
        let key = FolderSet.key(place.set, from: transfer.contact)
        if let set = try await knownFolder(key), !set.path.isEmpty { return set.folder(of: place) }
        let limits = configuration.limits
        let made = try await DiskLane.runForUser(at: base, within: limit) { () throws(FileError) in
            try limits.checkSpace(for: transfer.size, in: try DownloadFolder(path: base))
            return try FolderSet.makeTop(for: place, in: base)
        }
        // Two files of one folder come at once: the first has made the folder.
        guard let set = folders.made(made, key) else {
            await DiskLane.of(base).clear { FolderSet.removeTop(made) }
            return folders[key]?.folder(of: place) ?? base
        }
        try await keep(set, key)
        return set.folder(of: place)
    }

    /// Our user has accepted one file of a folder: the others that have been offered are accepted with it, and those
    /// that are still to come, up to what the offer said of the whole.
    func acceptFolder(_ place: FolderPlace, beginning first: FileTransfer) async throws(ChatError) {
        let key = FolderSet.key(place.set, from: first.contact)
        guard try await knownFolder(key) != nil, let set = folders.agree(to: place, beginning: first, key) else {
            return
        }
        try await keep(set, key)
        let others = try await unfinished(in: first, offeredOnly: true).filter { $0.id != first.id }
        spawn { client in
            for other in others {
                guard !Task.isCancelled, await client.takeFromFolder(other) else { continue }
                await client.acceptByItself(other)
            }
        }
    }

    /// The unfinished files of the folder that a transfer belongs to; none when it was sent by itself.
    private func unfinished(in transfer: FileTransfer, offeredOnly: Bool) async throws(ChatError) -> [FileTransfer] {
        guard let place = transfer.place else { return [] }
        let limit = configuration.limits.outboxMessages
        return try await stored { () async throws(StoreError) in
            try await store.unfinishedTransfers(
                of: place.set, with: transfer.contact, transfer.direction, offeredOnly: offeredOnly, limit: limit)
        }
    }

    /// Ends what is unfinished of a folder by our user's word, with `offeredOnly` what nobody has decided, and tells the
    /// peer. What is still to come of it is declined, or not offered any more.
    func endFolder(
        of transfer: FileTransfer, _ place: FolderPlace, as state: FileTransfer.State, offeredOnly: Bool
    ) async throws(ChatError) {
        if transfer.direction == .outgoing {
            folders.endOffering(place.set)
        } else {
            let key = FolderSet.key(place.set, from: transfer.contact)
            _ = try await knownFolder(key)
            try await keep(folders.refuse(key), key)
        }
        while true {
            let page = try await unfinished(in: transfer, offeredOnly: offeredOnly)
            guard !page.isEmpty else { return }
            try await end(page, with: transfer.contact, as: state)
        }
    }

    /// Ends transfers with one contact together, some hundred in a step.
    private func end(
        _ page: [FileTransfer], with contact: ContactID, as state: FileTransfer.State
    ) async throws(ChatError) {
        let time = now()
        transfers.end(page, as: state, at: time)
        // Behind a step that fails, what the database has counts.
        defer { for transfer in page { transfers.forgetRow(transfer.id) } }
        var rest = page[...]
        while !rest.isEmpty {
            let part = rest.prefix(500)
            rest = rest.dropFirst(part.count)
            try await stored { () async throws(StoreError) in
                try await store.endTransfers(part.map(\.id), with: contact, as: state, at: time)
            }
            for transfer in part {
                await clearAway(transfer)
                await stopDownload(transfer.id)
                if transfer.direction == .incoming { await PartialFile(of: transfer)?.remove() }
            }
            pump(contact)
        }
    }

    /// Whether our user wants nothing more of the folder that a file belongs to.
    func isRefused(_ transfer: FileTransfer) async -> Bool {
        guard let place = transfer.place else { return false }
        // A history that cannot be read leaves the question to our user.
        let set = try? await knownFolder(FolderSet.key(place.set, from: transfer.contact))
        return set?.isRefused == true
    }

    /// Whether our user has agreed to this file by accepting the folder; counts it.
    func takeFromFolder(_ transfer: FileTransfer) async -> Bool {
        guard let place = transfer.place, !transfers.isAccepting(transfer.id) else { return false }
        let key = FolderSet.key(place.set, from: transfer.contact)
        do throws(ChatError) {
            guard try await knownFolder(key) != nil else { return false }
            let present = try await stored { () async throws(StoreError) in try await row(of: transfer.id) }
            guard present?.state == .offered, !transfers.isAccepting(transfer.id) else { return false }
            switch folders.take(transfer, key) {
            case .counted: return true
            case .none: return false
            case .agreed(let set):
                try await keep(set, key)
                return true
            }
        } catch {
            // Our user can still accept it by hand.
            return false
        }
    }

    private func knownFolder(_ key: String) async throws(ChatError) -> FolderSet? {
        if let known = folders[key] { return known }
        let text = try await stored { () async throws(StoreError) in try await store.setting(key) }
        return text.flatMap(FolderSet.init(text:)).map { folders.read($0, key) } ?? folders[key]
    }

    private func keep(_ set: FolderSet, _ key: String) async throws(ChatError) {
        try await stored { () async throws(StoreError) in try await store.setSetting(key, to: set.text) }
    }
}
