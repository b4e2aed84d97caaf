// The fault proxy's report of each connection.

/// A connection through the proxy, as it is now or as it ended.
package struct FaultReport: Sendable, Equatable {
    /// The party or the event that ended a connection.
    package enum End: String, Sendable {
        case open
        /// One side closed or broke it, and the proxy passed that on.
        case caller, target
        /// The target could not be reached.
        case unreachable
        /// A fault of the script.
        case cut, reset, silence
        /// The proxy was stopped.
        case stopped
    }

    /// Counted from 1, in the order of the calls.
    package let number: Int
    /// Bytes that went through.
    package internal(set) var up: UInt64 = 0
    package internal(set) var down: UInt64 = 0
    /// The faults that happened, in order.
    package internal(set) var fired: [Fault] = []
    package internal(set) var end = End.open

    init(number: Int) { self.number = number }

    package var record: JSONRecord {
        [
            "event": .string("connection"), "number": .integer(Int64(number)), "up": .integer(Int64(clamping: up)),
            "down": .integer(Int64(clamping: down)), "fired": .strings(fired.map(\.description)),
            "end": .string(end.rawValue),
        ]
    }

    /// The same for people.
    package var sentence: String {
        let faults = fired.isEmpty ? "nothing went wrong" : fired.map(\.description).joined(separator: ", ")
        return "connection \(number): \(up) bytes up, \(down) down, \(faults), end: \(end.rawValue)"
    }
}
