// What waits for the transport: packets in order, in groups that belong together (SOCKETIO B5, trap 7).

/// The outgoing queue of a session. A group is what the layer above sends as one: the text of a packet and its attachments.
struct EngineIOOutbox: Sendable {
    private struct Entry {
        var packet: EngineIOPacket
        /// The group that ends with this packet.
        var ended: UInt64?
        /// The group that begins with it.
        var begun: UInt64?
    }

    /// Packets of one POST.
    struct Batch: Sendable, Equatable {
        var packets: [EngineIOPacket] = []
        /// Groups that are complete with it.
        var ended: [UInt64] = []
    }

    private var entries = FIFO<Entry>()
    /// Bytes of the payloads that wait.
    private(set) var byteCount = 0
    /// We send these before everything else: the answer to the server's newest ping, and a ping of ours.
    private var pong: String?
    private var hasPing = false

    var isEmpty: Bool { entries.isEmpty && pong == nil && !hasPing }
    var count: Int { entries.count }

    /// Answers a ping. One that has not gone out yet is replaced, so that a flood of pings costs nothing.
    mutating func answerPing(_ text: String) { pong = text }

    mutating func ping() { hasPing = true }

    private mutating func nextControl() -> EngineIOPacket? {
        if let text = pong.take() { return EngineIOPacket(.pong, text) }
        guard hasPing else { return nil }
        hasPing = false
        return EngineIOPacket(.ping)
    }

    mutating func append(_ group: [EngineIOPacket], token: UInt64? = nil) {
        for (index, packet) in group.enumerated() {
            byteCount += packet.payload.byteCount
            entries.append(
                Entry(
                    packet: packet, ended: index == group.count - 1 ? token : nil, begun: index == 0 ? token : nil))
        }
    }

    /// The next packet, for a WebSocket.
    mutating func next() -> (packet: EngineIOPacket, ended: UInt64?)? {
        if let control = nextControl() { return (control, nil) }
        guard let entry = entries.popFirst() else { return nil }
        byteCount -= entry.packet.payload.byteCount
        return (entry.packet, entry.ended)
    }

    /// As many packets as one POST may have: at least one, at most `maxPackets`, and `maxBytes` of body. In revision 3 a
    /// text with characters beyond the Basic Multilingual Plane is the last of its payload: servers in JavaScript and in
    /// Python count such a character differently, and take what is left at the end.
    mutating func nextBatch(
        revision: EngineIORevision, base64: Bool, maxPackets: Int, maxBytes: Int
    ) -> Batch? {
        var batch = Batch()
        var bytes = 0
        while let control = nextControl() {
            bytes += Self.postByteCount(of: control, revision: revision, base64: base64)
            batch.packets.append(control)
        }
        while batch.packets.count < max(1, maxPackets), let entry = entries.first {
            bytes += Self.postByteCount(of: entry.packet, revision: revision, base64: base64)
            guard batch.packets.isEmpty || bytes <= maxBytes else { break }
            _ = entries.popFirst()
            byteCount -= entry.packet.payload.byteCount
            batch.packets.append(entry.packet)
            if let ended = entry.ended { batch.ended.append(ended) }
            if revision == .eio3, entry.packet.text.utf8.contains(where: { $0 >= 0xF0 }) { break }
        }
        return batch.packets.isEmpty ? nil : batch
    }

    /// The most that a packet takes in the body of a POST, with what frames it.
    static func postByteCount(of packet: EngineIOPacket, revision: EngineIORevision, base64: Bool) -> Int {
        switch revision {
        case .eio4: packet.textByteCount(revision: .eio4) + 1
        case .eio3:
            // A length of ten digits and what ends it; the digits and marks of the binary framing.
            (packet.isBinary && !base64 ? 1 + packet.payload.byteCount : packet.textByteCount(revision: .eio3)) + 12
        }
    }

    /// The groups of which nothing is gone, in order.
    var untouched: [UInt64] {
        (0..<entries.count).compactMap { entries[$0]?.begun }
    }

    mutating func removeAll() {
        entries.removeAll()
        byteCount = 0
        pong = nil
        hasPing = false
    }
}
