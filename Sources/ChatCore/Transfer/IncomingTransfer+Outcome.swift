// How a run of an incoming transfer ended. Downloads decides what follows.

extension IncomingTransfer {
    /// How a run ended.
    enum Outcome: Sendable, Equatable {
        /// Verified, and under its final name.
        case complete(path: String, sha256: String)
        /// The link ended, or the caller stopped the run. The next link continues the transfer.
        case interrupted
        /// The sender does not give it now.
        case waiting(reason: TransferReason)
        /// The disk does not take it: the user has to do something.
        case paused(reason: TransferReason)
        /// The sender does not offer it any more; its `cancelled` is on the way or got lost with an old database.
        case withdrawn
        /// Ended for good. `tellsPeer`: the sender does not know yet.
        case failed(reason: TransferReason, tellsPeer: Bool)

        /// The file has come, or will never come.
        var isFinal: Bool {
            switch self {
            case .complete, .withdrawn, .failed: true
            case .interrupted, .waiting, .paused: false
            }
        }
    }
}
