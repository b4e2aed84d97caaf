// Serves the control socket of the process that runs the chat: one request after the other on each connection.

import CLinux
import ChatCore
import Glibc
import Synchronization

/// Accepts connections of the same user and hands their requests to `perform`.
final class ControlServer: Sendable {
    private static let maximumConnections = 64

    private let descriptor: Int32
    private let path: String
    private let service: (any ChatService)?
    private let perform: @Sendable (ControlOperation, @escaping RecordSink) async -> ControlResult
    private let connections = Atomic(0)

    /// Listens at `path`; the caller holds the instance lock. Attached front ends drive `service`; without
    /// one there are none.
    init(
        path: String, service: (any ChatService)? = nil,
        perform: @escaping @Sendable (ControlOperation, @escaping RecordSink) async -> ControlResult
    ) throws(CommandError) {
        descriptor = try ControlSocket.listen(at: path)
        self.path = path
        self.service = service
        self.perform = perform
    }

    /// Accepts until the task is cancelled, then removes the socket.
    func run() async {
        defer {
            close(descriptor)
            unlink(path)
        }
        await withTaskGroup(of: Void.self) { group in
            while !Task.isCancelled {
                guard await Readiness.readable.wait(on: descriptor, timeout: nil) else { break }
                let accepted = clinux_accept(descriptor)
                guard accepted >= 0 else {
                    // Mostly too many open files: others must close theirs first.
                    try? await Task.sleep(for: .milliseconds(100))
                    continue
                }
                guard ControlSocket.peerIsSameUser(accepted),
                    connections.load(ordering: .relaxed) < Self.maximumConnections
                else {
                    close(accepted)
                    continue
                }
                connections.add(1, ordering: .relaxed)
                group.addTask { [self] in
                    await serve(ControlConnection(descriptor: accepted))
                    connections.subtract(1, ordering: .relaxed)
                }
            }
            group.cancelAll()
        }
    }

    /// Answers the requests of one connection in their order, until one turns it into a session of a front end.
    private func serve(_ connection: ControlConnection) async {
        do {
            while let request = try await connection.receive(timeout: .seconds(60)) {
                if let service, request["op"]?.stringValue == SessionLine.operation {
                    return await ServiceSession(service: service, connection: connection).run(request)
                }
                let result = await answer(request, on: connection)
                guard await connection.send(result.json) else { return }
            }
        } catch {
            let failure = CommandError(.usage, "control request", "not a line of JSON: \(error.reason)")
            await connection.send(ControlResult.failed(failure).json)
        }
    }

    /// Carries out one request; a client that hangs up meanwhile ends it.
    private func answer(_ request: JSONValue, on connection: ControlConnection) async -> ControlResult {
        let operation: ControlOperation
        do {
            operation = try ControlOperation(request)
        } catch {
            return .failed(error)
        }
        return await withTaskGroup(of: ControlResult?.self) { [perform] group in
            group.addTask { await perform(operation) { record in await connection.send(record) } }
            group.addTask {
                await connection.waitForHangUp()
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? .failed(CommandError(.network, "control socket", "closed"))
        }
    }
}
