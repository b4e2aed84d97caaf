// The chat of this process, put together from its parts: lock, key, history, network, control socket.

package import BLIPNet
import CLinux
package import ChatCore
package import ChatSettings
import Glibc
import Storage

/// A running chat. One process may run one for a home; `stop` ends it in order.
package final class ChatInstance: Sendable {
    /// The chat that this process and others ask.
    package let chat: HostedChat
    private let lock: HeldLock
    private let tasks: [Task<Void, Never>]
    package var client: ChatClient { chat.client }
    /// Answers the commands of other processes while this one carries out its own.
    private let helping: Task<Void, Never>?
    private let server: ControlServer?
    private let stays: Bool

    /// Other front ends show this chat, and continue it when it ends.
    package var hasHeirs: Bool { !stays && (server?.frontEnds ?? 0) > 0 }

    /// The clients that an instance serves through its control socket.
    package enum Audience {
        case nobody
        /// Other commands, for as long as the command of this process takes: they could not have the home meanwhile.
        case commands
        case everybody(until: ChatEnd)
    }

    private init(
        client: ChatClient, store: HistoryDatabase, lock: HeldLock, _ audience: Audience, _ paths: HomePaths,
        _ activated: ActivatedSocket?
    ) async throws(CommandError) {
        let chat = HostedChat(client: client, store: store)
        self.chat = chat
        self.lock = lock
        let events = await client.events()
        var tasks = [
            Task { for await event in events { chat.progress.note(event) } },
            Task { await UnusedMemory.keepGivingBack() },
        ]
        var helping: Task<Void, Never>?
        var ownServer: ControlServer?
        var stays = false
        switch audience {
        case .nobody: break
        case .commands:
            // Without a socket the command is carried out all the same.
            // Our own command may have nothing to do with contacts, and take its time.
            let server = try? ControlServer(path: paths.socket, service: chat, until: .moment) {
                await client.callContacts()
            }
            helping = server.map { server in Task { await server.run() } }
        case .everybody(let end):
            stays = end == .service
            let log = LogFile(folder: paths.log)
            let events = await client.events()
            tasks.append(Task { await Self.keepLog(log, of: events, chat) })
            let server = try ControlServer(path: paths.socket, activated: activated, service: chat, until: end)
            ownServer = server
            tasks.append(Task { await server.run() })
        }
        self.tasks = tasks
        self.helping = helping
        server = ownServer
        self.stays = stays
    }

    /// Starts the chat of a home; makes the key and the history where there are none.
    ///
    /// Throws 9 when another process runs it or the history cannot be used, 7 when the key, the folders or the
    /// listener cannot be had. `key`: our key, where it was opened with its passphrase; `activated`: the control socket, where
    /// systemd has opened it.
    package static func start(
        _ paths: HomePaths, _ configuration: ChatConfiguration, for audience: Audience,
        key: TLSIdentity? = nil, activated: ActivatedSocket? = nil
    ) async throws(CommandError) -> ChatInstance {
        // Keys before files.
        NetworkThreads.niceness = 5
        try DescriptorRoom.require()
        try paths.createFolders()
        let lock = HeldLock(try InstanceLock(path: paths.lock))
        // Beside the key: each takes some milliseconds of the time to the first picture.
        let opening = Task { () async -> Result<HistoryDatabase, StoreError> in
            do throws(StoreError) { return .success(try await HistoryDatabase.open(at: paths.history)) } catch {
                return .failure(error)
            }
        }
        let identity: TLSIdentity
        do {
            identity = try IdentityFile.loadOrCreate(at: paths.identity, opened: key)
        } catch {
            if case .success(let store) = await opening.value { await store.close() }
            throw CommandError(error)
        }
        let store: HistoryDatabase
        switch await opening.value {
        case .success(let opened): store = opened
        case .failure(let error): throw CommandError(error, path: paths.history)
        }
        let client = ChatClient(
            store: store,
            connecting: LinkConnecting(
                identity: identity, limits: configuration.limits.network, upnp: Upnpc(),
                tor: TorProgram(folder: paths.tor)),
            rooms: RoomLinking(), neighbours: AvahiNeighbours(),
            identity: PeerID(identity.fingerprint),
            configuration: configuration,
            namedSettings: ContactSections(paths: paths, home: getenv("HOME").map { String(cString: $0) }),
            now: { .now })
        do {
            try await client.start()
        } catch {
            await store.close()
            if case .cannotListen = error { throw CommandError(error, about: "listen") }
            throw CommandError(error, about: paths.history)
        }
        do {
            return try await ChatInstance(client: client, store: store, lock: lock, audience, paths, activated)
        } catch {
            await client.stop()
            await store.close()
            throw error
        }
    }

    /// Logs events; never the content of messages.
    private static func keepLog(_ log: LogFile, of events: AsyncStream<ChatEvent>, _ chat: HostedChat) async {
        log.write("started, version \(Version.text), process \(getpid())")
        var lines = LogLines(of: chat)
        for await event in events {
            if let line = await lines.line(about: event) { log.write(line.text) }
        }
        log.write("stopped")
        await log.flush(within: .seconds(2))
    }

    /// Ends links and streams, closes the history and gives the home free.
    package func stop() async {
        // Others get their answers while there is a chat to ask.
        helping?.cancel()
        await helping?.value
        server?.prepareToEnd()
        for task in tasks { task.cancel() }
        await client.stop()
        for task in tasks { await task.value }
        await chat.store.close()
    }
}

extension ChatService {
    /// The contacts as they are now.
    package func directory() async throws(ChatError) -> ContactDirectory {
        ContactDirectory(try await ask(.conversations).map(\.peer))
    }
}

extension Timestamp {
    /// The wall clock.
    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
