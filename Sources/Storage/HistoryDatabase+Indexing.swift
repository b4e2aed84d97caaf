// Brings the search indexes up to date, some moments after the messages.

internal import ChatCore
internal import Synchronization

extension HistoryDatabase {
    /// Messages are indexed together once none has come for so long...
    private static let quietTime = Duration.milliseconds(200)
    /// ... or when some have waited for so many quiet times, which searches would notice.
    private static let longestWait = 25

    /// Indexes new messages in the next quiet moment: it would hold up those that are still coming. The next search or
    /// write meets an error again, and reports it.
    func indexSoon() {
        arrivals.wrappingAdd(1, ordering: .relaxed)
        guard willIndex.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
        Task { [self] in
            for _ in 0..<Self.longestWait {
                let before = arrivals.load(ordering: .relaxed)
                try? await Task.sleep(for: Self.quietTime)
                if arrivals.load(ordering: .relaxed) == before { break }
            }
            willIndex.store(false, ordering: .relaxed)
            try? await index()
        }
    }

    /// Whether messages wait to be brought into the search indexes.
    package var isIndexing: Bool {
        get async throws(StoreError) {
            try await writer.perform { connection throws(StoreError) in try SearchIndex.isBehind(in: connection) }
        }
    }

    /// How many messages a start, a search or an end waits for: half a second of work. A new form of the indexes may have
    /// many more to take in.
    static let indexedAtOnce = 5_000

    /// Indexes what waits, in transactions of some hundred messages; about `limit` of them, and the rest after
    /// everybody who waits for this call.
    func index(atMost limit: Int = .max) async throws(StoreError) {
        guard try await isIndexing else { return }
        var rest = limit
        while rest > 0 {
            // A power cut before the next message takes away the indexes' share, which is then made again.
            let count = try await writer.write(.asynchronous) { connection throws(StoreError) in
                try SearchIndex.catchUp(in: connection)
            }
            if count == 0 { return }
            rest -= count
        }
        indexSoon()
    }
}
