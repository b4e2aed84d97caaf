// Offering files and folders: what is offered is looked at now, read later, and must not have changed by then.

import CLinux
import Glibc

extension ChatClient {
    package func sendFile(
        at path: String, named name: String?, caption: String, to contact: ContactID
    ) async throws(ChatError) -> ChatMessage {
        try checkOutbox(of: contact)
        try Self.check(caption: caption)
        let source = try await Self.source(at: path, notOf: configuration.privateFiles)
        // A link is offered under its own name: that is what the user knows it by.
        let typed = PathParts.lastName(of: path)
        let base = name ?? (FolderCalls.isComponent(typed) ? typed : PathParts.lastName(of: source.path))
        guard FolderCalls.isComponent(base) else { throw .badFileName(base) }
        return try await offer(
            NewOutgoingFile(
                path: source.path, name: base, size: source.facts.size, modified: source.facts.modified,
                contentType: Self.contentType, caption: caption),
            to: contact)
    }

    package func sendFolder(
        at path: String, caption: String, to contact: ContactID
    ) async throws(ChatError) -> FolderOffer {
        try checkOutbox(of: contact)
        try Self.check(caption: caption)
        let limit = configuration.limits.outboxMessages - (sessions[contact]?.queuedCount ?? 0)
        let tree = try await Self.tree(at: path, limit: limit, leaving: configuration.privateFiles)
        let bytes = tree.files.reduce(into: UInt64(0)) { sum, file in
            let (total, overflow) = sum.addingReportingOverflow(file.size)
            sum = overflow ? .max : total
        }
        guard !tree.files.isEmpty else {
            // Why nothing of it can be sent, when it has files.
            guard !tree.leftOut.isEmpty else { throw .emptyFolder(path: path) }
            guard tree.leftOut.contains(where: { $0.reason != .ours }) else { throw .privateFile(path: path) }
            return FolderOffer(messages: [], skipped: tree.skipped, leftOut: tree.leftOut)
        }
        let set = MessageID(at: now())
        var messages: [ChatMessage] = []
        foldersBeingOffered.insert(set)
        defer { foldersBeingOffered.remove(set) }
        for file in tree.files where foldersBeingOffered.contains(set) {
            let place = FolderPlace(
                set: set, path: file.folder, files: UInt64(tree.files.count), bytes: min(bytes, UInt64(Int64.max)))
            messages.append(
                try await offer(
                    NewOutgoingFile(
                        path: file.path, name: file.name, size: file.size, modified: file.modified,
                        contentType: Self.contentType, caption: messages.isEmpty ? caption : "", place: place),
                    to: contact))
        }
        if !foldersBeingOffered.contains(set), let last = messages.last, case .file(let file) = last.content,
            let place = file.place
        {
            // The last one may have been on its way past the cancelling.
            try await endFolder(of: file, place, as: .cancelled, offeredOnly: false)
        }
        return FolderOffer(messages: messages, skipped: tree.skipped, leftOut: tree.leftOut)
    }

    private func offer(_ file: NewOutgoingFile, to contact: ContactID) async throws(ChatError) -> ChatMessage {
        let time = now()
        let message = try await stored { () async throws(StoreError) in
            try await store.enqueueFileOffer(to: contact, file: file, at: time)
        }
        enqueued(message)
        return message
    }

    private static let contentType = "application/octet-stream"

    private static func check(caption: String) throws(ChatError) {
        guard caption.utf8.count <= WireLimit.text else {
            throw .textTooLong(bytes: caption.utf8.count, limit: WireLimit.text)
        }
    }

    /// The absolute path without links, and what the file is now. Anything but a readable regular file is refused
    /// before it is opened; one of `ours` is refused.
    private static func source(
        at path: String, notOf ours: PrivateFiles
    ) async throws(ChatError) -> (path: String, facts: FileFacts) {
        let found = await DiskLane.of(path).value(within: diskPatience) {
            Result { () throws(ChatError) in try sourceNow(at: path, notOf: ours) }
        }
        guard let found else { throw .cannotRead(path: path, errno: Task.isCancelled ? ECANCELED : ETIMEDOUT) }
        return try found.get()
    }

    private static func sourceNow(
        at path: String, notOf ours: PrivateFiles
    ) throws(ChatError) -> (path: String, facts: FileFacts) {
        let real = try realPath(path)
        var status = stat()
        guard lstat(real, &status) == 0 else { throw .cannotRead(path: path, errno: errno) }
        guard FileFacts(status).isRegular else { throw .notARegularFile(path: path) }
        let facts: FileFacts
        let isWhole: Bool
        do throws(FileError) {
            let file = try OpenFile.forReading(real)
            facts = try file.facts()
            // Files of the kernel (/proc) say 0 and have a content all the same.
            isWhole = facts.size > 0 || !file.hasContent
        } catch {
            throw .cannotRead(path: path, errno: error.errno)
        }
        guard isWhole else { throw .notARegularFile(path: path) }
        guard !ours.present().contains(facts.identity) else { throw .privateFile(path: path) }
        return (real, facts)
    }

    /// A large folder on a slow disk takes its time.
    private static func tree(
        at path: String, limit: Int, leaving ours: PrivateFiles
    ) async throws(ChatError) -> FolderTree {
        let found = await DiskLane.of(path).value {
            Result { () throws(ChatError) in try treeNow(at: path, limit: limit, leaving: ours) }
        }
        guard let found else { throw .cannotRead(path: path, errno: ECANCELED) }
        return try found.get()
    }

    private static func treeNow(
        at path: String, limit: Int, leaving ours: PrivateFiles
    ) throws(ChatError) -> FolderTree {
        let real = try realPath(path)
        let found: FolderTree?
        do throws(FileError) {
            found = try FolderTree.read(
                real, named: PathParts.lastName(of: real), limit: limit, leaving: ours.present())
        } catch {
            throw .cannotRead(path: path, errno: error.errno)
        }
        guard let found else { throw .tooManyFiles(path: path, limit: limit) }
        return found
    }

    private static func realPath(_ path: String) throws(ChatError) -> String {
        guard !path.utf8.contains(0) else { throw .cannotRead(path: path, errno: ENOENT) }
        guard let resolved = realpath(path, nil) else { throw .cannotRead(path: path, errno: errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    // MARK: How fast

    package func setRateLimit(_ limit: UInt64?, of scope: RateScope) async throws(ChatError) {
        pacing.setLimit(limit, of: try await pacingScope(scope))
    }

    package func rateLimit(of scope: RateScope) async throws(ChatError) -> UInt64? {
        pacing.limit(of: try await pacingScope(scope))
    }

    private func pacingScope(_ scope: RateScope) async throws(ChatError) -> TransferPacing.Scope {
        switch scope {
        case .all(let direction): return .all(direction)
        case .transfer(let number):
            let transfer = try await transfer(number: number)
            guard !transfer.state.isFinal else { throw .wrongTransferState(transfer.state) }
            return .transfer(transfer.id)
        }
    }
}
