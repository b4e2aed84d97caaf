// One namespace of a client, for those who use several (SOCKETIO B6).

extension SocketIOClient {
    /// A namespace. Several share the connection of their client; one that is refused leaves the others alone.
    public struct Namespace: Sendable {
        public let client: SocketIOClient
        public let name: String

        // Results first, then their errors: those are thrown where the caller is (decision 0014).

        /// Joins the namespace, and returns when the server has accepted it; connects before, if need be. The client joins it again
        /// whenever the connection is lost. Throws `namespaceRefused` with what the server says.
        public func connect(timeout: Duration = .seconds(30)) async throws(SocketIOError) {
            let result = await client.joined(name, timeout: timeout)
            try result.get()
        }

        /// Leaves the namespace; calls that wait in it fail. The connection stays as long as there is another namespace.
        public func leave() async { await client.leave(name) }

        /// Sends an event: `SocketIOClient.emit(_:_:)`.
        public func emit(_ event: String, _ values: SocketIOValue...) async throws(SocketIOError) {
            let result = await client.emitted(event, values, in: name, ackTimeout: nil)
            _ = try result.get()
        }

        /// Sends an event, and returns the values of its acknowledgement: `SocketIOClient.emitWithAck(_:_:timeout:)`.
        public func emitWithAck(
            _ event: String, _ values: SocketIOValue..., timeout: Duration? = nil
        ) async throws(SocketIOError) -> [SocketIOValue] {
            let result = await client.emitted(event, values, in: name, ackTimeout: timeout ?? client.options.ackTimeout)
            return try result.get()
        }

        /// Events of this namespace, all of them or those with one name, from now on.
        public func events(named event: String? = nil) -> SocketIOEvents { client.events(named: event, in: name) }
    }
}
