// How far our user has read, and what they mark for themselves. The peer learns only how far they have read.

import BLIPNet

/// The errands of marks and read receipts.
struct ReadMarks {
    let core: ClientCore

    func markSeen(_ contact: ContactID, upTo position: HistoryPosition) async throws(ChatError) {
        _ = try core.session(with: contact)
        let receipt = try await core.records.stored { () async throws(StoreError) in
            try await core.store.markSeen(contact: contact, upTo: position)
        }
        guard let receipt else { return }
        core.hub.publish(.conversationsChanged)
        if core.configuration.sendsReceipts(to: core.links[contact]?.peer) { return sendReadReceipts(to: contact) }
        // The peer never learns what our user read while receipts were off, not even when they are on again.
        try await core.records.stored { () async throws(StoreError) in
            try await core.store.confirmReadReceipt(contact: contact, upTo: receipt)
        }
    }

    /// Sends the newest watermark until the peer has confirmed it; one task per link.
    func sendReadReceipts(to contact: ContactID) {
        guard core.isRunning, core.maySend(to: contact), let link = core.links[contact]?.sendingLink else { return }
        core.links[contact]?.hasNewReceipt = true
        guard core.links[contact]?.receiptLink != link.number else { return }
        core.links[contact]?.receiptLink = link.number
        core.tasks.spawn { client in
            // Asked again while the store was saying that there is nothing, it has to be asked once more.
            while client.core.links[contact]?.takeNewReceipt(on: link.number) == true {
                guard await client.marks.sendReceipts(of: contact, on: link) else { break }
            }
            if client.core.links[contact]?.receiptLink == link.number { client.core.links[contact]?.receiptLink = nil }
        }
    }

    /// `false` when one could not be sent or confirmed: the next link or mark tries again.
    func sendReceipts(of contact: ContactID, on link: ActiveLink) async -> Bool {
        while core.links[contact]?.receiptLink == link.number {
            let next = await core.records.quietly { () async throws(StoreError) in
                try await core.store.unsentReadReceipt(for: contact)
            }
            guard let id = next ?? nil else { break }
            let pending = link.connection.submit(ReadRequest(upTo: id).encoded(), bodySink: nil)
            guard let response = try? await pending.value(), response.error == nil else { return false }
            let isStored = await core.records.quietly { () async throws(StoreError) in
                try await core.store.confirmReadReceipt(contact: contact, upTo: id)
                return true
            }
            if isStored == nil { return false }
        }
        return true
    }

    func markUnread(_ contact: ContactID, from position: HistoryPosition) async throws(ChatError) {
        _ = try core.session(with: contact)
        try await core.records.stored { () async throws(StoreError) in
            try await core.store.markUnread(contact: contact, from: position)
        }
        core.hub.publish(.conversationsChanged)
    }

    func setPinned(_ message: ChatMessage, _ pinned: Bool) async throws(ChatError) -> ChatMessage {
        let time = pinned ? core.now() : nil
        return try await core.records.stored { () async throws(StoreError) in
            try await core.store.setPinned(message, at: time)
        }
    }
}
