// How fast transfers run: the last progress of each, kept for `transfers list`.

import ChatCore

actor TransferRates {
    private var rates: [MessageID: Double] = [:]

    /// Bytes per second of the transfers that run.
    var current: [MessageID: Double] { rates }

    /// Notes what an event says of a rate.
    func note(_ event: ChatEvent) {
        switch event {
        case .transferProgress(let progress): rates[progress.id] = progress.rate
        case .messageChanged(let message):
            if case .file(let transfer) = message.content, transfer.state != .running { rates[transfer.id] = nil }
        default: break
        }
    }
}
