// What is reported of commits comes in their order, whoever hears first that a commit is done (RELIABILITY D6).

import ChatCore
import Glibc
import Synchronization
import Testing

@testable import Storage

@Suite("The order of commits") struct CommitOrderTests {
    /// What was reported, in order.
    private final class Reports: Sendable {
        private let all = Mutex<[HistoryChange]>([])
        var changes: [HistoryChange] { all.withLock { $0 } }
        func add(_ change: HistoryChange) { all.withLock { $0.append(change) } }
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
                    // Whoever has stored it can rely on the news of it.
                    #expect(reports.changes.contains { $0.message.id == message.id })
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

    @Test("a report is as deep in the stack after many commits as at first")
    func depth() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        // Where the stack ended in the reports on each thread.
        let ends = Mutex<[UInt: [Int]]>([:])
        database.watchChanges { _ in
            var here = 0
            let end = withUnsafePointer(to: &here) { Int(bitPattern: $0) }
            ends.withLock { $0[UInt(pthread_self()), default: []].append(end) }
        }
        for number in 0..<200 { _ = try await database.say("\(number)", to: bob) }
        let all = ends.withLock { $0 }
        #expect(all.values.reduce(0) { $0 + $1.count } == 200)
        for ends in all.values {
            let growth = (ends.max() ?? 0) - (ends.min() ?? 0)
            // The writer's queue may be entered by another way, but not by one that grows.
            #expect(growth < 4_096)
        }
        await database.close()
    }
}
