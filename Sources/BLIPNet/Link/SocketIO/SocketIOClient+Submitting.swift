// Emits whose order matters and for whose acknowledgements nobody wants to wait one after the other.

extension SocketIOClient {
    /// Queues an event; the order of the calls is that on the wire. The task ends as `emitWithAck` would.
    package func submit(
        _ name: String, _ values: [SocketIOValue], in namespace: String, ackTimeout: Duration
    ) -> Task<Result<[SocketIOValue], SocketIOError>, Never> {
        // Begun here, tasks run on this actor in the order in which they are made.
        Task { await self.emitted(name, values, in: namespace, ackTimeout: ackTimeout) }
    }
}
