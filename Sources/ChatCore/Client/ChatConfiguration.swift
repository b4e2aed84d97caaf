// What a ChatClient is told at its start, and the limits of RELIABILITY 3 in one place.

public import BLIPNet

/// The settings of one run.
public struct ChatConfiguration: Sendable {
    /// What we call ourselves; cut to 64 bytes when sent.
    public var name: String
    /// Where to take calls; `nil`: we only make calls.
    public var listen: Endpoint?
    /// Call contacts. Without it nobody learns that we are here, until `ChatClient.callContacts`.
    public var callsContacts = true
    /// When the port is taken: take any free one instead of failing.
    public var fallbackToAnyPort: Bool
    /// The host to print in our own address; `nil`: the bound one, or this machine's first address.
    public var advertisedHost: String?
    /// Absolute path of the folder where accepted files go.
    public var downloadsFolder: String
    /// Accept unknown callers without asking (bots and tests).
    public var acceptsRequests: Bool
    /// Accept offered files up to this many bytes without asking; `nil`: always ask.
    public var acceptsFilesUpTo: UInt64?
    /// That limit, and those of contacts, hold; without, nothing is taken that is not accepted one by one.
    public var acceptsFilesByRule = true
    /// Bytes per second of all files together that go out and that come in; `nil`: as fast as it goes.
    public var uploadLimit: UInt64?
    public var downloadLimit: UInt64?
    /// Unfinished files that nothing has been added to for so many days are removed (D11); `nil`: never.
    public var partialKeepDays: Int? = 14
    /// Where files are that are removed when they have been sent.
    public var spoolFolders: [SpoolFolder] = []
    /// What is never offered, neither alone nor in a folder.
    public var privateFiles = PrivateFiles()
    /// How long messages are kept, unless a conversation has a limit of its own.
    public var retention = RetentionRules()
    /// Received files are deleted with the messages that are too old.
    public var deletesFiles = false
    /// Tell contacts what our user has read.
    public var sendsReceipts = true
    /// Tell contacts that our user is typing.
    public var sendsTyping = true
    /// Nothing is sent to contacts whose number has not been compared.
    public var requiresVerified = false
    /// How others are called; a change counts from the next call on.
    public var proxy = ProxyChoice.direct
    /// Those whom we call are not told where we can be called.
    public var hidesAddress = false
    public var contactRules = ContactRules()
    public var limits: ChatLimits
    public var reconnect: ReconnectPolicy

    public init(
        name: String, listen: Endpoint?, fallbackToAnyPort: Bool = false, advertisedHost: String? = nil,
        downloadsFolder: String, acceptsRequests: Bool = false, acceptsFilesUpTo: UInt64? = nil,
        limits: ChatLimits = ChatLimits(), reconnect: ReconnectPolicy = ReconnectPolicy()
    ) {
        self.name = name
        self.listen = listen
        self.fallbackToAnyPort = fallbackToAnyPort
        self.advertisedHost = advertisedHost
        self.downloadsFolder = downloadsFolder
        self.acceptsRequests = acceptsRequests
        self.acceptsFilesUpTo = acceptsFilesUpTo
        self.limits = limits
        self.reconnect = reconnect
    }
}

/// All limits (RELIABILITY 3): those of the chat itself, and in `network` those of what it stands on.
public struct ChatLimits: Sendable {
    public var network = NetworkLimits()
    /// Contact requests that are kept.
    public var storedContactRequests = 32
    /// New contact requests per caller's address and day.
    public var contactRequestsPerDay = 10
    /// Stored operations that one peer may send, sustained and at once.
    public var operationsPerSecond = 20.0
    public var operationBurst = 100.0
    /// Unanswered requests of one peer; one more ends the link.
    public var waitingRequests = 1024
    /// What the requests of all peers hold in memory until they are handled, beyond a small share for each link.
    public var waitingBytes = 16 << 20
    /// Own messages that wait for one contact.
    public var outboxMessages = 10_000
    /// Outbox rows on the wire without an answer.
    public var sendWindow = 32
    /// Files running in each direction with one peer; further ones wait.
    public var runningTransfers = 4
    /// A file that its receiver asks nothing of for so long does not count as running, and is closed.
    public var uploadPatience = Duration.seconds(10)
    /// `file-get` requests for one file that are served at once.
    public var servedRanges = 32
    /// What one contact may have stored in a day, in bytes of text and a little for each message.
    public var storedBytesPerDay: UInt64 = 256 << 20
    /// The smaller of the two is kept free on the disks of the downloads and of the history.
    public var freeBytesKept: UInt64 = 1 << 30
    public var freeShareKept = 0.05
    /// Without a reply for this long the link is asked for a sign of life (D8).
    public var replyPatience = Duration.seconds(30)
    /// Between two looks for messages that are too old.
    public var retentionInterval = Duration.seconds(6 * 3600)
    /// Between two tries of an entry that the peer could not take (disk full).
    public var retryDelay = Duration.seconds(4)
    /// How long what has overtaken others is held back, to be shown in its sender's order (D5).
    public var gapPatience = Duration.seconds(5)

    public init() {}
}
