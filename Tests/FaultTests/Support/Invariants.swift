// What must hold after every fault (RELIABILITY 5): nothing lost, nothing doubled, nothing invented, order kept.

import Testing

/// Compares what one side has sent with what the other side has stored.
enum Invariants {
    /// Holds at any moment, also while one side is down.
    ///
    /// `written`: what our user wrote, in order; nothing else may stand on either side.
    static func check(
        sender: HistoryProbe, receiver: HistoryProbe, written: [String], _ when: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(sender.integrity == "ok", "sender \(when)", sourceLocation: sourceLocation)
        #expect(receiver.integrity == "ok", "receiver \(when)", sourceLocation: sourceLocation)
        let sent = sender.outgoing
        let stored = receiver.incoming
        let storedIDs = stored.map(\.id)
        // Acknowledged is a subset of stored on the other side, with the same content.
        let texts = Dictionary(stored.map { ($0.id, $0.text) }) { first, _ in first }
        for message in sent where message.rank >= StoredMessage.delivered {
            #expect(texts[message.id] == message.text, "\(message.id) \(when)", sourceLocation: sourceLocation)
        }
        #expect(Set(storedIDs).count == storedIDs.count, "each id once \(when)", sourceLocation: sourceLocation)
        // Nothing invented: what the receiver has stands at the sender, and what the sender has was written.
        let own = Dictionary(sent.map { ($0.id, $0.text) }) { first, _ in first }
        for message in stored {
            #expect(own[message.id] == message.text, "\(message.id) \(when)", sourceLocation: sourceLocation)
        }
        let known = Set(written)
        #expect(
            sent.allSatisfy { $0.text.isEmpty || known.contains($0.text) }, "nothing invented \(when)",
            sourceLocation: sourceLocation)
        // Order: numbers without a gap at the sender, increasing at the receiver.
        #expect(
            sent.map(\.sequence) == sent.indices.map { Int64($0) + 1 }, "numbers \(when)",
            sourceLocation: sourceLocation)
        let sequence = stored.map(\.sequence)
        #expect(sequence == sequence.sorted(), "order \(when)", sourceLocation: sourceLocation)
    }

    /// Holds once both sides have run undisturbed: everything is there.
    static func checkDrained(
        sender: HistoryProbe, receiver: HistoryProbe, written: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        check(sender: sender, receiver: receiver, written: written, "at the end", sourceLocation: sourceLocation)
        #expect(sender.outboxCount == 0, "outbox", sourceLocation: sourceLocation)
        #expect(receiver.outboxCount == 0, "outbox of the receiver", sourceLocation: sourceLocation)
        #expect(
            sender.outgoing.allSatisfy { $0.rank >= StoredMessage.delivered }, "all delivered",
            sourceLocation: sourceLocation)
        #expect(
            receiver.incoming.map(\.id) == sender.outgoing.map(\.id), "everything, in order",
            sourceLocation: sourceLocation)
    }
}
