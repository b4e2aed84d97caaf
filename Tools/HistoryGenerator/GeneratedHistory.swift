// Makes a history of any size for benchmarks and tests: the same seed gives the same history, byte for byte in its texts,
// ids and times. Conversations differ in size as those of people do; texts come from GeneratedText.

package import ChatCore
package import Storage

package struct GeneratedHistory: Sendable {
    package var messages: Int
    package var conversations: Int
    package var seed: UInt64
    /// When the last message was stored.
    package var end = Timestamp(milliseconds: 1_764_000_000_000)

    package init(messages: Int, conversations: Int, seed: UInt64) {
        self.messages = messages
        self.conversations = max(1, conversations)
        self.seed = seed
    }

    /// Fills an empty history; `progress` hears how many messages are stored.
    package func fill(_ database: HistoryDatabase, progress: (Int) -> Void = { _ in }) async throws(StoreError) {
        var random = SplitMix(seed: seed)
        var contacts: [ContactID] = []
        for number in 0..<conversations {
            let key = PeerID(Self.peerID(number: number, seed: seed))
            let contact = try await database.addContact(
                NewContact(
                    peerID: key, name: Self.name(number),
                    addresses: [PeerAddress(host: "127.0.0.1", port: 9, peerID: key)],
                    trust: number % 3 == 0 ? .verified : .unverified, added: time(of: 0)))
            contacts.append(contact.id)
        }
        var sequences = Array(repeating: (own: Int64(0), peer: Int64(0)), count: conversations)
        var text = GeneratedText(seed: seed &+ 1)
        var run = try await HistoryImport(into: database, count: messages)
        var batch: [ImportedMessage] = []
        var talking = 0
        for number in 0..<messages {
            // People answer each other for a while, then somebody else writes; few write most of it.
            if random.below(8) == 0 { talking = min(random.below(conversations), random.below(conversations)) }
            let isOurs = random.below(2) == 0
            if isOurs { sequences[talking].own += 1 } else { sequences[talking].peer += 1 }
            let stored = time(of: number)
            let sent = isOurs ? stored : Timestamp(milliseconds: stored.milliseconds - Int64(random.below(2_000)))
            let id = Self.id(at: sent, number: number, &random)
            batch.append(
                ImportedMessage(
                    contact: contacts[talking], direction: isOurs ? .outgoing : .incoming, id: id,
                    sequence: isOurs ? sequences[talking].own : sequences[talking].peer, sent: sent, stored: stored,
                    // The newest few hundred are not read yet.
                    state: number >= messages - 300 ? .delivered : .read,
                    content: content(number, id, contacts[talking], isOurs: isOurs, at: stored, &text, &random)))
            if batch.count == HistoryImport.batch {
                try await run.add(batch)
                progress(number + 1)
                batch.removeAll(keepingCapacity: true)
            }
        }
        try await run.add(batch)
        try await run.finish()
        progress(messages)
    }

    // MARK: Parts

    private func content(
        _ number: Int, _ id: MessageID, _ contact: ContactID, isOurs: Bool, at time: Timestamp,
        _ text: inout GeneratedText, _ random: inout SplitMix
    ) -> ChatMessage.Content {
        guard random.below(50) == 0 else { return .text(text.next()) }
        let size = UInt64(1) << UInt64(8 + random.below(22))
        let name = text.fileName(number)
        return .file(
            FileTransfer(
                id: id, number: TransferNumber(0), contact: contact, direction: isOurs ? .outgoing : .incoming,
                name: name,
                size: size, modified: time, contentType: "application/octet-stream",
                caption: random.below(4) == 0 ? text.next() : "", state: random.below(10) == 0 ? .declined : .complete,
                reason: nil, transferred: size, sha256: Self.hex(&random, count: 64),
                path: "/home/me/Downloads/" + name,
                offered: time, started: time, finished: time))
    }

    /// A year has a million messages: one about every 30 seconds.
    private func time(of number: Int) -> Timestamp {
        Timestamp(milliseconds: end.milliseconds - Int64(messages - number) * 31_536)
    }

    private static func name(_ number: Int) -> String {
        let given = ["alice", "bob", "carol", "dmitri", "Zoë", "小林", "יעל", "Émile", "Łukasz", "Nguyễn"]
        return number < given.count ? given[number] : "\(given[number % given.count]) \(number)"
    }

    private static func id(at time: Timestamp, number: Int, _ random: inout SplitMix) -> MessageID {
        // UUIDv7: 48 bits of time, then what is unique.
        let digits = hex(UInt64(clamping: time.milliseconds), count: 12)
        let rest = hex(UInt64(number), count: 8)
        let text =
            "\(digits.prefix(8))-\(digits.dropFirst(8))-7\(hex(&random, count: 3))-8\(hex(&random, count: 3))-"
            + "\(hex(&random, count: 4))\(rest)"
        return MessageID(text) ?? MessageID(at: time)
    }

    private static func peerID(number: Int, seed: UInt64) -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var random = SplitMix(seed: seed ^ UInt64(number) << 20)
        return String(decoding: (0..<51).map { _ in alphabet[random.below(32)] } + [UInt8(ascii: "a")], as: UTF8.self)
    }

    private static func hex(_ value: UInt64, count: Int) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: (0..<count).reversed().map { digits[Int(value >> UInt64(4 * $0) & 15)] }, as: UTF8.self)
    }

    private static func hex(_ random: inout SplitMix, count: Int) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: (0..<count).map { _ in digits[random.below(16)] }, as: UTF8.self)
    }
}

/// SplitMix64: randomness that can be repeated.
struct SplitMix: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// 0 up to, but without, `limit`.
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }
}
