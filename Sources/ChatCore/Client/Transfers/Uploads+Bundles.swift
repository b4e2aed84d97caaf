// Giving small files together: answers `file-bundle` (Docs/protocol.md 10.5).

import BLIPNet

extension Uploads {
    /// Reads the files in a task of its own, and answers with all of them. For each the same holds as for `file-get`;
    /// one that cannot be given is named in the answer with the reason.
    func give(
        _ wanted: FileBundleRequest, _ request: ReceivedRequest, to contact: ContactID, on link: ActiveLink
    ) {
        guard book.transfers.givenBundles.begin(for: contact) else {
            return link.answer(request, .failure(.busy, "too many files at once"))
        }
        core.tasks.spawn { client in
            let response = await client.uploads.bundle(wanted, request, to: contact, on: link)
            client.book.transfers.givenBundles.end(for: contact)
            if let response { link.answer(request, response) }
        }
    }

    /// `nil` when the link has ended meanwhile.
    private func bundle(
        _ wanted: FileBundleRequest, _ request: ReceivedRequest, to contact: ContactID, on link: ActiveLink
    ) async -> BLIPResponse? {
        // A file that one request names twice would be read twice.
        guard Set(wanted.ids).count == wanted.ids.count else { return .failure(.badRequest, "a file is named twice") }
        let known = await core.records.quietly { () async throws(StoreError) in try await book.rows(of: wanted.ids) }
        guard known != nil else { return .failure(.handlerFailed, "cannot read the history") }
        var rows: [FileTransfer] = []
        var refused: [MessageID: Int32] = [:]
        var bytes: UInt64 = 0
        let limits = core.configuration.limits
        for id in wanted.ids {
            do throws(ServingError) {
                let row = try await givableRow(id, to: contact, on: link, asked: request.number)
                let (total, isTooMuch) = bytes.addingReportingOverflow(row.size)
                guard !isTooMuch, row.size <= limits.bundles.file, total <= limits.bundles.bytes else {
                    throw ServingError(response: .failure(.badRange, "too large to come with others"))
                }
                bytes = total
                rows.append(row)
            } catch {
                refused[id] = error.response.error?.code ?? BLIPErrorCode.handlerFailed.code
            }
        }
        if let first = rows.first {
            let isWanted = { self.core.links.isPresent(link.number, of: contact) }
            pacing.goes(first.id, throughRelay: link.routeClass == .relay)
            guard await pacing.wait(for: bytes, of: first.id, .outgoing, while: isWanted) else { return nil }
        }
        let found = await read(rows)
        return FileBundleReply(
            wanted.ids.map { id in
                if let file = found[id] { return (id, file) }
                return (id, .refused(code: refused[id] ?? BLIPErrorCode.handlerFailed.code))
            }
        ).encoded()
    }

    /// Reads files, each in the lane of its disk; what does not answer in time is left out.
    private func read(_ rows: [FileTransfer]) async -> [MessageID: FileBundleReply.Part] {
        let ours = core.configuration.privateFiles
        var found: [MessageID: FileBundleReply.Part] = [:]
        // The files of one folder are on one disk.
        for (folder, rows) in Dictionary(grouping: rows, by: { PathParts.folder(of: $0.path ?? "") }) {
            let parts = await DiskLane.of(folder).value(within: DiskLane.usersPatience) {
                let ours = ours.present()
                return rows.map { row -> (MessageID, FileBundleReply.Part) in
                    do throws(OutgoingFileError) {
                        return (row.id, .file(try OutgoingFile.whole(row, notOf: ours)))
                    } catch {
                        return (row.id, .refused(code: error.code))
                    }
                }
            }
            found.merge(parts ?? []) { first, _ in first }
        }
        return found
    }
}

extension OutgoingFileError {
    /// The code with which a request for it is refused.
    var code: Int32 {
        switch self {
        case .gone: BLIPErrorCode.notFound.code
        case .changed: BLIPErrorCode.conflict.code
        case .badRange: BLIPErrorCode.badRange.code
        case .stopped, .tooManyRanges: BLIPErrorCode.tooManyRequests.code
        }
    }
}
