// What has gone over a link since it was made: what `/stats` shows.

/// The counters of one link, and what waits on it now.
public struct LinkTraffic: Sendable, Equatable, Codable {
    /// How long the link has lasted.
    public var age: Duration
    /// The last measured round trip, when there is one.
    public var roundTrip: Duration?
    /// Own messages and changes that are not delivered, and how many of them are on the wire without an answer.
    public var queued = 0
    public var waiting = 0
    /// BLIP frames and their bytes, before WebSocket and TLS add theirs.
    public var framesSent: UInt64 = 0
    public var framesReceived: UInt64 = 0
    public var bytesSent: UInt64 = 0
    public var bytesReceived: UInt64 = 0

    /// By how many bytes compression has made them smaller; negative where it did not help.
    public var bytesSavedSent: Int64 = 0
    public var bytesSavedReceived: Int64 = 0

    public init(age: Duration, roundTrip: Duration? = nil) {
        self.age = age
        self.roundTrip = roundTrip
    }
}
