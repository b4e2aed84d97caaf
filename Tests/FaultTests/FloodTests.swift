// Thousands of strangers knock while contacts chat: no contact notices, and the memory stays small (RELIABILITY 3).

import BLIPNet
import ChatCore
import Glibc
import Storage
import Synchronization
import TestSupport
import Testing

@Suite("Floods", .serialized) struct FloodTests {
    private static let isFull = FaultSettings.number("BLIPCHAT_FLOOD") != nil
    private static let contacts = 16
    private static let idle = 5_000
    private static let halfOpen = 2_000

    @Test("16 contacts chat on while thousands of strangers hold connections open")
    func strangers() async throws {
        let bob = try BlipchatHome("bob")
        let port = try PlainServer.freePort()
        let server = try bob.serve(port: port, "--accept-requests")
        try await server.waitUntilListening()
        let atRest = server.memory("VmRSS")
        let bobsAddress = PeerAddress(host: "127.0.0.1", port: port)
        var peers: [(peer: FaultPeer, bob: ContactID)] = []
        for number in 0..<Self.contacts {
            let peer = try await FaultPeer("peer \(number)", listens: false)
            try await peer.start()
            let contact = try await peer.client.ask(.addContact(bobsAddress, name: "bob")).id
            try await eventually("peer \(number) is online") { await peer.isOnline(contact) }
            peers.append((peer, contact))
        }
        for (peer, _) in peers { peer.ends.withLock { $0 = [] } }

        // The strangers come while everybody talks, and again when the first ones were turned away.
        var rounds = 0
        var texts: [String] = []
        let floods = Self.isFull ? 3 : 1
        for flood in 0..<floods {
            let strangers = try Flood(idle: Self.idle, halfOpen: Self.halfOpen, port: port)
            repeat {
                rounds += 1
                let text = "round \(rounds)"
                texts.append(text)
                for (peer, contact) in peers { _ = try await peer.client.ask(.send(text, to: contact, replyTo: nil)) }
                try await eventually("round \(rounds) of flood \(flood) is delivered") {
                    for (peer, contact) in peers {
                        let last = try await peer.client.ask(.page(of: contact, .newest, limit: 1)).last
                        guard last?.state == .delivered else { return false }
                    }
                    return true
                }
            } while strangers.advance() < Self.idle + Self.halfOpen || rounds < 5 * (flood + 1)
            // Only so many places are given to those whom nobody knows.
            try await eventually("most strangers are turned away", timeout: .seconds(600)) { strangers.openCount <= 32 }
        }

        let most = server.memory("VmHWM")
        print(
            """
            flood of \(Self.idle) idle and \(Self.halfOpen) half-open connections, \(floods) times, \(Self.contacts) \
            contacts, \(rounds) rounds of messages: \(atRest >> 20) MiB at rest, at most \(most >> 20) MiB
            """)
        #expect(atRest < 64 << 20)
        #expect(most < 192 << 20)
        for (peer, _) in peers {
            #expect(peer.ends.withLock { $0 } == [], "\(peer.name) has lost its link")
            await peer.stop()
        }
        server.signal(SIGTERM)
        #expect(try await server.waitForExit() == .exited(0))
        // Everything is there, once, in the order of each sender.
        let stored = try HistoryProbe(bob.historyPath).incoming
        #expect(stored.count == texts.count * Self.contacts)
        #expect(Set(stored.map(\.id)).count == stored.count)
        #expect(stored.map(\.text).filter { $0 == texts.first }.count == Self.contacts)
    }

