// One installation for scenario tests: a real client over real TLS links on loopback and a real SQLite history.

import BLIPNet
import CLinux
import Glibc
import Storage
import Testing

@testable import ChatCore

final class TestPeer {
    let name: String
    /// Everything of this installation.
    let home: String
    let identity: TLSIdentity
    let tap = LinkTap()
    let wallClock = WallClock()
    private(set) var client: ChatClient
    private var database: HistoryDatabase
    private(set) var log: EventLog
    private(set) var configuration: ChatConfiguration
    private let namedSettings: (any NamedSettings)?
    private let neighbours: any NeighbourFinding
    private let tor: any TorProviding

    var id: PeerID { PeerID(identity.fingerprint) }
    var store: any HistoryStore { database }
    var downloads: String { home + "/downloads" }

    init(
        _ name: String, identity: TLSIdentity? = nil, listen: Endpoint = .host("127.0.0.1", port: 0),
        namedSettings: (any NamedSettings)? = nil, neighbours: any NeighbourFinding = NoNeighbours(),
        tor: any TorProviding = NoTor(), configure: (inout ChatConfiguration) -> Void = { _ in }
    ) async throws {
        self.name = name
        home = try TestPeer.makeFolder()
        self.identity = try identity ?? TLSIdentity.generate()
        var configuration = ChatConfiguration(name: name, listen: listen, downloadsFolder: home + "/downloads")
        configuration.reconnect = ReconnectPolicy(base: .milliseconds(20), maximum: .milliseconds(300))
        configuration.limits.retryDelay = .milliseconds(100)
        configure(&configuration)
        self.configuration = configuration
        self.namedSettings = namedSettings
        self.neighbours = neighbours
        self.tor = tor
        database = try await HistoryDatabase.open(at: home + "/history.sqlite")
        client = TestPeer.makeClient(
            database, self.identity, configuration, namedSettings, neighbours, tor, tap, wallClock)
        log = await EventLog(of: client)
    }

    deinit { removeFolder(home) }

    @discardableResult func start() async throws -> TestPeer {
        try await client.start()
        // The same port after a restart, as a person would have it.
        if let address = await client.identity.address { configuration.listen = .host("127.0.0.1", port: address.port) }
        return self
    }

    func stop() async {
        await client.stop()
        await database.close()
    }

    /// Ends this run; `start` begins the next one on the same files.
    func restart(starting: Bool = true, configure: (inout ChatConfiguration) -> Void = { _ in }) async throws {
        await stop()
        configure(&configuration)
        database = try await HistoryDatabase.open(at: home + "/history.sqlite")
        client = TestPeer.makeClient(
            database, identity, configuration, namedSettings, neighbours, tor, tap, wallClock)
        log = await EventLog(of: client)
        if starting { try await start() }
    }

    private static func makeClient(
        _ store: HistoryDatabase, _ identity: TLSIdentity, _ configuration: ChatConfiguration,
        _ namedSettings: (any NamedSettings)?, _ neighbours: any NeighbourFinding, _ tor: any TorProviding,
        _ tap: LinkTap, _ wallClock: WallClock
    ) -> ChatClient {
        // The chat's limits of BLIP; the times are those of a machine that runs other tests, too.
        var limits = LinkOptions()
        configuration.limits.network.apply(to: &limits)
        var options = LinkOptions()
        options.blip = limits.blip
        let connecting = LinkConnecting(identity: identity, options: options, tor: tor)
        return ChatClient(
            store: store, connecting: TappedConnecting(base: connecting, tap: tap, tor: tor as? TestTor),
            neighbours: neighbours, identity: PeerID(identity.fingerprint), configuration: configuration,
            namedSettings: namedSettings, now: { wallClock.now })
    }

    // MARK: Shorthand

    var address: PeerAddress { get async throws { try #require(await client.identity.address) } }

    func contact(_ name: String) async throws -> Peer {
        try #require(await client.ask(.conversations).map(\.peer).first { $0.name == name })
    }

    func contactID(_ name: String) async throws -> ContactID { try await contact(name).id }

    func isOnline(_ name: String) async throws -> Bool {
        guard let peer = try await client.ask(.conversations).map(\.peer).first(where: { $0.name == name }) else {
            return false
        }
        return await client.linkState(of: peer.id).isOnline
    }

    /// The link to the only contact with one. On a busy machine a link may be lost and called anew between two lines of a test.
    func openLink(sourceLocation: SourceLocation = #_sourceLocation) async throws -> ActiveLink {
        var link: ActiveLink?
        try await eventually("\(name) has a link", sourceLocation: sourceLocation) {
            link = await client.links.sessions.values.lazy.compactMap(\.link).first
            return link != nil
        }
        return try #require(link, sourceLocation: sourceLocation)
    }

    @discardableResult func say(_ text: String, to name: String) async throws -> ChatMessage {
        try await client.ask(.send(text, to: contactID(name), replyTo: nil))
    }

    /// The conversation, oldest first.
    func history(with name: String) async throws -> [ChatMessage] {
        try await client.ask(.page(of: contactID(name), .newest, limit: 10_000))
    }

    /// The texts of the conversation, oldest first.
    func texts(with name: String, _ direction: MessageDirection? = nil) async throws -> [String] {
        try await history(with: name).filter { direction == nil || $0.direction == direction }.compactMap { message in
            if case .text(let text) = message.content { text } else { nil }
        }
    }

    func state(of id: MessageID) async throws -> DeliveryState? { try await store.message(id)?.state }

    func transfer(_ id: MessageID) async throws -> FileTransfer? { try await store.transfer(id) }

    /// Writes a file of `size` pseudo-random bytes into the home and returns its path.
    func makeFile(_ name: String, size: Int, seed: UInt64 = 1) throws -> String {
        let path = home + "/" + name
        try writeFile(path, pseudoRandom(size, seed: seed))
        return path
    }

    static func makeFolder() throws -> String {
        var template = Array("/tmp/blipchat-core-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// What tests look at.
extension ChatClient {
    var configuration: ChatConfiguration { core.configuration }
    var links: Links { core.links }
    var transfers: Transfers { book.transfers }
}

extension ChatClient {
    /// Makes two running peers contacts of each other under their own names and waits until both are online. Only the
    /// first one can dial at once, so that there is one link and it stays; the second learns where to call from it.
    static func befriend(_ first: TestPeer, _ second: TestPeer) async throws {
        let nowhere = PeerAddress(host: "127.0.0.1", port: 1, peerID: first.id)
        _ = try await second.client.ask(.addContact(nowhere, name: first.name))
        _ = try await first.client.ask(.addContact(second.address, name: second.name))
        try await waitOnline(first, second)
    }

    static func waitOnline(_ first: TestPeer, _ second: TestPeer) async throws {
        try await eventually("\(first.name) and \(second.name) are online") {
            let isFirst = try await first.isOnline(second.name)
            let isSecond = try await second.isOnline(first.name)
            return isFirst && isSecond
        }
    }
}
