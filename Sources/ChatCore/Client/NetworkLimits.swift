// The limits on what the network can do to a chat, below the chat itself (RELIABILITY 3). Part of ChatLimits;
// LinkConnecting puts them into the settings of links and listeners.

package import BLIPNet

/// The limits of connections, handshakes and BLIP. Sizes are in bytes.
package struct NetworkLimits: Sendable {
    /// Links with contacts, whoever called.
    package var knownConnections = 128
    /// Connections for files alone beside the link with one contact; 0: none. All together take a quarter of the above at most.
    package var fileLanes = 6
    /// Callers who have not shown a contact's key: in their handshake, and again as many after it. A quarter of the
    /// handshakes is kept for networks of contacts.
    package var unknownConnections = 32
    /// How many of those may come from one address.
    package var unknownConnectionsPerAddress = 8
    /// TLS handshakes that may begin in a second.
    package var handshakesPerSecond = 50
    /// The same from one network: 24 bits of IPv4, 64 bits of IPv6.
    package var handshakesPerSecondPerNetwork = 20
    /// Until a caller has sent its first byte, and its whole ClientHello.
    package var firstByteTime = Duration.seconds(2)
    package var helloTime = Duration.seconds(3)
    /// Until a call is answered at all: TCP alone.
    package var connectTime = Duration.seconds(10)
    /// From the connection to both replies to `hello`: TCP, TLS, WebSocket and hello together.
    package var handshakeTime = Duration.seconds(10)
    /// The head of an HTTP request or response, and its fields.
    package var headBytes = 16_384
    package var headFields = 100
    /// A BLIP frame of a peer.
    package var frameBytes = 65_536
    /// The properties of a message.
    package var propertiesBytes = 102_400
    /// Messages of a peer that have begun and not ended, and what those of all peers may hold in memory together; each
    /// link may hold `linkShare` in any case, so that a flood on some links is not felt on the others.
    package var partialMessages = 64
    package var partialBytes = 32 << 20
    /// The size to which a compressed frame may unpack. Ours hold up to 16 KiB before they are packed, and no text is
    /// longer than 64 KiB.
    package var inflatedBytes = 128 << 10
    /// The size to which all of a peer's data may unpack before its `hello` is accepted.
    package var unpackedBeforeHello = 64 << 10
    /// The size to which one peer's data may unpack in a second; the rest is read later, and nothing is lost.
    package var unpackedPerSecond = 16 << 20
    /// The data that may wait in memory to be sent to one peer: requests without a reply, and replies that it does not
    /// take. The rest of the outbox stays on the disk.
    package var unsentBytes = 8 << 20
    /// The bytes of a message of ours that may be on their way without an ACK. More than the 128,000 of the protocol,
    /// which limit a file on a line with a round trip of 100 ms to 1.3 MB/s (Docs/decisions/0008); peers of this
    /// application stream large bodies to their disk.
    package static let sendWindow: UInt64 = 1_000_000
    /// Silence of a peer after which it is pinged, and then as long again until it counts as gone.
    package var keepalive = Duration.seconds(20)
    /// The same while nothing but pings passes: a quiet link costs a ping in two minutes. The first message after that is
    /// watched as closely as any other. Home routers forget a quiet connection after four minutes at the earliest (S.
    /// Haetoenen et al., "An Experimental Study of Home Gateway Characteristics", 2010).
    package var keepaliveAtRest = Duration.seconds(120)
    /// Routes that contacts name may lead into private networks and to this machine: 1 for VPNs and tests.
    package var privateRoutes = 0

    /// Memory for a few messages of the largest size.
    static let linkShare = 256 << 10
    /// No chat message is larger; files are not collected in memory.
    static let largestBody = 1 << 20

    package init() {}

    /// Whether a place must not lead into our own networks: nobody aims us at others.
    func callsOnlyPublicly(_ place: PeerAddress) -> Bool { place.origin == .told && privateRoutes == 0 }

    /// Whom a listener takes.
    package var admission: ListenerLimits {
        var limits = ListenerLimits()
        let (all, isOver) = knownConnections.addingReportingOverflow(unknownConnections)
        limits.maxConnections = isOver ? .max : all
        limits.maxHandshakes = unknownConnections
        limits.maxHandshakesPerAddress = unknownConnectionsPerAddress
        limits.handshakesPerSecond = handshakesPerSecond
        limits.handshakesPerSecondPerNetwork = handshakesPerSecondPerNetwork
        limits.firstByteTime = firstByteTime
        limits.helloTime = helloTime
        return limits
    }

    /// Links with these limits.
    package func apply(to options: inout LinkOptions) {
        options.connectTimeout = connectTime
        options.handshakeTimeout = handshakeTime
        options.keepaliveInterval = keepalive
        options.keepaliveTimeout = keepalive
        let rest = max(keepalive, keepaliveAtRest)
        options.webSocket.keepaliveAtRest = rest
        // The kernel need not ask after a link that we ask after ourselves.
        options.connect.stream.keepalive?.idle = rest * 2
        options.webSocket.maxHeadBytes = headBytes
        options.webSocket.maxHeadFields = headFields
        options.webSocket.maxMessageBytes = frameBytes
        options.blip.maxFrameIn = frameBytes
        options.blip.maxPropertiesBytes = propertiesBytes
        options.blip.maxOpenIncoming = partialMessages
        options.blip.maxBufferedBytes = partialBytes
        options.blip.maxBufferedBody = Self.largestBody
        options.blip.memory = MemoryBudget(bytes: partialBytes, share: Self.linkShare)
        options.blip.maxInflatedFrame = inflatedBytes
        options.blip.maxUnpackedBeforeAdmission = unpackedBeforeHello
        options.blip.maxUnpackedPerSecond = unpackedPerSecond
        options.blip.maxQueuedReplyBytes = unsentBytes
        options.blip.sendWindow = Self.sendWindow
    }
}
