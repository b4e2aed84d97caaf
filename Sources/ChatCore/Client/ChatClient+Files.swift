// What users ask of files, and what the two sides tell each other of them (PROTOCOL 4 `file-offer`, `file-status`).

import BLIPNet
import CLinux
import Glibc

extension ChatClient {
    // MARK: Offering

    public func sendFile(
        at path: String, named name: String?, caption: String, to contact: ContactID
    ) async throws(ChatError) -> ChatMessage {
        try checkOutbox(of: contact)
        guard caption.utf8.count <= WireLimit.text else {
            throw .textTooLong(bytes: caption.utf8.count, limit: WireLimit.text)
        }
        let source = try Self.source(at: path)
        let base = name ?? Self.lastComponent(source.path)
        guard !base.isEmpty, base.utf8.count <= 255, !base.utf8.contains(UInt8(ascii: "/")), !base.utf8.contains(0)
        else { throw .badName(base) }
        let file = NewOutgoingFile(
            path: source.path, name: base, size: source.facts.size, modified: source.facts.modified,
            contentType: "application/octet-stream", caption: caption)
        let time = now()
        let message = try await stored { () async throws(StoreError) in
            try await store.enqueueFileOffer(to: contact, file: file, at: time)
        }
        enqueued(message)
        return message
    }

    /// The absolute path without links, and what the file is now. Anything but a readable regular file is refused
    /// before it is opened.
    private static func source(at path: String) throws(ChatError) -> (path: String, facts: FileFacts) {
        guard !path.utf8.contains(0), let resolved = realpath(path, nil) else {
            throw .cannotRead(path: path, errno: path.utf8.contains(0) ? ENOENT : errno)
        }
        defer { free(resolved) }
        let real = String(cString: resolved)
        var status = stat()
        guard lstat(real, &status) == 0 else { throw .cannotRead(path: path, errno: errno) }
        guard FileFacts(status).isRegular else { throw .notARegularFile(path: path) }
        do throws(FileError) {
            return (real, try OpenFile.forReading(real).facts())
        } catch {
            throw .cannotRead(path: path, errno: error.errno)
        }
    }

    // MARK: Deciding

    public func transfers(unfinishedOnly: Bool) async throws(ChatError) -> [FileTransfer] {
        try await stored { () async throws(StoreError) in
            try await store.transfers(unfinishedOnly: unfinishedOnly, limit: 1000)
        }
    }

    public func transfer(number: TransferNumber) async throws(ChatError) -> FileTransfer {
        let found = try await stored { () async throws(StoreError) in try await store.transfer(number: number) }
        guard let found else { throw .noSuchTransfer }
        return found
    }

    public func acceptTransfer(_ number: TransferNumber, into folder: String?) async throws(ChatError) {
        let transfer = try await transfer(number: number)
        guard transfer.direction == .incoming, transfer.state == .offered || transfer.state == .paused else {
            throw .wrongTransferState(transfer.state)
        }
        try await accept(transfer, into: folder)
    }

    public func resumeTransfer(_ number: TransferNumber) async throws(ChatError) {
        let transfer = try await transfer(number: number)
        guard transfer.state == .paused else { throw .wrongTransferState(transfer.state) }
        guard transfer.direction == .outgoing else { return try await accept(transfer, into: nil) }
        try await change(transfer.id) {
            $0.state = $0.started == nil ? .offered : .accepted
            $0.reason = nil
        }
        try await tell(transfer, .accepted)
    }

    /// Prepares the partial file, so that a folder that cannot take it is known before anything is promised.
    private func accept(_ transfer: FileTransfer, into folder: String?) async throws(ChatError) {
        let chosen = folder ?? transfer.path.map(Self.folder) ?? configuration.downloadsFolder
        let partialName = FileNameSanitizer.partialName(transfer.name, transfer.id)
        let moves = transfer.path.map(Self.folder) != chosen
        let done = moves ? 0 : transfer.transferred
        let path: String
        do throws(FileError) {
            let folder = try DownloadFolder(path: chosen)
            path = folder.path(of: partialName)
            let space = try folder.space()
            let needed = transfer.size - min(done, transfer.size)
            guard configuration.limits.fits(needed, free: space.free, total: space.total) else {
                throw FileError(call: "statvfs", errno: ENOSPC, path: String(space.free))
            }
            if done == 0 { _ = try folder.createPartial(partialName) }
        } catch {
            if error.call == "statvfs", let free = UInt64(error.path) {
                throw .notEnoughSpace(needed: transfer.size, free: free, folder: chosen)
            }
            throw .cannotWrite(path: error.path, errno: error.errno)
        }
        if moves { removePartial(of: transfer) }
        let time = now()
        try await change(transfer.id) {
            $0.state = .accepted
            $0.reason = nil
            $0.path = path
            $0.transferred = done
            $0.started = $0.started ?? time
        }
        try await tell(transfer, .accepted)
        await startDownload(transfer.id)
    }

