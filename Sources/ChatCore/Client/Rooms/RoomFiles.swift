// Files of rooms. They come whole with their event, so they wait in a folder of ours until our user accepts them.

import Glibc

/// The errands of files in rooms. A waiting file is named by the id of its message.
struct RoomFiles {
    let core: ClientCore
    let book: TransferBook
    let places: DownloadPlaces

    private var folder: String? { core.configuration.roomFilesFolder }

    // MARK: Coming in

    /// Keeps a file that has come, durably; `false`: there is no room for it.
    func keep(_ bytes: [UInt8], as id: MessageID, of contact: ContactID) async -> Bool {
        guard let folder, await hasRoom(for: bytes.count, of: contact) else { return false }
        let limits = core.configuration.limits
        do throws(FileError) {
            try await DiskLane.run(at: folder) { () throws(FileError) in
                let folder = try Self.open(folder)
                try Self.write(bytes, as: id.text, in: folder, limits)
                try folder.synchronize()
            }
            return true
        } catch {
            return false
        }
    }

    private func hasRoom(for size: Int, of contact: ContactID) async -> Bool {
        let limits = core.configuration.limits
        var bytes = UInt64(size)
        var count = 1
        do throws(ChatError) {
            try await book.forEachUnfinished(with: contact) { transfer in
                guard transfer.direction == .incoming else { return true }
                bytes += transfer.size
                count += 1
                return bytes <= limits.rooms.fileBytes && count <= limits.rooms.files
            }
        } catch {
            return false
        }
        return bytes <= limits.rooms.fileBytes && count <= limits.rooms.files
    }

    /// Puts a file that waits where our user wants it, under a name of its own (RELIABILITY D11).
    func accept(_ transfer: FileTransfer, into wanted: String?) async throws(ChatError) {
        let limit = DiskLane.usersPatience
        guard let folder else { throw .cannotRead(path: transfer.name, errno: ENOENT) }
        let target = try await places.folder(for: transfer, present: nil, wanted: wanted, within: limit)
        let limits = core.configuration.limits
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try await DiskLane.run(at: folder, within: limit) { () throws(FileError) in
                guard let file = try Self.open(folder).openFinished(transfer.id.text) else {
                    throw FileError(call: "open", errno: ENOENT, path: transfer.id.text)
                }
                return try Self.contents(of: file, size: transfer.size)
            }
        } catch {
            guard error.errno == ENOENT || error.errno == ESTALE else { throw ChatError(error) }
            let time = core.now()
            try await book.change(transfer.id) {
                $0.state = .failed
                $0.reason = .sourceGone
                $0.finished = time
            }
            throw .cannotRead(path: transfer.name, errno: ENOENT)
        }
        let path = try await DiskLane.runForUser(at: target, within: limit) { () throws(FileError) in
            try Self.place(bytes, of: transfer, in: DownloadFolder(path: target), limits)
        }
        let time = core.now()
        try await book.change(transfer.id) {
            $0.state = .complete
            $0.reason = nil
            $0.path = path
            $0.transferred = $0.size
            $0.started = time
            $0.finished = time
        }
        await forget(transfer.id)
    }

    private static func place(
        _ bytes: [UInt8], of transfer: FileTransfer, in folder: DownloadFolder, _ limits: ChatLimits
    ) throws(FileError) -> String {
        let partial = FileNameSanitizer.partialName(transfer.name, transfer.id)
        try write(bytes, as: partial, in: folder, limits)
        let wanted = FileNameSanitizer.sanitized(transfer.name)
        var number = 1
        while true {
            let name = FileNameSanitizer.numbered(wanted, number)
            if try folder.rename(partial, to: name) {
                try folder.synchronize()
                return folder.path(of: name)
            }
            number += 1
        }
    }

    /// Its content is on the disk then; its name when the folder is synchronized.
    private static func write(
        _ bytes: [UInt8], as name: String, in folder: DownloadFolder, _ limits: ChatLimits
    ) throws(FileError) {
        try limits.checkSpace(for: UInt64(bytes.count), in: folder)
        let file = try folder.createPartial(name)
        try bytes.withUnsafeBytes { buffer in Result { () throws(FileError) in try file.write(buffer, at: 0) } }.get()
        try file.synchronize()
    }

    func forget(_ transfer: FileTransfer) async {
        guard core.isRoom(transfer.contact) || core.links[transfer.contact] == nil else { return }
        await forget(transfer.id)
    }

    /// A file that cannot be removed now is ours and harmless; the next start tries again.
    func forget(_ id: MessageID) async {
        guard let folder else { return }
        await DiskLane.of(folder).clear { try? Self.open(folder, creating: false).remove(id.text) }
    }

    /// Links in the path of the home are our user's.
    private static func open(_ folder: String, creating: Bool = true) throws(FileError) -> DownloadFolder {
        try DownloadFolder(path: try DownloadFolder.resolved(folder), creating: creating)
    }

    /// Removes what belongs to no offer (any more); what has come since `time` may have its row in a moment.
    func clean(before time: Timestamp) async {
        guard let folder else { return }
        let names =
            await DiskLane.of(folder).value {
                ((try? Self.open(folder, creating: false).allNames()) ?? []).compactMap { $0 }
            } ?? []
        // Ids begin with their time, in digits that sort.
        let limit = MessageID(at: time).text.prefix(13)
        for id in names.compactMap({ MessageID($0) }) where id.text.prefix(13) < limit {
            let found = await core.records.quietly { () async throws(StoreError) in try await core.store.transfer(id) }
            // A file that cannot be looked up stays.
            guard let found else { return }
            if found?.state.isFinal != false { await forget(id) }
        }
    }

    // MARK: Going out

    /// The bytes of a file of ours, as long as it is the one that was offered.
    func read(_ transfer: FileTransfer, limit: Int) async throws(RoomFileFailure) -> [UInt8] {
        let limit = UInt64(max(limit, 0))
        guard !transfer.state.isFinal, let path = transfer.path else { throw RoomFileFailure(reason: .sourceGone) }
        guard transfer.size <= limit else { throw RoomFileFailure(reason: .tooLargeForRoom(limit: limit)) }
        do throws(FileError) {
            return try await DiskLane.run(at: path) { () throws(FileError) in
                let file = try OpenFile.forReading(path)
                let facts = try file.facts()
                guard facts.size == transfer.size, facts.modified == transfer.modified else {
                    throw FileError(call: "read", errno: ESTALE, path: path)
                }
                return try Self.contents(of: file, size: transfer.size)
            }
        } catch {
            throw RoomFileFailure(reason: error.errno == ESTALE ? .sourceChanged : .sourceGone)
        }
    }

    /// Throws ESTALE when it has become shorter.
    private static func contents(of file: OpenFile, size: UInt64) throws(FileError) -> [UInt8] {
        let bytes = try file.contents(upTo: Int(clamping: size))
        guard bytes.count == size else { throw FileError(call: "read", errno: ESTALE, path: file.path) }
        return bytes
    }
}

/// A file of ours cannot be read as it was offered.
struct RoomFileFailure: Error {
    var reason: TransferReason
}
