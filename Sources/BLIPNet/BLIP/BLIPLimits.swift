// How much a BLIP connection accepts and sends at a time (PROTOCOL 3.4, RELIABILITY 3).

/// The limits of one BLIP connection. Sizes are in bytes.
public struct BLIPLimits: Sendable {
    /// The largest frame that is accepted, header and checksum included; a larger one closes with 1009.
    package var maxFrameIn = 65_536
    /// The largest frame that is sent. The default and the header of a masked WebSocket frame fill one TLS record.
    package var frameOut = 16_376
    /// The same for a frame of a normal message while an urgent one waits.
    var frameOutWhileUrgentWaits = 4_096
    /// The largest block of properties, in both directions. A request with more gets error 400.
    package var maxPropertiesBytes = 102_400
    /// Messages of the peer that have begun and not ended; one more gets error 429 after its last frame. While 1,024
    /// such messages have not ended either, one more closes with 1008.
    package var maxOpenIncoming = 64
    /// Messages of ours that have begun and not ended, so that a peer with the same limits never closes. A quarter
    /// of them is kept for urgent ones.
    package var maxOpenOutgoing = 64
    /// Bytes of unfinished incoming messages in memory, all together; the request that goes over gets error 413.
    public var maxBufferedBytes = 32 << 20
    /// The part of it that connections share: a request for which there is no room now gets error 429. `nil`: each has
    /// all of `maxBufferedBytes` for itself.
    package var memory: MemoryBudget?
    /// The largest body that is collected in memory (one that has a sink is unbounded); a larger one gets error 413.
    public var maxBufferedBody = 16 << 20
    /// The most that one compressed frame may unpack to. More closes with 1009 where frames are compressed, and gets
    /// error 413 where bodies are.
    package var maxInflatedFrame = 16 << 20
    /// How much the compressed data of the peer may unpack to in all until it is admitted (`BLIPConnection.admit`,
    /// `PeerLink.admit`). More closes with 1009, or gets error 413, as above. `nil`: every peer is admitted.
    public var maxUnpackedBeforeAdmission: Int?
    /// How much it may unpack to in a second, and at once; reading pauses when more has come. `nil`: no limit.
    public var maxUnpackedPerSecond: Int?
    /// In a dialect without ACKs: how much may wait for slow consumers (`DeferredBodySink`) before reading pauses.
    var maxUntakenBytes = 256 << 10
    /// In a dialect without ACKs: bytes of messages of ours that have begun and not ended, so that a peer with the same
    /// limits can collect them; further ones wait. A body of unknown size counts as a quarter of it.
    var maxRunningBytes = 16 << 20
    /// Requests of the peer whose reply has not been sent completely; one more closes with 1008.
    var maxUnanswered = 10_000
    /// Bytes of replies in memory that the peer has not taken; while there are more, requests get error 429.
    package var maxQueuedReplyBytes = 64 << 20
    /// An ACK is sent each time that a message's received bytes cross a multiple of this.
    var ackInterval: UInt64 = 50_000
    /// The last ACK of an unfinished message is sent again after this time without a frame, then after twice as long, and
    /// so on: known peers lose one.
    var ackRepeat = Duration.seconds(1)
    /// A message pauses while this many of its bytes, or more, are not acknowledged.
    package var sendWindow: UInt64 = 128_000
    /// Limits the bytes in flight by the peer's ACKs (`AckPace`), for a link through a relay, a proxy or Tor.
    package var pacesByAcks = false
    /// An unfinished incoming message that sees no frame for so long is dropped, and the place of one of ours that was
    /// left without an end is free again.
    var partialTimeout = Duration.seconds(60)

    package init() {}
}
