// Digests of offered files: answers `file-digest` (PROTOCOL 4). A short request that may mean reading a whole file.

import BLIPNet

extension ChatClient {
    /// Reading costs us less than sending does: so many bytes read count as one sent where the rate has a limit
    /// (Docs/decisions/0018).
    static let digestDiscount: UInt64 = 16

    /// Puts the request into the line of its contact. Who asks for more at once than transfers need has to ask again.
    func lineUpDigest(_ request: BLIPIncomingRequest, of contact: ContactID, on link: ActiveLink) {
        let wanted: FileDigestRequest
        do throws(WireError) {
            wanted = try FileDigestRequest(decoding: request)
        } catch {
            return answer(request, on: link, error.response)
        }
        guard digestLines[contact]?.count ?? 0 < 2 * configuration.limits.runningTransfers else {
            return answer(request, on: link, .failure(.tooManyRequests, "too many digests at once"))
        }
        let (ticket, before) = digestLines[contact, default: DigestLine()].enter(wanted.id, on: link.number)
        let task = spawn { client in
            await before?.value
            // Over a link that has ended nothing is begun any more.
            if !Task.isCancelled, client.sessions[contact]?.link?.number == link.number {
                let response = await client.response { () async throws(ServingError) in
                    try await client.digest(wanted, asked: request.number, of: contact, on: link)
                }
                client.answer(request, on: link, response)
            }
            client.digestLines[contact]?.leave(ticket)
            if client.digestLines[contact]?.count == 0 { client.digestLines[contact] = nil }
        }
        digestLines[contact]?.begin(ticket, task)
    }

    /// A contact waits for a digest of this file: it is in use, though nothing of it is being sent.
    func isAwaitingDigest(_ id: MessageID, _ contact: ContactID) -> Bool { digestLines[contact]?.holds(id) == true }

    private func digest(
        _ wanted: FileDigestRequest, asked: UInt64, of contact: ContactID, on link: ActiveLink
    ) async throws(ServingError) -> BLIPResponse {
        let upload = try await upload(wanted.id, to: contact, on: link, asked: asked)
        do throws(OutgoingFileError) {
            let sha256 = try await upload.file.digest(of: wanted.length) { bytes in
                await self.mayRead(bytes, of: wanted.id, for: link.number)
            }
            uploads[wanted.id]?.lastAsked = .now()
            if wanted.length == upload.file.size {
                await changeQuietly(wanted.id, showing: false) { $0.sha256 = sha256 }
            }
            return FileDigestReply(sha256: sha256).encoded()
        } catch {
            throw refusal(error, wanted.id)
        }
    }

    /// Waits until the limit of uploads lets so many bytes of a file be read for its digest; `false` when nobody wants it
    /// any more.
    private func mayRead(_ bytes: UInt64, of id: MessageID, for link: LinkNumber) async -> Bool {
        let isWanted = { self.uploads[id]?.link == link }
        guard isWanted() else { return false }
        let share = max(1, bytes / Self.digestDiscount)
        return await pacing.wait(for: share, of: id, .outgoing, while: isWanted) && isWanted()
    }
}
