// Asks the instance that runs on the same home, through its control socket.

/// A connection to a running instance.
struct ControlClient: Sendable {
    private let connection: ControlConnection

    /// `nil` when no instance runs at `path`.
    init?(path: String) throws(CommandError) {
        guard let descriptor = try ControlSocket.connect(to: path) else { return nil }
        connection = ControlConnection(descriptor: descriptor)
    }

    /// Carries out an operation over there. Between two records it waits at most `patience`.
    func perform(
        _ operation: ControlOperation, patience: Duration, records: RecordSink
    ) async -> ControlResult {
        // Where nothing can be written any more, what the other side said before it went is still to be read.
        await connection.send(operation.json)
        do {
            while let value = try await connection.receive(timeout: patience) {
                if let result = ControlResult(value) { return result }
                await records(value)
            }
        } catch {
            return .failed(
                CommandError(
                    .network, "control socket", "answers with something other than JSON: \(error.reason)",
                    advice: "use the same version of blipchat for both"))
        }
        return .failed(Self.gone)
    }

    static let gone = CommandError(
        .network, "running blipchat", "stopped answering",
        advice: "check with blipchat status whether it is still running, then try again")
}
