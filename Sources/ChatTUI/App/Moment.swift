// The time at which something happened, as a value: `update` never asks a clock.

public import ChatCore

/// One instant on two clocks: the wall clock for people, the uptime for durations.
public struct Moment: Sendable, Equatable {
    public var wall: Timestamp
    /// Time since some fixed point; never goes back.
    public var uptime: Duration

    public init(wall: Timestamp, uptime: Duration) {
        self.wall = wall
        self.uptime = uptime
    }
}
