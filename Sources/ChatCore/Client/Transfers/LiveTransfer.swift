// One transfer as this run knows it: its row, and what is being done about it. Transfers has all of them.

import BLIPNet

/// A file that runs over one link to us.
struct Download {
    let task: Task<Void, Never>
    let contact: ContactID
    let link: LinkNumber
    var meter: ProgressMeter
    /// How many bytes of the partial file have arrived.
    var transferred: UInt64
}

/// An offered file that its receiver is pulling over one link.
struct Upload {
    let file: OutgoingFile
    let contact: ContactID
    let link: LinkNumber
    /// When the receiver has last asked for something of it.
    var lastAsked: MonotonicTime
}

/// Where on a link the receiver has paused a file: it does not want what it asked for before that any more.
struct ReceiverPause: Equatable {
    let link: LinkNumber
    /// The number of the request that said so.
    let number: UInt64
}

struct LiveTransfer {
    enum Work {
        case none
        /// Incoming: its partial file is being prepared.
        case accepting
        /// Incoming: a task pulls it.
        case downloading(Download)
        /// Incoming: it comes together with others.
        case bundled(of: ContactID)
        /// Incoming: it has come or failed, and its row does not say so yet. Nothing begins it again meanwhile.
        case ending
        /// Incoming: its sender does not give it now. It is tried again after a while.
        case resting(of: ContactID)
        /// Outgoing: its receiver pulls it.
        case serving(Upload)
        /// Outgoing: its receiver has paused it, until they ask for more.
        case pausedByReceiver(ReceiverPause)
    }

    /// The row, with changes that are on their way to the store; `nil` when the store has to be asked.
    var row: FileTransfer?
    var work = Work.none
    /// Incoming: together with others it could not come, so it comes by itself.
    var comesAlone = false
    /// How many ranges of it wait until a limit of the rate lets them go.
    var heldRanges = 0

    var download: Download? { if case .downloading(let download) = work { download } else { nil } }
    var upload: Upload? { if case .serving(let upload) = work { upload } else { nil } }

    var isResting: Bool { if case .resting = work { true } else { false } }

    /// Whether something is being done about it now. One that its receiver has paused waits for them alone.
    var isBusy: Bool {
        switch work {
        case .none, .pausedByReceiver: heldRanges > 0
        case .accepting, .downloading, .bundled, .ending, .resting, .serving: true
        }
    }

    /// Whether there is nothing to know of it that the store does not have.
    var isForgettable: Bool {
        if case .none = work { row == nil && heldRanges == 0 && !comesAlone } else { false }
    }
}
