// What has gone over a link since it was made: what `/stats` shows.

/// The counters of one link, and what waits on it now.
package struct LinkTraffic: Sendable, Equatable, Codable {
    /// How long the link has lasted.
    package var age: Duration
    /// The last measured round trip, when there is one.
    package var roundTrip: Duration?
    /// Own messages and changes that are not delivered, and how many of them are on the wire without an answer.
    package var queued = 0
    package var waiting = 0
    /// BLIP frames and their bytes, before WebSocket and TLS add theirs.
    package var framesSent: UInt64 = 0
    package var framesReceived: UInt64 = 0
    package var bytesSent: UInt64 = 0
    package var bytesReceived: UInt64 = 0

    /// By how many bytes compression has made them smaller; negative where it did not help.
    package var bytesSavedSent: Int64 = 0
    package var bytesSavedReceived: Int64 = 0

    package init(age: Duration, roundTrip: Duration? = nil) {
        self.age = age
        self.roundTrip = roundTrip
    }
}
