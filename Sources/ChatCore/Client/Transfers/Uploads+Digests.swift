// Digests of offered files: answers `file-digest` (PROTOCOL 4). A short request that may mean reading a whole file.

import BLIPNet

extension Uploads {
    /// Reading costs us less than sending does: so many bytes read count as one sent where the rate has a limit
    /// (Docs/decisions/0018).
    static let digestDiscount: UInt64 = 16

    /// Puts the request into the line of its contact. A peer that asks for more at once than transfers need has to ask
    /// again.
    func lineUpDigest(
        _ wanted: FileDigestRequest, _ request: ReceivedRequest, of contact: ContactID, on link: ActiveLink
    ) {
        guard let (ticket, before) = book.transfers.digests.enter(wanted.id, of: contact, on: link.number) else {
            return link.answer(request, .failure(.tooManyRequests, "too many digests at once"))
        }
        let task = core.tasks.spawn { client in
            await before?.value
            // Over a link that has ended nothing is begun any more.
            if !Task.isCancelled, client.core.links.isPresent(link.number, of: contact) {
                let response = await client.uploads.response { () async throws(ServingError) in
                    try await client.uploads.digest(wanted, asked: request.number, of: contact, on: link)
                }
                link.answer(request, response)
            }
            client.book.transfers.digests.leave(ticket, of: contact)
        }
        book.transfers.digests.begin(ticket, of: contact, task)
    }

    func digest(
        _ wanted: FileDigestRequest, asked: UInt64, of contact: ContactID, on link: ActiveLink
    ) async throws(ServingError) -> BLIPResponse {
        let upload = try await upload(wanted.id, to: contact, on: link, asked: asked)
        do throws(OutgoingFileError) {
            let sha256 = try await upload.file.digest(of: wanted.length) { [weak client = core.tasks.client] bytes in
                await client?.run { await $0.uploads.mayRead(bytes, of: wanted.id, for: link.number) } ?? false
            }
            book.transfers.asked(for: wanted.id, now: .now())
            if wanted.length == upload.file.size {
                await book.changeQuietly(wanted.id, showing: false) { $0.sha256 = sha256 }
            }
            return FileDigestReply(sha256: sha256).encoded()
        } catch {
            throw refusal(error, wanted.id)
        }
    }

    /// Waits until the limit of uploads lets so many bytes of a file be read for its digest; `false` when nobody wants it
    /// any more.
    func mayRead(_ bytes: UInt64, of id: MessageID, for link: LinkNumber) async -> Bool {
        let isWanted = { self.book.transfers.upload(id, on: link) != nil }
        guard isWanted() else { return false }
        let share = max(1, bytes / Self.digestDiscount)
        return await pacing.wait(for: share, of: id, .outgoing, while: isWanted) && isWanted()
    }
}
