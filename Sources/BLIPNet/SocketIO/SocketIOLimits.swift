// How much a Socket.IO server may make us hold, how much of ours may wait, and how long things may take.

/// The limits of one Socket.IO connection. Sizes are in bytes.
public struct SocketIOLimits: Sendable, Equatable {
    /// Of one packet that comes in, without its attachments; a larger one ends the connection.
    public var maxPacketBytes = 4 << 20
    /// Packets in one polling answer.
    public var maxPacketsInPayload = 65_536
    /// Attachments of one packet.
    public var maxAttachments = 256
    /// All attachments of one packet together.
    public var maxAttachmentBytes = 16 << 20
    /// How long attachments may be due.
    public var attachmentTimeout = Duration.seconds(30)
    /// Arrays and objects within one another, the arguments of the event included.
    public var maxDepth = 64
    /// Values and names in the JSON of one packet.
    public var maxValues = 1 << 18
    /// Events that come before their namespace is connected, and are held back until then.
    public var maxHeldEvents = 256
    /// The same in bytes of their packets.
    public var maxHeldBytes = 1 << 20
    /// Emits of ours that wait for the connection or its transport; one more is refused.
    public var maxQueuedEmits = 1_000
    /// The same in bytes.
    public var maxQueuedBytes = 16 << 20
    /// Emits of ours that wait for their acknowledgement; one more is refused.
    public var maxPendingAcks = 4_096
    /// Acknowledgements that the server asked for and that have not been given; the oldest is forgotten for a new one.
    public var maxUnansweredEvents = 1_024
    /// Namespaces on one connection.
    public var maxNamespaces = 64
    /// Packets in one POST. Servers of python-engineio refuse more than 16 (trap 7).
    public var maxPacketsInPost = 16
    /// Bytes of one POST where the server does not announce its `maxPayload`.
    public var maxPostBytes = 1_000_000
    /// From the first request to the open packet.
    public var openTimeout = Duration.seconds(20)
    /// From our CONNECT of a namespace to its answer.
    public var connectTimeout = Duration.seconds(20)
    /// From the start of the WebSocket of an upgrade to the end of the upgrade. An upgrade that fails leaves polling.
    public var upgradeTimeout = Duration.seconds(10)
    /// How long our close may take.
    public var closeTimeout = Duration.seconds(2)
    /// With a WebSocket alone both revisions begin alike: how long the server has to send its first packet unasked, which
    /// only revision 3 does.
    public var revisionTimeout = Duration.seconds(1)

    public init() {}
}
