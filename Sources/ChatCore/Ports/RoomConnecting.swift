// The use of Socket.IO that ChatCore needs: one connection to one room, which reconnects by itself. `RoomLinking`
// implements it with BLIPNet's client.

package import BLIPNet

/// Connects to rooms.
package protocol RoomConnecting: Sendable {
    /// Begins to connect, and does so again whenever the connection is lost, until `close`.
    func connect(to room: RoomURL, through proxy: ProxyChoice) -> any RoomConnection
}

/// The connection to a room, whether it is up or not.
package protocol RoomConnection: AnyObject, Sendable {
    /// The changes of the connection, in their order; for one reader. Ends after `close`.
    var changes: AsyncStream<RoomChange> { get }
    /// The next event of the room; `nil` when the calling task is cancelled. The server sends no more than fits a small
    /// buffer until it is taken. The event before has been dealt with by now: that is acknowledged where the server asks.
    func nextEvent() async -> RoomEvent?
    /// Hands an event to the connection, in the order of the calls. Throws `.notConnected`. `patience`: how long the server
    /// may take for its ACK.
    func emit(_ event: RoomEvent, patience: Duration) async throws(RoomEmitError) -> RoomReceipt
    /// Connects now instead of at the end of the wait.
    func reconnect()
    /// Returns when nothing of it runs any more.
    func close() async
}

/// A value of an event: JSON, and bytes.
package indirect enum RoomValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case bytes([UInt8])
    case array([RoomValue])
    case object([String: RoomValue])
}

/// An event of Socket.IO with what it carries.
package struct RoomEvent: Sendable, Equatable {
    package var name: String
    package var values: [RoomValue]

    package init(_ name: String, _ values: [RoomValue]) {
        self.name = name
        self.values = values
    }
}

/// The answer to an emitted event, once there is one.
package struct RoomReceipt: Sendable {
    package enum Answer: Sendable, Equatable {
        case acknowledged
        /// The connection lives, and the server has said nothing in time.
        case none
        /// The connection was lost before: nobody knows whether the server has the event.
        case lost
        /// It was not sent: the server takes no more than so many bytes.
        case tooLarge(limit: Int)
    }

    package let answer: @Sendable () async -> Answer

    package init(_ answer: @escaping @Sendable () async -> Answer) { self.answer = answer }
}

package enum RoomEmitError: Error, Sendable, Equatable {
    case notConnected
}

package enum RoomChange: Sendable, Equatable {
    /// The try of this number since the last connection, from 1.
    case connecting(attempt: Int)
    case joined(RoomFacts)
    /// The connection is lost, or could not be made; `retry`: when it is tried again, `nil`: not by itself.
    case left(LinkReason, retry: Duration?)
    /// A sign of life of the server.
    case ping
}

/// Facts about an open connection.
package struct RoomFacts: Sendable, Equatable {
    /// The server's network address as text.
    package var remoteAddress: String
    package var isEncrypted: Bool
    /// `websocket`, `polling`
    package var transport: String
    /// Bytes of an event that the server takes at most; `nil`: it has not said.
    package var maxPayload: Int?

    package init(remoteAddress: String, isEncrypted: Bool, transport: String, maxPayload: Int? = nil) {
        self.remoteAddress = remoteAddress
        self.isEncrypted = isEncrypted
        self.transport = transport
        self.maxPayload = maxPayload
    }
}

/// For a chat without rooms (tests): nothing is ever reached.
package struct NoRooms: RoomConnecting {
    package init() {}

    package func connect(to room: RoomURL, through proxy: ProxyChoice) -> any RoomConnection { Nowhere() }

    private final class Nowhere: RoomConnection {
        let changes = AsyncStream<RoomChange> { $0.finish() }
        func nextEvent() async -> RoomEvent? { nil }
        func emit(_ event: RoomEvent, patience: Duration) async throws(RoomEmitError) -> RoomReceipt {
            throw .notConnected
        }
        func reconnect() {}
        func close() async {}
    }
}
