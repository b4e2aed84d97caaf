// What is reported of commits comes in their order, whoever hears first that a commit is done (RELIABILITY D6).

import ChatCore
import Synchronization
import Testing

@testable import Storage

@Suite("The order of commits") struct CommitOrderTests {
    /// What was reported, in order.
    private final class Reports: Sendable {
        private let all = Mutex<[HistoryChange]>([])
        var changes: [HistoryChange] { all.withLock { $0 } }
        var texts: [String] { changes.map(\.message.text) }
        func add(_ change: HistoryChange) { all.withLock { $0.append(change) } }
    }

    private func change(_ text: String) -> HistoryChange {
        let time = Timestamp(milliseconds: 0)
        return .added(
            ChatMessage(
                id: MessageID(at: time), position: HistoryPosition(1), contact: ContactID(1), direction: .outgoing,
                sequence: 1, sent: time, stored: time, state: .pending, content: .text(text)))
    }

    @Test("a write that ends early waits for those before it, and one that failed holds nobody up")
    func places() {
        let order = CommitOrder()
        let reports = Reports()
        order.watch(reports.add)
        let tickets = (0..<4).map { _ in order.begin() }
        // The writer takes them in another order than that of the calls.
        for index in [2, 0, 3] { order.takePlace(tickets[index]) }
        order.end(tickets[0], [change("second")])
        #expect(reports.texts.isEmpty)
        order.end(tickets[2], [change("first")])
        #expect(reports.texts == ["first", "second"])
        // It never began: there is nothing to wait for.
        order.end(tickets[1], [])
        order.end(tickets[3], [change("third"), change("fourth")])
        #expect(reports.texts == ["first", "second", "third", "fourth"])
    }

    @Test("of a write that is done once more the last time counts")
    func again() {
        let order = CommitOrder()
        let reports = Reports()
        order.watch(reports.add)
        let (one, two) = (order.begin(), order.begin())
        order.takePlace(one)
        order.takePlace(two)
        order.takePlace(one)
        order.end(one, [change("one")])
        #expect(reports.texts.isEmpty)
        order.end(two, [change("two")])
        #expect(reports.texts == ["two", "one"])
    }

    @Test("sends and their states that are stored at once are reported as the history has them")
    func together() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let reports = Reports()
        database.watchChanges(reports.add)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let message = try await database.say("\(number)", to: bob)
                    async let sent = database.advanceState(of: message.id, in: bob, to: .sent)
                    async let delivered = database.advanceState(of: message.id, in: bob, to: .delivered)
                    _ = try await (sent, delivered)
                }
            }
            try await group.waitForAll()
        }
        let added = reports.changes.compactMap { if case .added(let message) = $0 { message.position } else { nil } }
        #expect(added.count == 200)
        #expect(added == added.sorted())
        var shown: [MessageID: DeliveryState] = [:]
        for change in reports.changes {
            let message = change.message
            #expect(shown[message.id].map { $0.mayBecome(message.state) } ?? true)
            shown[message.id] = message.state
        }
        #expect(shown.values.allSatisfy { $0 == .delivered })
        await database.close()
    }
}
