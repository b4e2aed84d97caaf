// Where incoming files go: the downloads folder, or for the files of a folder that is sent as a whole one that is made
// for it there (Docs/files.md).

extension ChatClient {
    /// Links in the configured path are our user's. From now on a link that is put there is not followed.
    func resolveDownloadsFolder() {
        // A path that cannot be resolved is told when the first file is to go there.
        if let path = try? DownloadFolder.resolved(configuration.downloadsFolder) { downloadsFolder = path }
    }

    /// Calls the disk on behalf of a user.
    func onDisk<Value>(_ body: () throws(FileError) -> Value) throws(ChatError) -> Value {
        do throws(FileError) { return try body() } catch { throw Self.chatError(error) }
    }

    /// The folder of an accepted transfer: where its partial file is (`present`) unless our user wants another one.
    func folderToUse(
        for transfer: FileTransfer, present: String?, wanted: String?
    ) async throws(ChatError) -> String {
        if wanted == nil, let present { return present }
        var base = downloadsFolder
        if let wanted { base = try onDisk { () throws(FileError) in try DownloadFolder.resolved(wanted) } }
        guard let place = transfer.place else { return base }
        let key = FolderSet.key(place.set, from: transfer.contact)
        if let set = try await knownFolder(key), !set.path.isEmpty { return set.folder(of: place) }
        // Nothing may be awaited between looking and making: two files of one folder come at once.
        var set = folderSets[key] ?? FolderSet(path: "")
        if set.path.isEmpty {
            set.path = try onDisk { () throws(FileError) in
                try checkSpace(for: transfer.size, in: try DownloadFolder(path: base))
                return try FolderSet.makeTop(for: place, in: base)
            }
            folderSets[key] = set
            try await keep(set, key)
        }
        return set.folder(of: place)
    }

    /// Our user has accepted one file of a folder: the others that have been offered are accepted with it, and those
    /// that are still to come, up to what the offer said of the whole.
    func acceptFolder(_ place: FolderPlace, beginning first: FileTransfer) async throws(ChatError) {
        let key = FolderSet.key(place.set, from: first.contact)
        guard var set = try await knownFolder(key) else { return }
        set.filesLeft = place.files
        set.bytesLeft = place.bytes
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
        guard let place = transfer.place, transfer.direction == .incoming else { return [] }
        let limit = configuration.limits.outboxMessages
        let all = try await stored { () async throws(StoreError) in
            try await store.transfers(of: place.set, from: transfer.contact, limit: limit)
        }
        return all.filter { $0.state == .offered && $0.id != transfer.id }
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
