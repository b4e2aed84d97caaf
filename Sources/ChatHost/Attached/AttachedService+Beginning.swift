// How a session with the process that runs the chat begins.

package import ChatSettings

extension AttachedService {
    /// A session that has begun.
    package struct Found: Sendable {
        var connection: ControlConnection
        package var chat: RunningChat
        package var version: String?
    }

    /// Attaches to the process that listens at the control socket at `path`; `nil` when none listens there.
    /// `succession` starts the chat here when it ran in a screen that ends; the front end hears nothing of that for
    /// `patience`.
    ///
    /// Throws when it is another version, or when the socket cannot be used.
    package static func attach(
        to path: String, home: HomePaths? = nil, patience: Duration = .seconds(3), succession: Succession? = nil
    ) async throws(CommandError) -> AttachedService? {
        try await attach(to: path, home: home, as: .frontEnd(succession, patience: patience))
    }

    package static func attach(
        to path: String, home: HomePaths? = nil, as attacher: Attacher
    ) async throws(CommandError) -> AttachedService? {
        guard let found = try await find(at: path, as: attacher) else { return nil }
        return await attach(to: found, at: path, home: home, as: attacher)
    }

    /// Continues a session that has begun.
    package static func attach(
        to found: Found, at path: String, home: HomePaths?, as attacher: Attacher
    ) async -> AttachedService {
        let service = AttachedService(path: path, home: home, found, as: attacher)
        await service.startReading()
        if case .visitor(_, let limit?) = attacher { await service.hangUp(after: limit) }
        return service
    }

    /// Begins a session; `nil` where no process listens, or only one that is of no use.
    package static func find(at path: String, as attacher: Attacher) async throws(CommandError) -> Found? {
        guard let descriptor = try ControlSocket.connect(to: path) else { return nil }
        let connection = ControlConnection(descriptor: descriptor, maximumLine: ControlConnection.longestReply)
        guard await connection.send(attacher.greeting.json),
            let answer = try? await connection.receive(timeout: attacher.greetingTime),
            let greeting = SessionGreeting(answer)
        else { return nil }
        if let refusal = greeting.refusal { throw refusal }
        guard let chat = greeting.chat, attacher.takes(chat) else { return nil }
        return Found(connection: connection, chat: chat, version: greeting.version)
    }

    /// Whether front ends can attach to the chat at the socket; also `true` when that is another version, or cannot be
    /// asked.
    package static func isServed(at path: String) async -> Bool {
        do throws(CommandError) {
            return try await find(at: path, as: .visitor(patience: .seconds(10)))?.chat.isForFrontEnds ?? false
        } catch {
            return true
        }
    }
}
