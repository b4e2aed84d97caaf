// A file on its way between two people, as stored.

/// The short number of a transfer that people see and type (`#8`, `/pause 8`); the same everywhere on this side.
public struct TransferNumber: Sendable, Hashable, Comparable {
    public let rawValue: Int64
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A file that was offered, in either direction. It shares its id with the history line that shows it.
public struct FileTransfer: Sendable, Equatable, Identifiable, Codable {
    public enum State: String, Sendable, Codable {
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
        public var isFinal: Bool {
            switch self {
            case .declined, .cancelled, .complete, .failed: true
            case .offered, .accepted, .running, .paused: false
            }
        }
    }

    public let id: MessageID
    public var number: TransferNumber
    public var contact: ContactID
    public var direction: MessageDirection
    /// The base name only. From a peer it is raw: sanitise before drawing, and before using it as a file name.
    public var name: String
    /// Bytes.
    public var size: UInt64
    /// The source file's modification time, milliseconds since 1970 UTC.
    public var modified: Timestamp
    public var contentType: String
    public var caption: String
    /// For a file of a folder that was sent as a whole.
    public var place: FolderPlace?
    public var state: State
    /// Why it is paused, waiting or failed, in words for people.
    public var reason: String?
    /// Bytes from the start that are on the receiver's disk (as far as this side knows).
    public var transferred: UInt64
    /// Hex of the whole file's digest, once verified.
    public var sha256: String?
    /// Outgoing: the source file. Incoming: the final file once complete, else the partial file once it exists.
    public var path: String?
    /// When it was offered, accepted and finished, by our clock.
    public var offered: Timestamp
    public var started: Timestamp?
    public var finished: Timestamp?

    public init(
        id: MessageID, number: TransferNumber, contact: ContactID, direction: MessageDirection, name: String,
        size: UInt64, modified: Timestamp, contentType: String = "application/octet-stream", caption: String = "",
        place: FolderPlace? = nil, state: State = .offered, reason: String? = nil, transferred: UInt64 = 0,
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
public struct TransferProgress: Sendable, Equatable, Codable {
    public var id: MessageID
    /// Number and size of the file, where it is one file.
    public var number: TransferNumber?
    public var size: UInt64?
    /// Bytes from the start that are on the receiver's disk.
    public var transferred: UInt64
    /// Bytes per second over the last 10 s; 0 when stalled.
    public var rate: Double
    /// How long nothing has moved.
    public var stalled: Duration

    public init(
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
