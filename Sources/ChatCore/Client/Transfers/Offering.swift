// Offering files and folders.

/// The errands of whoever sends files.
struct Offering {
    let core: ClientCore
    let outbox: OutboxSender
    let folders: FolderBook
    let decisions: TransferDecisions

    /// So many files of a folder are stored in one commit: the first ones go out before the last are stored.
    private static let offeredTogether = 200
    private static let contentType = "application/octet-stream"

    func sendFile(
        at path: String, named name: String?, caption: String, to contact: ContactID
    ) async throws(ChatError) -> ChatMessage {
        try outbox.check(contact)
        try ChatText.check(caption: caption)
        let source = try await OfferedSource.file(at: path, notOf: core.configuration.privateFiles)
        if let limit = outbox.roomSender.fileLimit(of: contact), source.facts.size > UInt64(limit) {
            throw .tooLargeForRoom(bytes: source.facts.size, limit: UInt64(limit))
        }
        // A link is offered under its own name: that is what the user knows it by.
        let typed = PathParts.lastName(of: path)
        let base = name ?? (FolderCalls.isComponent(typed) ? typed : PathParts.lastName(of: source.path))
        guard FolderCalls.isComponent(base) else { throw .badFileName(base) }
        let offered = try await offer(
            [
                NewOutgoingFile(
                    path: source.path, name: base, size: source.facts.size, modified: source.facts.modified,
                    contentType: Self.contentType, caption: caption)
            ], to: contact)
        guard let message = offered.first else { throw .store(.notFound) }
        return message
    }

    func sendFolder(
        at path: String, caption: String, to contact: ContactID
    ) async throws(ChatError) -> FolderOffer {
        _ = try core.person(contact, needing: .folders)
        try outbox.check(contact)
        try ChatText.check(caption: caption)
        let limit = core.configuration.limits.outboxMessages - (core.links[contact]?.queuedCount ?? 0)
        let tree = try await OfferedSource.tree(at: path, limit: limit, leaving: core.configuration.privateFiles)
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
        let set = MessageID(at: core.now())
        var messages: [ChatMessage] = []
        folders.beginOffering(set)
        defer { folders.endOffering(set) }
        var files: [NewOutgoingFile] = []
        for file in tree.files {
            let place = FolderPlace(
                set: set, path: file.folder, files: UInt64(tree.files.count), bytes: min(bytes, UInt64(Int64.max)))
            files.append(
                NewOutgoingFile(
                    path: file.path, name: file.name, size: file.size, modified: file.modified,
                    contentType: Self.contentType, caption: files.isEmpty ? caption : "", place: place))
        }
        var rest = files[...]
        while !rest.isEmpty, folders.sets.isBeingOffered(set) {
            let part = rest.prefix(Self.offeredTogether)
            rest = rest.dropFirst(part.count)
            messages += try await offer(Array(part), to: contact)
        }
        if !folders.sets.isBeingOffered(set), let last = messages.last, case .file(let file) = last.content,
            let place = file.place
        {
            // The last one may have been on its way past the cancelling.
            try await decisions.endFolder(of: file, place, as: .cancelled, offeredOnly: false)
        }
        return FolderOffer(messages: messages, skipped: tree.skipped, leftOut: tree.leftOut)
    }

    private func offer(_ files: [NewOutgoingFile], to contact: ContactID) async throws(ChatError) -> [ChatMessage] {
        let time = core.now()
        let messages = try await core.records.stored { () async throws(StoreError) in
            try await core.store.enqueueFileOffers(to: contact, files: files, at: time)
        }
        for message in messages { outbox.enqueued(message) }
        return messages
    }
}
