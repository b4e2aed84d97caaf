// The changes that a user can make to a transfer, and when.

/// A decision of our user's about one transfer.
package enum TransferChange: String, Sendable, CaseIterable {
    case accept, decline, pause, resume, cancel

    /// Whether it can be made about `transfer` as that is now.
    package func fits(_ transfer: FileTransfer) -> Bool {
        switch self {
        case .accept, .decline: transfer.isOpenOffer
        case .pause: transfer.state == .running || transfer.state == .accepted
        case .resume: transfer.state == .paused
        case .cancel: !transfer.state.isFinal
        }
    }
}

extension FileTransfer {
    /// Somebody offers it, and our user has not decided yet.
    package var isOpenOffer: Bool { state == .offered && direction == .incoming }
}
