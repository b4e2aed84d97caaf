// The file transfers that the screen knows of: from the store at the start, then from events.

import ChatCore

/// All unfinished transfers and the latest finished ones.
struct TransferList: Sendable, Equatable {
    /// Finished ones beyond this many are forgotten, oldest first.
    static let finishedLimit = 100

    private(set) var byID: [MessageID: FileTransfer] = [:]
    private(set) var progress: [MessageID: TransferProgress] = [:]
    /// Offers to us that nobody has decided: asked for after every action.
    private var openIDs: Set<MessageID> = []

    /// Unfinished first, then by number, newest first.
    var sorted: [FileTransfer] {
        byID.values.sorted {
            $0.state.isFinal != $1.state.isFinal ? !$0.state.isFinal : $0.number > $1.number
        }
    }

    var unfinished: [FileTransfer] { byID.values.filter { !$0.state.isFinal }.sorted { $0.number < $1.number } }
    var running: [FileTransfer] { unfinished.filter { $0.state == .running } }

    /// Offers to us that nobody has decided, oldest first.
    var openOffers: [FileTransfer] {
        openIDs.isEmpty ? [] : openIDs.compactMap { byID[$0] }.sorted { $0.number < $1.number }
    }

    subscript(number: TransferNumber) -> FileTransfer? { byID.values.first { $0.number == number } }

    mutating func update(_ transfer: FileTransfer) {
        byID[transfer.id] = transfer
        let isOpen = transfer.state == .offered && transfer.direction == .incoming
        if isOpen { openIDs.insert(transfer.id) } else { openIDs.remove(transfer.id) }
        if transfer.state != .running { progress[transfer.id] = nil }
        let finished = byID.values.filter(\.state.isFinal)
        if finished.count > Self.finishedLimit, let oldest = finished.min(by: { $0.number < $1.number }) {
            byID[oldest.id] = nil
        }
    }

    mutating func update(_ news: TransferProgress) {
        guard byID[news.id] != nil else { return }
        progress[news.id] = news
        byID[news.id]?.transferred = news.transferred
    }

    /// Bytes per second of all running transfers in one direction (both when `nil`).
    func rate(_ direction: MessageDirection? = nil) -> Double {
        running.filter { direction == nil || $0.direction == direction }
            .reduce(0) { $0 + (progress[$1.id]?.rate ?? 0) }
    }
}
