// One installation inside of the test process: a real client over real TLS links and a real history.

import BLIPNet
import CLinux
import ChatCore
import Glibc
import Storage
import Synchronization
import TestSupport
import Testing

final class FaultPeer: Sendable {
    let name: String
    let folder: TemporaryDirectory
    let identity: TLSIdentity
    let client: ChatClient
    let store: HistoryDatabase
    /// How connections and calls ended.
    let ends = Mutex<[LinkError]>([])

    var historyPath: String { folder.file("history.sqlite") }
    var downloads: String { folder.file("downloads") }

    /// `listens` on any free port of 127.0.0.2, so that the proxy can have the same port of 127.0.0.1: peers learn each
    /// other's ports from `hello`, and must not learn a way around the proxy. `parent` is where its folder goes. With `options`
    /// the limits of the network are those, and callers may call as often as they like.
    init(
        _ name: String, listens: Bool, parent: String = FaultPeer.memory,
        options: LinkOptions? = nil, identity: TLSIdentity? = nil,
        configure: (inout ChatConfiguration) -> Void = { _ in }
    ) async throws {
        self.name = name
        folder = try TemporaryDirectory(in: parent)
        self.identity = try identity ?? TLSIdentity.generate()
        store = try await HistoryDatabase.open(at: folder.file("history.sqlite"))
        var configuration = ChatConfiguration(
            name: name, listen: listens ? .host("127.0.0.2", port: 0) : nil,
            downloadsFolder: folder.file("downloads"), acceptsRequests: true, acceptsFilesUpTo: .max)
        configuration.reconnect = ReconnectPolicy(base: .milliseconds(1), maximum: .milliseconds(5))
        configuration.limits.retryDelay = .milliseconds(10)
        configure(&configuration)
        let own = self.identity
        let noted = NotedConnecting(
            base: options.map { LinkConnecting(identity: own, options: $0, admission: .generous) }
                ?? LinkConnecting(identity: own, limits: configuration.limits.network))
        client = ChatClient(
            store: store, connecting: noted, identity: PeerID(own.fingerprint), configuration: configuration,
            now: {
                var time = timespec()
                clock_gettime(CLOCK_REALTIME, &time)
                return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
            })
        noted.note { [weak self] end in self?.ends.withLock { $0.append(end) } }
    }

    func start() async throws { try await client.start() }

    func stop() async {
        await client.stop()
        await store.close()
    }

    /// A folder in memory where there is one: these tests lose the network, not the disk.
    static let memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

    func contact(_ name: String) async throws -> ContactID? {
        try await client.ask(.conversations).map(\.peer).first { $0.name == name }?.id
    }

    func isOnline(_ contact: ContactID) async -> Bool { await client.linkState(of: contact).isOnline }
}

/// `LinkConnecting` that notes how its connections end.
private final class NotedConnecting: PeerConnecting {
    private let base: LinkConnecting
    private let notes = Mutex(Notes())

    init(base: LinkConnecting) { self.base = base }

    func note(_ note: @escaping @Sendable (LinkError) -> Void) { notes.withLock { $0.note = note } }

    private func tell(_ end: LinkError) { notes.withLock { $0.note }(end) }

    /// Around the function, which a Mutex alone would wrap anew each time that it gives it out.
    private struct Notes: Sendable {
        var note: @Sendable (LinkError) -> Void = { _ in }
    }

    func networkChanges() -> AsyncStream<NetworkChange> { base.networkChanges() }

    func connect(
        to endpoint: Endpoint, expecting expected: PeerID?, through proxy: ProxyChoice, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        do throws(LinkError) {
            let connection = try await base.connect(
                to: endpoint, expecting: expected, through: proxy, handler: handler)
            watch(connection)
            return connection
        } catch {
            tell(error)
            throw error
        }
    }

    func listen(
        on endpoint: Endpoint, accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) throws(LinkError) -> any PeerListening {
        try base.listen(on: endpoint) { [self] connection in
            watch(connection)
            return accept(connection)
        }
    }

    private func watch(_ connection: any PeerConnection) {
        Task { self.tell(await connection.waitUntilClosed()) }
    }
}
