// The calls of a chat, each carried out by the part of the client that is about it.

extension ChatClient {
    package func perform(_ call: AnyCall) async throws(ChatError) -> any CallReply {
        if case .retention(let contact) = call { _ = try core.session(with: contact) }
        let read = try await core.records.stored { () async throws(StoreError) in try await core.store.read(call) }
        if let read { return read }
        switch call {
        case .identity: return identity
        case .linkState(let contact): return await linkState(of: contact)
        case .addContact(let address, let name): return try await addContact(address, name: name)
        case .removeAddress(let contact, let address): try await people.removeAddress(address, of: contact)
        case .renameContact(let contact, let name): try await people.renameContact(contact, to: name)
        case .removeContact(let contact): try await removeContact(contact)
        case .setBlocked(let contact, let blocked): try await setBlocked(contact, blocked)
        case .setVerified(let contact): try await setVerified(contact)
        case .acceptNewKey(let contact, let key, let verified):
            try await acceptNewKey(key, of: contact, verified: verified)
        case .safetyNumber(let contact): return try await safetyNumber(for: contact)
        case .maySend(let contact): return maySend(to: contact)
        case .approveRequest(let id, let name): return try await approveRequest(id, name: name)
        case .rejectRequest(let id): try await requests.reject(try await requests.request(id))
        case .blockRequest(let id): return try await blockRequest(id)
        case .reconnect(let contact): dialling.reconnect(contact)
        case .disconnect(let contact): dialling.disconnect(contact)
        case .ping(let contact): return try await ping(contact)
        case .traffic(let contact): return await traffic(with: contact)
        case .setMuted(let contact, let time): try await people.setMuted(contact, until: time)
        case .setAutomaticAcceptance(let contact, let limit): try await setAutomaticAcceptance(limit, from: contact)
        case .joinRoom(let url, let name): return try await joinRoom(url, name: name)
        case .leaveRoom(let contact): try await leaveRoom(contact)
        case .room(let contact): return try roomDetails(of: contact) as any CallReply
        case .invite(let seconds, let place):
            return try await reachCalls.invite(lasting: seconds.map { .seconds($0) }, at: place)
        case .meet(let words, let place, let name):
            return try await reachCalls.joining.join(words, at: place, name: name)
        case .nearby(let seconds): return reachCalls.nearby(showing: seconds.map { .seconds($0) })
        case .routes(let contact): return try reachCalls.routes(of: contact)
        case .addRoute(let contact, let route): try await reachCalls.addRoute(route, to: contact)
        case .reach: return reachCalls.report()
        case .testReach: return await reachCalls.test.run()
        case .renewReach: try await relays.renewMailboxes()
        case .setOwnName(let name): try presence.setOwnName(name)
        case .setAway(let reason): try presence.setAway(reason)
        case .send(let contact, let text, let id): return try await writing.send(text, to: contact, replyTo: id)
        case .sendOnce(let contact, let text, let id): return try await writing.send(text, as: id, to: contact)
        case .setTyping(let contact, let composing): presence.setTyping(composing, to: contact)
        case .markSeen(let contact, let position): try await marks.markSeen(contact, upTo: position)
        case .markUnread(let contact, let position): try await marks.markUnread(contact, from: position)
        case .setPinned(let message, let pinned): return try await marks.setPinned(message, pinned)
        case .edit(let message, let text): return try await writing.edit(message, to: text)
        case .retract(let message): return try await writing.retract(message)
        case .react(let message, let emoji): return try await writing.react(to: message, with: emoji)
        case .retry(let id): return try await writing.retry(id)
        case .setDraft(let contact, let text):
            try await core.records.stored { () async throws(StoreError) in
                try await core.store.setDraft(text, for: contact)
            }
        case .deleteMessages(let contact, let keys): return try await keeping.deleteMessages(keys, of: contact)
        case .deleteConversation(let contact, let time):
            return try await keeping.deleteMessages(of: contact, storedBefore: time)
        case .setRetention(let contact, let retention): try await keeping.setRetention(retention, of: contact)
        case .backUp(let path):
            try await core.records.stored { () async throws(StoreError) in try await core.store.backUp(to: path) }
        // The program that runs the chat reads exports, and keeps the news of transfers.
        case .importHistory(let path):
            throw .cannotImport(ImportProblem(exit: 9, subject: path, reason: "this chat cannot import", advice: nil))
        case .transferProgress: return [TransferProgress]()
        case .sendFile(let contact, let path, let name, let caption):
            return try await offering.sendFile(at: path, named: name, caption: caption, to: contact)
        case .sendFolder(let contact, let path, let caption):
            return try await offering.sendFolder(at: path, caption: caption, to: contact)
        case .acceptTransfer(let number, let folder): try await decisions.acceptTransfer(number, into: folder)
        case .declineTransfer(let number): try await decisions.declineTransfer(number)
        case .pauseTransfer(let number): try await decisions.pauseTransfer(number)
        case .resumeTransfer(let number): try await decisions.resumeTransfer(number)
        case .cancelTransfer(let number): try await decisions.cancelTransfer(number)
        case .cancelFolder(let number): try await decisions.cancelFolder(of: number)
        case .setRateLimit(let scope, let limit): try await book.setRateLimit(limit, of: scope)
        case .rateLimit(let scope): return try await book.rateLimit(of: scope)
        case .downloadsSpace: return await places.space()
        // The store has answered, or there is no such transfer.
        case .transfer: throw .noSuchTransfer
        case .conversations, .contactRequests, .page, .search, .firstMessage, .message, .messages, .versions,
            .pinnedMessages, .draft, .retention, .transfers:
            break
        }
        return NoReply()
    }
}
