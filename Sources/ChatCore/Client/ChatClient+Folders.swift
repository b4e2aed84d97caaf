// Where incoming files go: the downloads folder, or for the files of a folder that is sent as a whole one that is made
// for it there (Docs/files.md).

import Glibc

extension ChatClient {
    /// What a user waits for at most where a disk does not answer.
    static let diskPatience = Duration.seconds(10)

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

    /// Calls the disk of `path` on behalf of a user.
    func onDisk<Value: Sendable>(
        at path: String, within limit: Duration?, _ body: @escaping @Sendable () throws(FileError) -> Value
    ) async throws(ChatError) -> Value {
        do throws(FileError) { return try await DiskLane.run(at: path, within: limit, body) } catch {
            throw Self.chatError(error)
        }
    }

    /// The folder of an accepted transfer: where its partial file is (`present`) unless our user wants another one.
    func folderToUse(
        for transfer: FileTransfer, present: String?, wanted: String?, within limit: Duration?
    ) async throws(ChatError) -> String {
        if wanted == nil, let present { return present }
        let base: String
        if let wanted {
            base = try await onDisk(at: wanted, within: limit) { () throws(FileError) in
                let base = try DownloadFolder.resolved(wanted)
                // A new folder in one that is there is made; whole ways that are not there are slips.
                guard access(PathParts.folder(of: base), F_OK) == 0 else {
                    throw FileError(call: "access", errno: errno, path: wanted)
                }
                return base
            }
        } else {
            do throws(FileError) { base = try await downloadsPath(within: limit) } catch { throw Self.chatError(error) }
        }
        guard let place = transfer.place else { return base }
        let key = FolderSet.key(place.set, from: transfer.contact)
        if let set = try await knownFolder(key), !set.path.isEmpty { return set.folder(of: place) }
        let limits = configuration.limits
        let made = try await onDisk(at: base, within: limit) { () throws(FileError) in
            try limits.checkSpace(for: transfer.size, in: try DownloadFolder(path: base))
            return try FolderSet.makeTop(for: place, in: base)
        }
        // Two files of one folder come at once: the first has made the folder.
        var set = folderSets[key] ?? FolderSet(path: "")
        guard set.path.isEmpty else {
            await DiskLane.of(base).clear { FolderSet.removeTop(made) }
            return set.folder(of: place)
        }
        set.path = made
        folderSets[key] = set
        try await keep(set, key)
        return set.folder(of: place)
    }

    /// Our user has accepted one file of a folder: the others that have been offered are accepted with it, and those
    /// that are still to come, up to what the offer said of the whole.
    func acceptFolder(_ place: FolderPlace, beginning first: FileTransfer) async throws(ChatError) {
        let key = FolderSet.key(place.set, from: first.contact)
        guard var set = try await knownFolder(key) else { return }
        set.agree(to: place)
        _ = set.take(first.size)
        folderSets[key] = set
        try await keep(set, key)
        let others = try await offeredBeside(first)
        spawn { client in
            for other in others {
                guard !Task.isCancelled, await client.takeFromFolder(other) else { continue }
                await client.acceptByItself(other)
            }
        }
    }

    /// The other files of the same folder that nobody has decided.
    func offeredBeside(_ transfer: FileTransfer) async throws(ChatError) -> [FileTransfer] {
        guard transfer.direction == .incoming else { return [] }
        return try await unfinished(in: transfer, offeredOnly: true).filter { $0.id != transfer.id }
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
            foldersBeingOffered.remove(place.set)
        } else {
            let key = FolderSet.key(place.set, from: transfer.contact)
            var set = try await knownFolder(key) ?? FolderSet(path: "")
            set.refuse()
            folderSets[key] = set
            try await keep(set, key)
        }
        while true {
            let page = try await unfinished(in: transfer, offeredOnly: offeredOnly)
            guard !page.isEmpty else { return }
            try await end(page, with: transfer.contact, as: state)
        }
    }

    /// Ends transfers with one contact together, some hundred in a step.
    private func end(
        _ transfers: [FileTransfer], with contact: ContactID, as state: FileTransfer.State
    ) async throws(ChatError) {
        let time = now()
        // All of them at once, before anything is awaited: nothing begins any more, no part is asked for or given.
        for transfer in transfers {
            var row = transferRows[transfer.id] ?? transfer
            guard !row.state.isFinal else { continue }
            row.state = state
            row.reason = nil
            row.finished = time
            transferRows[transfer.id] = row
            uploads[transfer.id] = nil
        }
        // Behind a step that fails, what the database has counts.
        defer { for transfer in transfers { transferRows[transfer.id] = nil } }
        var rest = transfers[...]
        while !rest.isEmpty {
            let part = rest.prefix(500)
            rest = rest.dropFirst(part.count)
            try await stored { () async throws(StoreError) in
                try await store.endTransfers(part.map(\.id), with: contact, as: state, at: time)
            }
            for transfer in part {
                pacing.setLimit(nil, of: .transfer(transfer.id))
                await removeSpooled(transfer)
                await stopDownload(transfer.id)
                if transfer.direction == .incoming { await removePartial(of: transfer) }
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
        guard let place = transfer.place, !accepting.contains(transfer.id) else { return false }
        let key = FolderSet.key(place.set, from: transfer.contact)
        do throws(ChatError) {
            guard try await knownFolder(key) != nil else { return false }
            let present = try await stored { () async throws(StoreError) in try await row(of: transfer.id) }
            guard present?.state == .offered, !accepting.contains(transfer.id) else { return false }
            // What was counted before could not be accepted, or is just being.
            if takenFromFolders.contains(transfer.id) { return true }
            guard folderSets[key]?.take(transfer.size) == true, let set = folderSets[key] else { return false }
            takenFromFolders.insert(transfer.id)
            try await keep(set, key)
            return true
        } catch {
            // Our user can still accept it by hand.
            return false
        }
    }

    private func knownFolder(_ key: String) async throws(ChatError) -> FolderSet? {
        if let known = folderSets[key] { return known }
        let text = try await stored { () async throws(StoreError) in try await store.setting(key) }
        if let known = folderSets[key] { return known }
        guard let set = text.flatMap(FolderSet.init(text:)) else { return nil }
        folderSets[key] = set
        return set
    }

    private func keep(_ set: FolderSet, _ key: String) async throws(ChatError) {
        try await stored { () async throws(StoreError) in try await store.setSetting(key, to: set.text) }
    }
}
