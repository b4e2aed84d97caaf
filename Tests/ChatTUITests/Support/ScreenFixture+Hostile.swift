// Screens on which every text from outside is hostile: each entrance gets its own string of the corpus.

import ChatCore

@testable import ChatTUI

extension ScreenFixture {
    /// A main screen whose names, messages, files, addresses, reasons, reactions and requests come from `texts`, which
    /// are handed out in turn from `start` on.
    static func hostile(columns: Int, rows: Int, texts: [String], from start: Int) -> ScreenFixture {
        var next = start
        func text() -> String {
            defer { next += 1 }
            return texts[next % texts.count]
        }
        let contacts = [alice, bob, carol, dave]
        var fixture = ScreenFixture(
            columns: columns, rows: rows,
            conversations: contacts.map { conversation($0, text(), unread: 2, readUpTo: 1) })
        fixture.state.world.setIdentity(\.name, to: text())
        fixture.press("Alt-1")
        let details = LinkDetails(remoteAddress: text(), isEncrypted: false, roundTrip: .milliseconds(12))
        fixture.send(.chat(.linkChanged(alice, .online(details))))
        fixture.send(.chat(.linkChanged(bob, .offline(reason: .bodyFailed(reason: text())))))
        fixture.send(.answer(.downloads(folder: "/home/jo/" + text(), freeBytes: 212_000_000_000)))
        var history: [ChatMessage] = []
        for number in 1...14 as ClosedRange<Int64> {
            let direction = number % 3 == 0 ? MessageDirection.outgoing : .incoming
            let state = number == 12 ? DeliveryState.failed(reason: .other(text())) : .delivered
            var message = message(
                number, direction, text(), at: time(21, 9, number), state, replyTo: number % 4 == 0 ? number - 1 : nil)
            message.reactions = number % 5 == 0 ? [Reaction(direction: .incoming, emoji: text())] : []
            history.append(message)
        }
        fixture.state.world.chats[0].window = ChatWindow()
        let request = PageRequest(contact: alice, anchor: .newest, limit: 100, generation: 0)
        fixture.state.world.chats[0].window.paging.begin(request)
        fixture.send(.answer(.page(request, history)))
        fixture.addHostileTransfers(text)
        let stranger = ContactRequest(
            id: 3, peerID: peerID("h"), name: text(), address: PeerAddress(host: "192.0.2.44", port: 4985),
            origin: text(), received: time(21, 9, 11))
        fixture.send(.chat(.requestsChanged([stranger])))
        fixture.send(.failed(.call(.send(text(), to: alice)), .cannotRead(path: text(), errno: 13)))
        fixture.state.note([text(), text()], isError: true)
        fixture.send(.input(.paste(text())))
        return fixture
    }

    private mutating func addHostileTransfers(_ text: () -> String) {
        var offer = Self.transfer(8, .incoming, text(), size: 1_400_000_000, .offered)
        offer.caption = text()
        var done = Self.transfer(7, .incoming, text(), size: 4_100_000, .complete, transferred: 4_100_000)
        done.sha256 = "77aa0c1e" + String(repeating: "0", count: 56)
        done.path = "/home/jo/Downloads/" + text()
        let failed = Self.transfer(6, .incoming, text(), size: 88_000_000, .failed, reason: .other(text()))
        let running = Self.transfer(9, .outgoing, text(), size: 1_100_000, .running, transferred: 600_000)
        send(.answer(.transfers([offer, done, failed, running])))
        for (position, transfer) in [offer, done, failed, running].enumerated() {
            let at = Self.time(21, 9, 20 + Int64(position))
            send(.chat(.messageAdded(Self.fileMessage(transfer, position: 20 + Int64(position), at: at))))
        }
    }

    /// The screen itself and what can stand over it, each with what the user would see there.
    static func hostileScreens(columns: Int, rows: Int, texts: [String], from start: Int) -> [ScreenFixture] {
        let main = hostile(columns: columns, rows: rows, texts: texts, from: start)
        var screens = [main]
        for key in ["Alt-t", "Alt-r", "Alt-k", "Alt-x", "F1"] {
            var fixture = main
            fixture.press(key)
            if key != "Alt-t", key != "Alt-r" { fixture.send(.input(.paste(texts[start % texts.count]))) }
            screens.append(fixture)
        }
        var verify = main
        verify.send(.input(.key(Key("c", .control))))
        verify.enter("/verify")
        verify.send(.answer(.safetyNumber(alice, safetyNumber)))
        screens.append(verify)
        var search = main
        search.press("Alt-s")
        search.send(.input(.paste(texts[(start + 1) % texts.count] + "x")))
        if case .ask(.search(let query, let generation)) = search.effects.last {
            let hits = search.state.world.chats[0].window.items.compactMap(\.message).prefix(6)
            let result = SearchResult(hits: Array(hits), searched: 14, isTruncated: true)
            search.send(.answer(.search(query, generation: generation, result, took: .milliseconds(1))))
        }
        screens.append(search)
        return screens
    }
}
