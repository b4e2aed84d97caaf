// The rate at which transfers are drawn (PRODUCT, rule 5): news of how far they are come as they like and are shown
// together, four times a second at most, so that numbers can be read.

import ChatCore
import ChatWords

/// News of running transfers that the screen does not show yet.
struct ProgressNews: Sendable, Equatable {
    static let interval = Duration.milliseconds(250)

    /// The latest of each transfer.
    private(set) var waiting: [MessageID: TransferProgress] = [:]
    /// When (uptime) the next are shown.
    private var turn: Duration?

    /// When (uptime) what waits is to be shown.
    var due: Duration? { waiting.isEmpty ? nil : turn }

    mutating func add(_ news: TransferProgress) { waiting[news.id] = news }

    /// What became of the transfer is known in full: earlier news no longer count.
    mutating func forget(_ id: MessageID) { waiting[id] = nil }

    /// Everything that waits, when it is time.
    mutating func take(at now: Duration) -> [TransferProgress] {
        guard !waiting.isEmpty, turn.map({ $0 <= now }) ?? true else { return [] }
        turn = now + Self.interval
        defer { waiting = [:] }
        return Array(waiting.values)
    }
}
