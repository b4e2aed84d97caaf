// A file on its way between two people, as stored.

/// The short number of a transfer that people see and type (`#8`, `/pause 8`); the same everywhere on this side.
package struct TransferNumber: Sendable, Hashable, Comparable {
    package let rawValue: Int64
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A file that was offered, in either direction. It shares its id with the history line that shows it.
package struct FileTransfer: Sendable, Equatable, Identifiable, Codable {
    package enum State: String, Sendable, Codable {
        /// Offered; nobody has decided.
        case offered
        /// Accepted; waits for the peer or for its turn.
        case accepted
        case running
        case paused
        case declined
        case cancelled
        /// Verified, and under its final name on the receiver's disk.
        case complete
        /// Ended for good; `reason` says why.
        case failed

        /// Nothing more will happen to it.
        package var isFinal: Bool {
            switch self {
            case .declined, .cancelled, .complete, .failed: true
            case .offered, .accepted, .running, .paused: false
            }
        }
    }

    package let id: MessageID
    package var number: TransferNumber
    package var contact: ContactID
    package var direction: MessageDirection
    /// The base name only. From a peer it is raw: sanitise before drawing, and before using it as a file name.
    package var name: String
    /// Bytes.
    package var size: UInt64
    /// The source file's modification time, milliseconds since 1970 UTC.
    package var modified: Timestamp
    package var contentType: String
    package var caption: String
    /// For a file of a folder that was sent as a whole.
    package var place: FolderPlace?
    package var state: State
    /// Why it is paused, waiting or failed.
    package var reason: TransferReason?
    /// Bytes that are on the receiver's disk (as far as this side knows).
    package var transferred: UInt64
    /// Hex of the whole file's digest, once verified.
    package var sha256: String?
    /// Outgoing: the source file. Incoming: the final file once complete, else the partial file once it exists.
    package var path: String?
    /// When it was offered, accepted and finished, by our clock.
    package var offered: Timestamp
    package var started: Timestamp?
    package var finished: Timestamp?

    package init(
        id: MessageID, number: TransferNumber, contact: ContactID, direction: MessageDirection, name: String,
        size: UInt64, modified: Timestamp, contentType: String = "application/octet-stream", caption: String = "",
        place: FolderPlace? = nil, state: State = .offered, reason: TransferReason? = nil, transferred: UInt64 = 0,
        sha256: String? = nil,
        path: String? = nil, offered: Timestamp, started: Timestamp? = nil, finished: Timestamp? = nil
    ) {
        self.id = id
        self.number = number
        self.contact = contact
        self.direction = direction
        self.name = name
        self.size = size
        self.modified = modified
        self.contentType = contentType
        self.caption = caption
        self.place = place
        self.state = state
        self.reason = reason
        self.transferred = transferred
        self.sha256 = sha256
        self.path = path
        self.offered = offered
        self.started = started
        self.finished = finished
    }
}

/// How fast a running transfer is; kept in memory only, published at most 4 times a second.
package struct TransferProgress: Sendable, Equatable, Codable {
    package var id: MessageID
    /// Number and size of the file, where it is one file.
    package var number: TransferNumber?
    package var size: UInt64?
    /// Bytes that are on the receiver's disk.
    package var transferred: UInt64
    /// Bytes per second over the last 10 s; 0 when stalled.
    package var rate: Double
    /// How long nothing has moved.
    package var stalled: Duration

    package init(
        id: MessageID, number: TransferNumber? = nil, size: UInt64? = nil, transferred: UInt64, rate: Double,
        stalled: Duration = .zero
    ) {
        self.id = id
        self.number = number
        self.size = size
        self.transferred = transferred
        self.rate = rate
        self.stalled = stalled
    }
}
