// What the kernel counts of the way out of a connection: how much of it the path loses.

/// Counted since the connection began (TCP_INFO, tcp(7)).
package struct LossCounters: Sendable, Equatable {
    /// TCP segments that were sent, those that were sent again included.
    package var segments: UInt64
    /// TCP segments that were sent again.
    package var segmentsAgain: UInt64
    /// Bytes that the peer's kernel has.
    package var acknowledged: UInt64
    /// The mean of late.
    package var roundTrip: Duration
    /// A router's queue is too long, or was when we last looked (Docs/decisions/0031): the path takes no more than we send.
    package var hasQueue = false

    package init(segments: UInt64, segmentsAgain: UInt64, acknowledged: UInt64, roundTrip: Duration) {
        self.segments = segments
        self.segmentsAgain = segmentsAgain
        self.acknowledged = acknowledged
        self.roundTrip = roundTrip
    }
}
