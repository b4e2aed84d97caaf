// The time at which something happened, as a value: `update` never asks a clock.

package import ChatCore

/// One instant on two clocks: the wall clock for people, the uptime for durations.
package struct Moment: Sendable, Equatable {
    package var wall: Timestamp
    /// Time since some fixed point; never goes back.
    package var uptime: Duration

    package init(wall: Timestamp, uptime: Duration) {
        self.wall = wall
        self.uptime = uptime
    }
}
