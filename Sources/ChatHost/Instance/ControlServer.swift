// Serves the control socket of the process that runs the chat: a session on each connection.

import CLinux
import ChatCore
import ChatSettings
import Glibc
import Synchronization

/// Accepts connections of the same user, and has each ask the chat.
final class ControlServer: Sendable {
    private static let maximumConnections = 64
    /// Commands may take all descriptors but one that the process itself needs now and then, and those for what the chat opens
    /// meanwhile: a file, or what tells of networks (one) and neighbours (three).
    private static let reserve: Int32 = 5

    private let descriptor: Int32
    private let path: String
    /// systemd has opened it, and keeps it for the next one.
    private let isActivated: Bool
    private let service: any LocalChat
    private let end: ChatEnd
    private let callContacts: @Sendable () async -> Void
    private let connections = Atomic(0)
    private let sessions = Atomic(0)
    /// When it ends, the chat continues in a front end that is attached.
    private let hasHeirs = Atomic(false)

    /// Front ends that are attached now and continue the chat.
    var frontEnds: Int { sessions.load(ordering: .relaxed) }

    /// The chat is about to end; whoever is attached continues it, unless it was served for its own sake.
    func prepareToEnd() { hasHeirs.store(end != .service && frontEnds > 0, ordering: .relaxed) }

    /// The line that everybody hears at the end.
    private var bye: SessionLine {
        let isOfCommand = end == .command || end == .moment
        return .bye(continues: isOfCommand || hasHeirs.load(ordering: .relaxed))
    }

    /// Listens at `path`, or takes the socket that systemd has opened there; the caller holds the instance lock.
    /// `callContacts` is for a chat that calls nobody by itself: it hears of each session that needs contacts.
    init(
        path: String, activated: ActivatedSocket? = nil, service: any LocalChat, until end: ChatEnd,
        callContacts: @escaping @Sendable () async -> Void = {}
    ) throws(CommandError) {
        // The watch that waits for callers needs a descriptor, too, which may be the last one.
        do throws(SystemError) { _ = try ReadinessWatch.shared() } catch {
            throw .system("control socket", "cannot be watched", error.code)
        }
        descriptor = if let activated { activated.descriptor } else { try ControlSocket.listen(at: path) }
        isActivated = activated != nil
        self.path = path
        self.service = service
        self.end = end
        self.callContacts = callContacts
    }

    /// Accepts until the task is cancelled, then removes the socket. One of systemd's stays: a caller starts the chat again.
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
            if !isActivated {
                unlink(path)
                // Nobody can connect any more, not even a caller that found the path before. Callers of the last moment
                // wait for an answer, too.
                shutdown(descriptor, Int32(SHUT_RD))
                while case let late = clinux_accept(descriptor, Self.reserve), late >= 0 {
                    group.addTask { [self] in await say(bye, on: ControlConnection(descriptor: late)) }
                }
            }
            group.cancelAll()
        }
    }

    /// Everybody hears which protocol is spoken here; whoever speaks it, too, asks until one side ends.
    private func serve(_ connection: ControlConnection) async {
        if let line = try? await connection.receive(timeout: .seconds(60)) {
            guard let greeting = SessionGreeting(line) else { return await refuse(connection) }
            let continues = greeting.continues == true
            if continues { sessions.add(1, ordering: .relaxed) }
            defer { if continues { sessions.subtract(1, ordering: .relaxed) } }
            await ServiceSession(service: service, connection: connection, end: end, callContacts: callContacts).run(
                greeting)
        } else if !Task.isCancelled {
            return await refuse(connection)
        }
        if Task.isCancelled { await say(bye, on: connection) }
    }

    private func refuse(_ connection: ControlConnection) async { await connection.send(SessionGreeting().json) }

    private func say(_ line: SessionLine, on connection: ControlConnection) async {
        guard let json = try? line.json() else { return }
        await connection.send(json)
    }
}
