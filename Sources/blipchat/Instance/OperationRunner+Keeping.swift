// Deletes messages and sets how long they are kept.

import ChatCore

extension OperationRunner {
    func delete(_ ids: [MessageID], of who: String, _ records: RecordSink) async throws(CommandError) {
        let peer = try await contact(who)
        let found = try await ask(.messages(ids, of: peer.id), about: who)
        // Of two with one id ours is meant, as everywhere; the same again then means the other one.
        let keys = ids.compactMap { id in
            found.filter { $0.id == id }.max { $0.direction == .incoming && $1.direction == .outgoing }?.key
        }
        let count = try await ask(.deleteMessages(keys, of: peer.id), about: who)
        guard count > 0 else {
            throw CommandError(.notFound, who, "no such message", advice: "blipchat history WHO --json shows the ids")
        }
        await records(Self.deleted(count, peer))
    }

    func clear(_ who: String, before time: Timestamp?, _ records: RecordSink) async throws(CommandError) {
        let peer = try await contact(who)
        let count = try await ask(.deleteMessages(of: peer.id, storedBefore: time), about: who)
        await records(Self.deleted(count, peer))
    }

    private static func deleted(_ count: Int, _ peer: Peer) -> JSONValue {
        .record(["v": 1, "type": "deleted", "conversation": .string(peer.name), "messages": .integer(Int64(count))])
    }

    func keep(_ who: String, _ change: String?, _ records: RecordSink) async throws(CommandError) {
        let peer = try await contact(who)
        if let change {
            let retention = Retention(change)
            guard retention != nil || change == "default" else {
                throw CommandError(.usage, change, "not a time", advice: "give a number of days, forever or default")
            }
            try await ask(.setRetention(retention, of: peer.id), about: who)
        }
        let retention = try await ask(.retention(of: peer.id), about: who)
        await records(
            .record([
                "v": 1, "type": "retention", "conversation": .string(peer.name),
                "keep": .string(retention?.text ?? "default"),
            ]))
    }
}
