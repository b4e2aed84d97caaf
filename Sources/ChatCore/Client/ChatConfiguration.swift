// The settings that a ChatClient starts with, and the limits of RELIABILITY 3 in one place.

package import BLIPNet

/// The settings of one run.
package struct ChatConfiguration: Sendable {
    /// Our own name; cut to 64 bytes when sent.
    package var name: String
    /// Where to take calls; `nil`: we only make calls.
    package var listen: Endpoint?
    /// Call contacts. Without it nobody learns that we are here, until `ChatClient.callContacts`.
    package var callsContacts = true
    /// When the port is taken: take any free one instead of failing.
    package var fallbackToAnyPort: Bool
    /// The host to print in our own address; `nil`: the bound one, or this machine's first address.
    package var advertisedHost: String?
    /// Absolute path of the folder where accepted files go.
    package var downloadsFolder: String
    /// Accept unknown callers without asking (bots and tests).
    package var acceptsRequests: Bool
    /// Accept offered files up to this many bytes without asking; `nil`: always ask.
    package var acceptsFilesUpTo: UInt64?
    /// That limit, and those of contacts, hold; without, nothing is taken that is not accepted one by one.
    package var acceptsFilesByRule = true
    /// Bytes per second of all files together that go out and that come in; `nil`: as fast as it goes.
    package var uploadLimit: UInt64?
    package var downloadLimit: UInt64?
    /// Unfinished files that nothing has been added to for so many days are removed (D11); `nil`: never.
    package var partialKeepDays: Int? = 14
    /// Where files are that are removed when they have been sent.
    package var spoolFolders: [SpoolFolder] = []
    /// Where files of rooms wait until they are accepted; `nil`: none are taken.
    package var roomFilesFolder: String?
    /// Files that we never offer, neither alone nor in a folder.
    package var privateFiles = PrivateFiles()
    /// How long messages are kept, unless a conversation has a limit of its own.
    package var retention = RetentionRules()
    /// Received files are deleted with the messages that are too old.
    package var deletesFiles = false
    /// Tell contacts what our user has read.
    package var sendsReceipts = true
    /// Tell contacts that our user is typing.
    package var sendsTyping = true
    /// Nothing is sent to contacts whose number has not been compared.
    package var requiresVerified = false
    /// How others are called; a change counts from the next call on.
    package var proxy = ProxyChoice.direct
    /// How others can reach us.
    package var reach = ReachConfiguration()
    package var contactRules = ContactRules()
    package var limits: ChatLimits
    package var reconnect: ReconnectPolicy

    package init(
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

/// How others who do not call at `ChatConfiguration.listen` can reach us, and what we tell them.
package struct ReachConfiguration: Sendable {
    /// We do not tell those whom we call where they can call us.
    package var hidesAddress = false
    /// Where others reach us who cannot call this machine.
    package var relays: [RelaySetting] = []
    /// Bytes per second of all files together that go through relays, in both directions; `nil`: as fast as it goes.
    package var relayLimit: UInt64?
    /// People in this network are found, and find us.
    package var findsNeighbours = true
    /// Whether we ask the router for a port.
    package var mapping = MappingSetting.off
    /// Contacts and we call each other at the same moment where nothing else makes a direct way.
    package var punches = true
    /// The server that tells us where our calls come out.
    package var observer: OutsideObserver?
    /// Counts from the next start on.
    package var tor = TorSetting.off
    /// The control port of a tor of our user's; `nil`: we start one. Counts from the next start on.
    package var torControl: Endpoint?

    package init() {}
}

/// The protocols in which we ask the router (REACH 1).
package enum MappingSetting: String, Sendable, CaseIterable {
    /// PCP and NAT-PMP.
    case auto
    /// UPnP as well, by a program.
    case on
    case off
}

extension ChatConfiguration {
    package var hidesAddress: Bool {
        get { reach.hidesAddress }
        set { reach.hidesAddress = newValue }
    }

    package var relays: [RelaySetting] {
        get { reach.relays }
        set { reach.relays = newValue }
    }
}

/// All limits (RELIABILITY 3): those of the chat itself, and in `network` those of the layers below it.
package struct ChatLimits: Sendable {
    package var network = NetworkLimits()
    /// Contact requests that are kept.
    package var storedContactRequests = 32
    /// New contact requests per caller's address and day.
    package var contactRequestsPerDay = 10
    /// Stored operations that one peer may send, sustained and at once.
    package var operationsPerSecond = 20.0
    package var operationBurst = 100.0
    /// Unanswered requests of one peer; one more ends the link.
    package var waitingRequests = 1024
    /// Bytes that the requests of all peers hold in memory until they are handled, beyond a small share for each link.
    package var waitingBytes = 16 << 20
    /// Own messages that wait for one contact.
    package var outboxMessages = 100_000
    /// Outbox rows on the wire without an answer.
    package var sendWindow = 32
    /// The same for a peer that takes several at once (`PeerFeatures.bundles`).
    package var sendWindowOfMany = 128
    /// Files running in each direction with one peer; further ones wait.
    package var runningTransfers = 4
    /// A file that its receiver asks nothing of for so long does not count as running, and is closed.
    package var uploadPatience = Duration.seconds(10)
    /// `file-get` requests for one file that are served at once.
    package var servedRanges = 32
    package var bundles = BundleLimits()
    /// How much one contact may have stored in a day, in bytes of text and a little for each message.
    package var storedBytesPerDay: UInt64 = 256 << 20
    /// The smaller of the two is kept free on the disks of the downloads and of the history.
    package var freeBytesKept: UInt64 = 1 << 30
    package var freeShareKept = 0.05
    package var rooms = RoomLimits()
    /// Without a reply for this long we ask the link for a sign of life (D8).
    package var replyPatience = Duration.seconds(30)
    /// Between two looks for messages that are too old.
    package var retentionInterval = Duration.seconds(6 * 3600)
    /// Between two tries of an entry that the peer could not take (disk full).
    package var retryDelay = Duration.seconds(4)
    /// How long what has overtaken others is held back, to be shown in its sender's order (D5).
    package var gapPatience = Duration.seconds(5)

    package init() {}
}

extension ChatConfiguration {
    /// The features that we have beyond the first version.
    var features: PeerFeatures {
        var features: PeerFeatures = [.routes, .early]
        if limits.bundles.running > 0 { features.insert(.bundles) }
        if limits.network.fileLanes > 0 { features.insert(.lanes) }
        if punches { features.insert(.punch) }
        return features
    }
}

extension HelloRequest {
    /// The features that both programs have.
    func features(sharedWith configuration: ChatConfiguration) -> PeerFeatures {
        PeerFeatures(names: features).intersection(configuration.features)
    }
}

/// Limits of small files that travel together (`file-bundle`).
package struct BundleLimits: Sendable {
    /// Bytes of a file that travels together with others.
    package var file: UInt64 = 64 << 10
    /// Bytes of all files of one bundle.
    package var bytes: UInt64 = 1 << 20
    /// Bundles in each direction with one peer; with 0 each file travels on its own.
    package var running = 4

    package init() {}
}

/// Limits of Socket.IO rooms.
package struct RoomLimits: Sendable {
    /// Rooms that may be joined.
    package var joined = 200
    /// How long the server of a room may take to acknowledge.
    package var patience = Duration.seconds(10)
    /// How long the second line of a run waits for the acknowledgement of the first one, of which nobody knows yet whether it
    /// comes.
    package var firstPatience = Duration.seconds(2)
    /// Bytes and files of one room that wait to be accepted.
    package var fileBytes: UInt64 = 64 << 20
    package var files = 100
    /// Bytes of a file for a room whose server has not said how much it takes.
    package var payload = 1_000_000

    package init() {}
}
