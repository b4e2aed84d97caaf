// Serves the control socket of the process that runs the chat: one request after the other on each connection.

import CLinux
import ChatCore
import Glibc
import Synchronization

/// Accepts connections of the same user and hands their requests to `perform`.
final class ControlServer: Sendable {
    private static let maximumConnections = 64
    /// Commands may take all descriptors but the one that the process itself needs now and then.
    private static let reserve: Int32 = 1

    /// What a chat ends with.
    enum End: Sendable {
        /// `blipchat serve`: it is there for its own sake.
        case service
        case screen
        /// It is there for a command (`watch`, `receive`, or one that takes a moment): others go on without it.
        case command
    }

    private let descriptor: Int32
    private let path: String
    private let service: (any LocalChat)?
    private let end: End
    /// It serves commands only, and ends with the one of its own process.
    private var isTemporary: Bool { service == nil }
    private let perform: @Sendable (ControlOperation, @escaping RecordSink) async -> ControlResult
    private let connections = Atomic(0)
    private let sessions = Atomic(0)
    /// When it ends, the chat goes on in a front end that is attached.
    private let hasHeirs = Atomic(false)

    /// Front ends that are attached now.
    var frontEnds: Int { sessions.load(ordering: .relaxed) }

    /// The chat is about to end; whoever is attached goes on with it, unless it was served for its own sake.
    func prepareToEnd() { hasHeirs.store(end != .service && frontEnds > 0, ordering: .relaxed) }

    /// Listens at `path`; the caller holds the instance lock. Attached front ends drive `service`; without one it serves
    /// commands only. When it ends, those that it cannot answer to the end are told to ask again (`ControlResult.again`).
    init(
        path: String, service: (any LocalChat)? = nil, until end: End = .command,
        perform: @escaping @Sendable (ControlOperation, @escaping RecordSink) async -> ControlResult
    ) throws(CommandError) {
        // What waits for callers needs a descriptor, too, which may be the last one.
        do throws(SystemError) { _ = try ReadinessWatch.shared() } catch {
            throw .system("control socket", "cannot be watched", error.code)
        }
        descriptor = try ControlSocket.listen(at: path)
        self.path = path
        self.service = service
        self.end = end
        self.perform = perform
    }

    /// Accepts until the task is cancelled, then removes the socket.
    func run() async {
        defer { close(descriptor) }
        // Discarding: of any other group each connection would stay in memory until the end.
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                guard await Readiness.readable.wait(on: descriptor, timeout: nil) else { continue }
                let accepted = clinux_accept(descriptor, Self.reserve)
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
            unlink(path)
            // Nobody can connect any more, also who has found the path before. Who came in the last moment waits for an
            // answer, too.
            shutdown(descriptor, Int32(SHUT_RD))
            while case let late = clinux_accept(descriptor, Self.reserve), late >= 0 {
                group.addTask { _ = await ControlConnection(descriptor: late).send(ControlResult.again.json) }
            }
            group.cancelAll()
        }
    }

    /// Answers the requests of one connection in their order, until one turns it into a session of a front end.
    private func serve(_ connection: ControlConnection) async {
        do {
            while let request = try await connection.receive(timeout: .seconds(60)) {
                if let greeting = SessionGreeting(request) {
                    guard let service else { break }
                    sessions.add(1, ordering: .relaxed)
                    defer { sessions.subtract(1, ordering: .relaxed) }
                    let isService = end == .service
                    return await ServiceSession(service: service, connection: connection, stays: isService).run(
                        greeting)
                }
                let result = await answer(request, on: connection)
                guard await connection.send(result.json) else { return }
            }
            // Who asks now is to ask whoever comes next; what was not read is not done.
            await connection.send(ControlResult.again.json)
        } catch {
            let failure = CommandError(.usage, "control request", "not a line of JSON: \(error.reason)")
            await connection.send(ControlResult.failed(failure).json)
        }
    }

    /// Carries out one request; a client that hangs up meanwhile ends it. When the server ends, what only waits is given
    /// up, and what is under way is done.
    private func answer(_ request: JSONValue, on connection: ControlConnection) async -> ControlResult {
        let operation: ControlOperation
        do {
            operation = try ControlOperation(request)
        } catch {
            return .failed(error)
        }
        // Who asks while we end is to ask whoever comes next.
        if Task.isCancelled { return .again }
        // Files may be accepted only by who stays until they are here.
        if isTemporary, case .receive = operation { return .again }
        let result = await result(of: operation, on: connection)
        guard Task.isCancelled else { return result }
        switch (operation, result) {
        // A watch goes on where the chat does; that serve or the last screen ends is what it watches for.
        case (.events, _): return end == .command || hasHeirs.load(ordering: .relaxed) ? .again : result
        // Other failures are what became of it.
        case (_, .failed(let error)) where operation.waitsForPeer && error.exit == .queued: return .again
        case (.receive, .failed(OperationRunner.noOffer)): return .again
        default: return result
        }
    }

    private func result(of operation: ControlOperation, on connection: ControlConnection) async -> ControlResult {
        await withTaskGroup(of: ControlResult?.self) { [perform] group in
            group.addTask { await perform(operation) { record in await connection.send(record) } }
            group.addTask {
                await connection.waitForHangUp()
                return nil
            }
            var first = await group.next() ?? nil
            // The end of the server is no hang-up.
            if first == nil, Task.isCancelled { first = await group.next() ?? nil }
            group.cancelAll()
            return first ?? .failed(CommandError(.network, "control socket", "closed"))
        }
    }
}