    @Test("callers who prove a key that nobody knows and then keep quiet take no contact's place")
    func quietStrangers() async throws {
        let bob = try await FaultPeer("bob", listens: true) {
            $0.acceptsRequests = false
            // Everything here is one address.
            $0.limits.network.unknownConnectionsPerAddress = 1000
            $0.limits.network.handshakesPerSecond = 1000
            $0.limits.network.handshakesPerSecondPerNetwork = 1000
        }
        try await bob.start()
        let port = try #require(await bob.client.identity.address).port
        let links = try await withThrowingTaskGroup(of: PeerLink?.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    var options = LinkOptions(identity: try TLSIdentity.generate())
                    options.application = LinkConnecting.application
                    return try? await PeerLink.connect(
                        to: .host("127.0.0.2", port: port), options: options, handler: NobodyAnswers())
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let alice = try await FaultPeer("alice", listens: false)
        let known = PeerAddress(host: "127.0.0.1", port: 1, peerID: PeerID(alice.identity.fingerprint))
        _ = try await bob.client.ask(.addContact(known, name: "alice"))
        try await alice.start()
        let contact = try await alice.client.ask(.addContact(PeerAddress(host: "127.0.0.2", port: port), name: "bob"))
            .id
        try await eventually("the contact is online all the same") { await alice.isOnline(contact) }
        for link in links { link?.close() }
        await alice.stop()
        await bob.stop()
    }

    @Test("strangers who begin messages and never end them hold little memory, and a contact chats on")
    func unfinished() async throws {
        let bob = try BlipchatHome("bob")
        try bob.writeConfiguration("[limits]\nhandshakes_per_second = 1000\nhandshakes_per_network = 1000\n")
        let port = try PlainServer.freePort()
        let server = try bob.serve(port: port, "--accept-requests")
        try await server.waitUntilListening()
        let address = PeerAddress(host: "127.0.0.1", port: port)
        let alice = try await FaultPeer("alice", listens: false)
        try await alice.start()
        let contact = try await alice.client.ask(.addContact(address, name: "bob")).id
        try await eventually("alice is online") { await alice.isOnline(contact) }
        alice.ends.withLock { $0 = [] }
        let links = try await withThrowingTaskGroup(of: PeerLink?.self) { group in
            for number in 0..<32 {
                group.addTask {
                    var options = LinkOptions(identity: try TLSIdentity.generate())
                    options.application = LinkConnecting.application
                    options.connect.localInterface = "127.0.0.\(10 + number / 8)"
                    options.blip.maxOpenOutgoing = 64
                    return try? await PeerLink.connect(
                        to: .host("127.0.0.1", port: port), options: options, handler: NobodyAnswers())
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        var messages: [PendingResponse] = []
        for link in links.compactMap(\.self) {
            for _ in 0..<40 {
                messages.append(link.submit(BLIPRequest(profile: "x", body: .source(EndlessWait()))))
            }
        }
        #expect(messages.count >= 16 * 40)
        // A contact is heard all the while.
        for number in 1...20 {
            let sent = try await alice.client.ask(.send("line \(number)", to: contact, replyTo: nil))
            try await eventually("line \(number) is delivered") {
                try await alice.store.message(sent.id)?.state == .delivered
            }
        }
        // Everything that they can send is there, or held back, when the memory grows no more.
        var most = 0
        var looks = 0
        try await eventually("the memory grows no more") {
            let now = server.memory("VmHWM")
            looks = now == most ? looks + 1 : 0
            most = now
            return looks > 20
        }
        print("unfinished messages of \(links.compactMap(\.self).count) strangers: at most \(most >> 20) MiB")
        #expect(most < 192 << 20)
        #expect(alice.ends.withLock { $0 } == [])
        for link in links { link?.close() }
        await alice.stop()
        server.signal(SIGTERM)
        #expect(try await server.waitForExit() == .exited(0))
    }
}

/// A body of 400 KB that then breaks: the message is left without an end.
private final class EndlessWait: BodySource {
    private let left = Mutex(400_000)

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = left.withLock { left in
            defer { left -= min(left, buffer.count) }
            return min(left, buffer.count)
        }
        guard count > 0 else { throw ConditionNotMet("no more") }
        buffer.initializeMemory(as: UInt8.self, repeating: 7)
        return count
    }
}

private final class NobodyAnswers: BLIPRequestHandler {
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? { nil }
}
