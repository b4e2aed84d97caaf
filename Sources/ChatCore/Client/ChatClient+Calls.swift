// The calls of a chat, each carried out by the method of the client that is about it.

extension ChatClient {
    package func perform(_ call: AnyCall) async throws(ChatError) -> any CallReply {
        switch call {
        case .identity: return identity
        case .conversations: return try await conversations()
        case .linkState(let contact): return await linkState(of: contact)
        case .addContact(let address, let name): return try await addContact(address, name: name)
        case .removeAddress(let contact, let address): try await removeAddress(address, of: contact)
        case .renameContact(let contact, let name): try await renameContact(contact, to: name)
        case .removeContact(let contact): try await removeContact(contact)
        case .setBlocked(let contact, let blocked): try await setBlocked(contact, blocked)
        case .setVerified(let contact): try await setVerified(contact)
        case .acceptNewKey(let contact, let key, let verified):
            try await acceptNewKey(key, of: contact, verified: verified)
        case .safetyNumber(let contact): return try await safetyNumber(for: contact)
        case .contactRequests: return try await contactRequests()
        case .approveRequest(let id, let name): return try await approveRequest(id, name: name)
        case .rejectRequest(let id): try await rejectRequest(id)
        case .blockRequest(let id): return try await blockRequest(id)
        case .reconnect(let contact): reconnect(contact)
        case .disconnect(let contact): disconnect(contact)
        case .ping(let contact): return try await ping(contact)
        case .traffic(let contact): return await traffic(with: contact)
        case .setMuted(let contact, let time): try await setMuted(contact, until: time)
        case .setAutomaticAcceptance(let contact, let limit): try await setAutomaticAcceptance(limit, from: contact)
        case .setOwnName(let name): try setOwnName(name)
        case .setAway(let reason): try setAway(reason)
        case .send(let contact, let text, let id): return try await send(text, to: contact, replyTo: id)
        case .sendOnce(let contact, let text, let id): return try await send(text, as: id, to: contact)
        case .setTyping(let contact, let composing): setTyping(composing, to: contact)
        case .markSeen(let contact, let position): try await markSeen(contact, upTo: position)
        case .markUnread(let contact, let position): try await markUnread(contact, from: position)
        case .setPinned(let message, let pinned): return try await setPinned(message, pinned)
        case .edit(let message, let text): return try await edit(message, to: text)
        case .retract(let message): return try await retract(message)
        case .react(let message, let emoji): return try await react(to: message, with: emoji)
        case .retry(let id): return try await retry(id)
        case .page(let contact, let anchor, let limit): return try await page(of: contact, anchor, limit: limit)
        case .search(let query): return try await search(query)
        case .firstMessage(let contact, let time): return try await firstMessage(of: contact, since: time)
        case .message(let contact, let reference): return try await message(reference, of: contact)
        case .messages(let contact, let ids): return try await messages(ids, of: contact)
        case .versions(let message): return try await versions(of: message)
        case .pinnedMessages(let contact): return try await pinnedMessages(of: contact)
        case .draft(let contact): return try await draft(for: contact)
        case .setDraft(let contact, let text): try await setDraft(text, for: contact)
        case .deleteMessages(let contact, let keys): return try await deleteMessages(keys, of: contact)
        case .deleteConversation(let contact, let time):
            return try await deleteMessages(of: contact, storedBefore: time)
        case .retention(let contact): return try await retention(of: contact)
        case .setRetention(let contact, let retention): try await setRetention(retention, of: contact)
        case .backUp(let path): try await backUp(to: path)
        case .sendFile(let contact, let path, let name, let caption):
            return try await sendFile(at: path, named: name, caption: caption, to: contact)
        case .sendFolder(let contact, let path, let caption):
            return try await sendFolder(at: path, caption: caption, to: contact)
        case .transfers(let unfinishedOnly): return try await transfers(unfinishedOnly: unfinishedOnly)
        case .transfer(let number): return try await transfer(number: number)
        case .acceptTransfer(let number, let folder): try await acceptTransfer(number, into: folder)
        case .declineTransfer(let number): try await declineTransfer(number)
        case .pauseTransfer(let number): try await pauseTransfer(number)
        case .resumeTransfer(let number): try await resumeTransfer(number)
        case .cancelTransfer(let number): try await cancelTransfer(number)
        case .cancelFolder(let number): try await cancelFolder(of: number)
        case .setRateLimit(let scope, let limit): try await setRateLimit(limit, of: scope)
        case .rateLimit(let scope): return try await rateLimit(of: scope)
        case .downloadsSpace:
            return await downloadsSpace().map { DownloadsSpace(folder: $0.folder, freeBytes: $0.freeBytes) }
        }
        return NoReply()
    }
}
