// The connections of a server, so that it can say goodbye to all of them at its end.

package import BLIPNet
internal import Synchronization

/// A connection that can be ended in order.
package protocol ClosableConnection: AnyObject, Sendable {
    func close(code: UInt16, reason: String)
    func waitUntilClosed() async -> LinkError
}

extension PeerLink: ClosableConnection {}
extension WebSocketChannel: ClosableConnection {}

/// The open connections of a server.
package final class OpenConnections: Sendable {
    private struct State {
        var all: [ObjectIdentifier: any ClosableConnection] = [:]
        var isClosing = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Keeps a connection until it has ended. One that comes during the goodbye gets it at once.
    package func add(_ connection: any ClosableConnection) {
        let isClosing = state.withLock { state in
            state.all[ObjectIdentifier(connection)] = connection
            return state.isClosing
        }
        if isClosing { Self.sayGoodbye(to: connection) }
        Task {
            _ = await connection.waitUntilClosed()
            state.withLock { $0.all[ObjectIdentifier(connection)] = nil }
        }
    }

    /// Ends all of them with close code 1001 and returns when the last one has ended. What is queued is sent before, for as
    /// long as the connections' `closeTimeout`.
    package func sayGoodbye() async {
        let open = state.withLock { state in
            state.isClosing = true
            return Array(state.all.values)
        }
        for connection in open { Self.sayGoodbye(to: connection) }
        for connection in open { _ = await connection.waitUntilClosed() }
    }

    private static func sayGoodbye(to connection: any ClosableConnection) {
        connection.close(code: WebSocketCloseCode.goingAway, reason: "going away")
    }
}
