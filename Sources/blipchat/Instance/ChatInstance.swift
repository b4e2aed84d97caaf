// The chat of this process, put together from its parts: lock, key, history, network, control socket.

import BLIPNet
import CLinux
import ChatCore
import Glibc
import Storage

/// A running chat. One process may run one for a home; `stop` ends it in order.
final class ChatInstance: Sendable {
    let client: ChatClient
    let runner: OperationRunner
    private let store: HistoryDatabase
    private let lock: HeldLock
    private let tasks: [Task<Void, Never>]
    /// Answers the commands of other processes while this one carries out its own.
    private let helping: Task<Void, Never>?
    private let server: ControlServer?
    private let stays: Bool

    /// Other front ends show this chat, and go on with it when it ends.
    var hasHeirs: Bool { !stays && (server?.frontEnds ?? 0) > 0 }

    /// Whom an instance serves through its control socket.
    enum Audience {
        case nobody
        /// Other commands, for as long as the command of this process takes: they could not have the home meanwhile.
        case commands
        case everybody(until: ControlServer.End)
    }

    private init(
        client: ChatClient, store: HistoryDatabase, lock: HeldLock, _ audience: Audience, _ paths: HomePaths
    ) async throws(CommandError) {
        self.client = client
        self.store = store
        self.lock = lock
        let rates = TransferRates()
        runner = OperationRunner(
            service: client, rates: rates, holdsBack: { await !client.maySend(to: $0) }
        ) { path throws(CommandError) in
            let summary: HistoryImporter.Summary
            do throws(CommandError) {
                let rules = await client.retentionRules
                summary = try await BlockingExecutor.run("blipchat.import") { () throws(CommandError) in
                    try await HistoryImporter(store: store, path: path, rules: rules).run()
                }
            } catch {
                // A part of it may be there, new contacts too.
                try? await client.readStoreAnew()
                throw error
            }
            do throws(ChatError) { try await client.readStoreAnew() } catch { throw CommandError(error, about: path) }
            return summary
        }
        let events = await client.events()
        var tasks = [
            Task { for await event in events { await rates.note(event) } },
            Task { await UnusedMemory.keepGivingBack() },
        ]
        var helping: Task<Void, Never>?
        var ownServer: ControlServer?
        var stays = false
        switch audience {
        case .nobody: break
        case .commands:
            // Without a socket the command is carried out all the same.
            let server = try? ControlServer(path: paths.socket) { [runner] operation, records in
                // Our own command may have nothing to do with contacts, and take its time.
                if operation.concernsPeers { await client.callContacts() }
                return await runner.perform(operation, records: records)
            }
            helping = server.map { server in Task { await server.run() } }
        case .everybody(let end):
            stays = end == .service
            let log = LogFile(folder: paths.log)
            let events = await client.events()
            tasks.append(Task { [runner] in await Self.keepLog(log, of: events, runner) })
            let server = try ControlServer(path: paths.socket, service: client, until: end) {
                [runner] operation, records in
                await runner.perform(operation, records: records)
            }
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
    /// listener cannot be had. `key`: our key, where it was opened with its passphrase.
    static func start(
        _ paths: HomePaths, _ configuration: ChatConfiguration, for audience: Audience,
        key: TLSIdentity? = nil
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
            store: store, connecting: LinkConnecting(identity: identity, limits: configuration.limits.network),
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
            return try await ChatInstance(client: client, store: store, lock: lock, audience, paths)
        } catch {
            await client.stop()
            await store.close()
            throw error
        }
    }

    /// Writes down what happens; never what is said.
    private static func keepLog(_ log: LogFile, of events: AsyncStream<ChatEvent>, _ runner: OperationRunner) async {
        log.write("started, version \(Version.text), process \(getpid())")
        // Read anew only when a name may have changed: thousands of events may come in a second.
        var directory: ContactDirectory?
        for await event in events {
            switch event {
            case .conversationsChanged: directory = nil
            case .transferProgress, .typing, .identityChanged: break
            default:
                if directory == nil { directory = try? await runner.directory() }
                guard let directory, let line = EventRecord.logLine(of: event, directory) else { continue }
                log.write(line)
            }
        }
        log.write("stopped")
        await log.flush(within: .seconds(2))
    }

    /// Ends links and streams, closes the history and gives the home free.
    func stop() async {
        // Others get their answers while there is a chat to be asked.
        helping?.cancel()
        await helping?.value
        server?.prepareToEnd()
        for task in tasks { task.cancel() }
        await client.stop()
        for task in tasks { await task.value }
        await store.close()
    }
}

extension Timestamp {
    /// The wall clock.
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
