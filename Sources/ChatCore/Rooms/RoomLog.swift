// The events of a room's connection in this run: for people who want to know why nothing comes.

/// The latest entries, oldest first.
package struct RoomLog: Sendable, Equatable {
    package struct Entry: Sendable, Equatable, Codable {
        package var time: Timestamp
        package var what: What

        package init(time: Timestamp, what: What) {
            self.time = time
            self.what = what
        }
    }

    package enum What: Sendable, Equatable, Codable {
        case connecting(attempt: Int)
        case joined(transport: String, address: String)
        case left(LinkReason, retryMilliseconds: Int64?)
        /// So many signs of life of the server in a row, the last one at the entry's time.
        case pings(Int)
        /// An event that is not shown in the conversation.
        case event(name: String)
        /// An event without what belongs to it.
        case malformed(event: String)
        /// A line or caption that is longer than a message may be.
        case tooLong(bytes: Int, sender: String)
        /// A line for which there is no room: the room has sent too much today, or the disk is nearly full.
        case notStored(sender: String)
        /// A file for which there is no room, or no folder.
        case fileNotKept(size: UInt64, sender: String)
        /// The server confirms nothing: our lines stay at `>`.
        case unconfirmed
    }

    package static let most = 200
    package private(set) var entries: [Entry] = []

    mutating func note(_ what: What, at time: Timestamp) {
        if case .pings(let more) = what, case .pings(let count)? = entries.last?.what {
            entries[entries.count - 1] = Entry(time: time, what: .pings(count + more))
            return
        }
        entries.append(Entry(time: time, what: what))
        if entries.count > Self.most { entries.removeFirst() }
    }
}

/// The answer to `ChatCall.room`.
package struct RoomDetails: Sendable, Equatable, Codable {
    package var room: JoinedRoom
    /// The people there, as the server says; empty where it does not.
    package var people: [String]
    /// `websocket`, `polling`; `nil` while there is no connection.
    package var transport: String?
    package var maxPayload: Int?
    package var log: [RoomLog.Entry]

    package init(
        room: JoinedRoom, people: [String], transport: String?, maxPayload: Int?, log: [RoomLog.Entry]
    ) {
        self.room = room
        self.people = people
        self.transport = transport
        self.maxPayload = maxPayload
        self.log = log
    }
}
