// What has gone over a link since it was made: what `/stats` shows.

public import BLIPNet

/// The counters of one link, and what waits on it now.
public struct LinkTraffic: Sendable, Equatable {
    /// How long the link has lasted.
    public var age: Duration
    /// The last measured round trip, when there is one.
    public var roundTrip: Duration?
    /// Requests of ours without an answer, and own messages and changes that wait to be sent.
    public var waitingReplies: Int
    public var queued: Int
    /// Frames and bytes in both directions.
    public var counters: LinkCounters

    public init(age: Duration, roundTrip: Duration?, waitingReplies: Int, queued: Int, counters: LinkCounters) {
        self.age = age
        self.roundTrip = roundTrip
        self.waitingReplies = waitingReplies
        self.queued = queued
        self.counters = counters
    }
}