    /// Accepts an offer by itself where the configuration says so; what hinders it is left for the user to see.
    func acceptIfAllowed(_ transfer: FileTransfer) {
        guard let limit = configuration.acceptsFilesUpTo, transfer.size <= limit, transfer.state == .offered else {
            return
        }
        spawn { client in
            do throws(ChatError) {
                try await client.accept(transfer, into: nil)
            } catch {
                guard let reason = TransferReason.cannotAccept(error) else { return }
                await client.changeQuietly(transfer.id) { $0.reason = reason }
            }
        }
    }

    public func declineTransfer(_ number: TransferNumber) async throws(ChatError) {
        let transfer = try await transfer(number: number)
        guard transfer.direction == .incoming, transfer.state == .offered else {
            throw .wrongTransferState(transfer.state)
        }
        try await end(transfer, .declined)
    }

    public func cancelTransfer(_ number: TransferNumber) async throws(ChatError) {
        let transfer = try await transfer(number: number)
        guard !transfer.state.isFinal else { throw .wrongTransferState(transfer.state) }
        try await end(transfer, .cancelled)
    }

    public func pauseTransfer(_ number: TransferNumber) async throws(ChatError) {
        let transfer = try await transfer(number: number)
        let isPausable = transfer.direction == .outgoing ? transfer.state == .offered : false
        guard isPausable || transfer.state == .accepted || transfer.state == .running else {
            throw .wrongTransferState(transfer.state)
        }
        try await change(transfer.id) {
            $0.state = .paused
            $0.reason = nil
        }
        await stopDownload(transfer.id)
        await forgetUpload(transfer.id)
    }

    public func downloadsSpace() -> (folder: String, freeBytes: UInt64)? {
        let path = configuration.downloadsFolder
        guard let space = try? DownloadFolder(path: path).space() else { return nil }
        return (path, space.free)
    }

    /// Ends a transfer by our user's word and tells the peer.
    private func end(_ transfer: FileTransfer, _ state: FileTransfer.State) async throws(ChatError) {
        let time = now()
        try await change(transfer.id) {
            $0.state = state
            $0.reason = nil
            $0.finished = time
        }
        await stopDownload(transfer.id)
        uploads[transfer.id] = nil
        if transfer.direction == .incoming { removePartial(of: transfer) }
        try await tell(transfer, state)
    }

    /// Queues news of a transfer for the peer.
    private func tell(_ transfer: FileTransfer, _ state: FileTransfer.State) async throws(ChatError) {
        try await stored { () async throws(StoreError) in
            try await store.enqueueFileStatus(to: transfer.contact, transfer: transfer.id, state: state)
        }
        pump(transfer.contact)
    }

    // MARK: What the peer tells

    func receiveStatus(
        _ status: FileStatusRequest, _ request: BLIPIncomingRequest, _ contact: ContactID, _ link: ActiveLink
    ) async {
        do throws(StoreError) {
            guard let transfer = try await row(of: status.id), transfer.contact == contact else {
                return answer(request, on: link, .failure(.notFound, "no such transfer"))
            }
            if transfer.direction == .outgoing {
                try await receiverSays(status.state, of: transfer)
            } else {
                try await senderSays(status.state, of: transfer)
            }
            answer(request, on: link, BLIPResponse())
        } catch {
            answer(request, on: link, .failure(.handlerFailed, "cannot store"))
            hub.publish(.notice(.storeFailed(error)))
        }
    }

    private func receiverSays(_ state: FileStatusRequest.State, of transfer: FileTransfer) async throws(StoreError) {
        let time = now()
        let sha256 = uploads[transfer.id]?.sha256
        if state != .accepted { uploads[transfer.id] = nil }
        _ = try await changeRow(transfer.id) { row in
            switch state {
            case .accepted:
                guard row.state == .offered else { return }
                row.state = .accepted
                row.started = time
            case .declined:
                row.state = .declined
                row.reason = TransferReason.declinedByPeer
            case .cancelled:
                row.state = .cancelled
                row.reason = TransferReason.cancelledByPeer
            case .complete:
                row.state = .complete
                row.reason = nil
                row.transferred = row.size
                row.sha256 = sha256 ?? row.sha256
            }
            if row.state.isFinal { row.finished = time }
        }
    }

    private func senderSays(_ state: FileStatusRequest.State, of transfer: FileTransfer) async throws(StoreError) {
        switch state {
        case .accepted: await startDownload(transfer.id)
        case .complete: break
        case .declined, .cancelled:
            let time = now()
            _ = try await changeRow(transfer.id) {
                $0.state = .cancelled
                $0.reason = TransferReason.cancelledByPeer
                $0.finished = time
            }
            await stopDownload(transfer.id)
            if transfer.state != .complete { removePartial(of: transfer) }
        }
    }

    // MARK: Parts

    func removePartial(of transfer: FileTransfer) {
        guard let path = transfer.path else { return }
        // A partial file that cannot be removed now is hidden, ours, and harmless.
        try? DownloadFolder(path: Self.folder(path)).remove(FileNameSanitizer.partialName(transfer.name, transfer.id))
    }

    static func folder(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }

    private static func lastComponent(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }
}
