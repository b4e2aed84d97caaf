// The contents of the pictures in screens/: five people, one conversation, four transfers.

import ChatCore

@testable import ChatTUI
@testable import ChatWords

extension ScreenFixture {
    static func peer(_ id: ContactID, _ name: String, _ trust: PeerTrust = .verified) -> Peer {
        var peer = Peer(
            id: id, peerID: peerID(["c", "d", "e", "f", "g"][Int(id.rawValue) % 5]), name: name,
            addresses: [PeerAddress(host: "127.0.0.1")], trust: trust, added: time(12, 10, 0), lastSeen: time(20, 12, 0)
        )
        if trust == .verified { peer.verifiedAt = time(12, 10, 5) }
        return peer
    }

    static func conversation(
        _ id: ContactID, _ name: String, unread: Int = 0, readUpTo: Int64? = nil, queued: Int = 0,
        trust: PeerTrust = .verified
    ) -> Conversation {
        Conversation(
            peer: peer(id, name, trust), lastMessage: nil, unreadCount: unread,
            readUpTo: readUpTo.map(HistoryPosition.init), queuedCount: queued)
    }

    static func message(
        _ number: Int64, _ direction: MessageDirection, _ text: String, at time: Timestamp,
        _ state: DeliveryState = .delivered, contact: ContactID = alice, replyTo: Int64? = nil
    ) -> ChatMessage {
        ChatMessage(
            id: messageID(number), position: HistoryPosition(number), contact: contact, direction: direction,
            sequence: number, sent: time, stored: time, state: state, replyTo: replyTo.map(messageID),
            content: .text(text))
    }

    static func transfer(
        _ number: Int64, _ direction: MessageDirection, _ name: String, size: UInt64, _ state: FileTransfer.State,
        contact: ContactID = alice, transferred: UInt64 = 0, reason: TransferReason? = nil
    ) -> FileTransfer {
        FileTransfer(
            id: messageID(1000 + number), number: TransferNumber(number), contact: contact, direction: direction,
            name: name, size: size, modified: time(1, 0, 0), state: state, reason: reason, transferred: transferred,
            offered: time(21, 9, 5))
    }

    static func fileMessage(_ transfer: FileTransfer, position: Int64, at time: Timestamp) -> ChatMessage {
        ChatMessage(
            id: transfer.id, position: HistoryPosition(position), contact: transfer.contact,
            direction: transfer.direction, sequence: position, sent: time, stored: time, state: .delivered,
            content: .file(transfer))
    }

    static let history: [ChatMessage] = [
        message(
            1, .incoming, "the plan is at https://example.org/plan/2026/release/index.html?rev=7", at: time(20, 21, 40)),
        message(2, .outgoing, "reading it now", at: time(20, 21, 42), .read),
        message(3, .incoming, "morning! can you send the build log?", at: time(21, 9, 2)),
        message(4, .incoming, "the one from last night", at: time(21, 9, 2)),
        message(5, .outgoing, "sure, one minute", at: time(21, 9, 4), .read),
        message(6, .outgoing, "this one? 4.1 MB", at: time(21, 9, 5), .delivered, replyTo: 4),
        message(7, .outgoing, "sending", at: time(21, 9, 5), .sent),
        message(8, .outgoing, "(kept on disk until alice is reachable)", at: time(21, 9, 6), .pending),
    ]

    static let buildLog = transfer(
        7, .outgoing, "build.log", size: 4_100_000, .running, transferred: 2_665_000)
    static let release = transfer(8, .incoming, "release.tar.zst", size: 1_400_000_000, .offered)

    /// The main screen of picture 1 with an empty input.
    static func main(columns: Int, rows: Int) -> ScreenFixture {
        var fixture = ScreenFixture(
            columns: columns, rows: rows,
            conversations: [
                conversation(alice, "Alice", unread: 2, readUpTo: 2, queued: 1),
                conversation(bob, "Bob", unread: 3, trust: .unverified), conversation(carol, "Carol"),
                conversation(dave, "Dave", unread: 1),
            ])
        fixture.press("Alt-1")
        let details = LinkDetails(remoteAddress: "127.0.0.1:4985", isEncrypted: true, roundTrip: .milliseconds(12))
        fixture.send(.chat(.linkChanged(alice, .online(details))))
        fixture.send(.chat(.linkChanged(carol, .online(details))))
        fixture.send(.answer(.safetyNumber(alice, safetyNumber)))
        fixture.send(.answer(.downloads(folder: "/home/jo/Downloads", freeBytes: 212_000_000_000)))
        fixture.send(.answer(.mentions([message(-9, .incoming, "jo, look", at: time(21, 9, 1), contact: dave)])))
        fixture.state.world.chats[0].window = ChatWindow()
        fixture.state.world.chats[0].window.showUnreadLine(after: HistoryPosition(2), count: 2)
        let request = PageRequest(contact: alice, anchor: .newest, limit: 100, generation: 0)
        fixture.state.world.chats[0].window.paging.begin(request)
        fixture.send(.answer(.page(request, history)))
        // The store has what was seen up to now.
        fixture.state.world.chats[0].seenIsStored(at: .zero)
        return fixture
    }

    static let safetyNumber = [
        "04821", "77310", "55902", "18846", "30217", "99041", "61175", "20938", "44410", "72763", "08519", "33628",
    ]

    /// Adds the running upload of picture 1.
    mutating func addBuildLog() {
        send(.answer(.transfers([Self.buildLog])))
        send(.chat(.messageAdded(Self.fileMessage(Self.buildLog, position: 9, at: Self.time(21, 9, 5)))))
        send(
            .chat(
                .transferProgress(
                    TransferProgress(id: Self.buildLog.id, transferred: 2_665_000, rate: 1_200_000))))
        state.world.chats[0].set(\.queuedCount, to: 1)
        state.world.chats[0].window.showUnreadLine(after: HistoryPosition(2), count: 2)
    }

    /// Adds the offer of picture 2.
    mutating func addOffer() {
        send(.answer(.transfers([Self.release])))
        send(.chat(.messageAdded(Self.fileMessage(Self.release, position: 10, at: Self.time(21, 9, 7)))))
    }

    /// The transfers of picture 3.
    mutating func addTransfers() {
        var done = Self.transfer(7, .outgoing, "build.log", size: 4_100_000, .complete, transferred: 4_100_000)
        done.sha256 = "77aa0c1e" + String(repeating: "0", count: 56)
        done.finished = Self.time(21, 9, 6)
        let running = Self.transfer(
            8, .incoming, "release.tar.zst", size: 1_400_000_000, .running, transferred: 602_000_000)
        let paused = Self.transfer(
            5, .incoming, "dataset.bin", size: 9_800_000_000, .paused, contact: Self.bob, transferred: 6_960_000_000)
        let failed = Self.transfer(
            6, .incoming, "notes.zip", size: 88_000_000, .failed, contact: Self.bob,
            reason: "disk full, needs 88 MB, 12 MB free on /home")
        let queued = Self.transfer(9, .outgoing, "photo.png", size: 1_100_000, .accepted, contact: Self.dave)
        send(.answer(.transfers([done, running, paused, failed, queued])))
        send(
            .chat(
                .transferProgress(
                    TransferProgress(id: running.id, transferred: 602_000_000, rate: 1_400_000))))
    }
}
