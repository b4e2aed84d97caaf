// Files over connections of their own between two real clients (decision 0034): whole, within the limits, and nothing of the
// link's.

import BLIPNet
import Testing

@testable import ChatCore

extension TestPeer {
    func lanes(with name: String) async throws -> Int {
        let contact = try await contactID(name)
        return await client.run { $0.uploads.lanes.count(with: contact) }
    }

    /// Calls for lanes, as the plan would on a path that loses packets.
    func callLanes(_ count: Int, to name: String) async throws {
        let contact = try await contactID(name)
        await client.run { client in
            guard let link = client.core.links[contact]?.link else { return }
            _ = client.uploads.lanes.open(with: contact, beside: link)
            client.uploads.lanes.call(contact, beside: link, upTo: count)
        }
    }

    /// Called at once, with this installation's key or another one, whatever the limits of our side are.
    func lane(to other: TestPeer, as identity: TLSIdentity? = nil) async throws -> any PeerConnection {
        let connecting = LinkConnecting(identity: identity ?? self.identity)
        let address = try await other.address
        return try await connecting.openLane(
            to: .host(address.host, port: address.port), expecting: other.id, handler: NoRequests())
    }
}

private final class NoRequests: PeerRequestHandler {
    func handle(_ request: BLIPIncomingRequest) -> BLIPResponse? { .failure(.notFound, "nothing here") }
}

@Suite("Files over lanes") struct FileLanesTests {
    /// A file of Alice's that Bob fetches over the link, slowly enough that lanes open, and end, while it comes.
    private func runningFile(mebibytes: Int) async throws -> (TransferPair, path: String, MessageID) {
        let pair = try await TransferPair(bob: { $0.downloadLimit = 2 << 20 })
        let path = try pair.alice.makeFile("large.bin", size: mebibytes << 20)
        let id = try await pair.offer(path)
        try await pair.bob.waitForState(.running, of: id)
        return (pair, path, id)
    }

    private func expectWhole(_ id: MessageID, _ path: String, _ pair: TransferPair) async throws {
        try await pair.bob.waitForState(.complete, of: id)
        try await pair.alice.waitForState(.complete, of: id)
        let received = try #require(try await pair.bob.row(id).path)
        #expect(try sha256(of: received) == sha256(of: path))
    }

    @Test("a file goes over lanes that its sender has opened, and chat over the link")
    func sendersLanes() async throws {
        let (pair, path, id) = try await runningFile(mebibytes: 4)
        let links = pair.bob.tap.connections
        try await pair.alice.callLanes(3, to: "bob")
        try await eventually("the lanes are used") { pair.bob.tap.requestsOverLanes > 0 }
        try await pair.alice.say("meanwhile", to: "bob")
        try await expectWhole(id, path, pair)
        #expect(try await pair.bob.texts(with: "alice", .incoming) == ["meanwhile"])
        #expect(pair.alice.tap.requestsOverLanes == 0, "what is not of files goes over the link")
        #expect(pair.bob.tap.connections == links, "a lane is no second link")
        #expect(pair.alice.tap.lanes == 3 && pair.bob.tap.lanes == 3)
        // Nothing moves any more: they end by themselves, the link stays.
        try await eventually("the lanes have ended") { try await pair.bob.lanes(with: "alice") == 0 }
        #expect(try await pair.alice.isOnline("bob") && pair.bob.tap.connections == links)
        await pair.stop()
    }

    @Test("a receiver who has called opens the lanes that its sender asks for, and no more than its own limit")
    func receiversLanes() async throws {
        // Alice has called, and now she fetches a file.
        let pair = try await TransferPair(alice: { $0.downloadLimit = 256 << 10 })
        let path = try pair.bob.makeFile("large.bin", size: 6 << 20)
        let offer = try await pair.bob.client.ask(
            .sendFile(at: path, named: nil, caption: "", to: pair.bob.contactID("alice")))
        try await pair.alice.waitForState(.offered, of: offer.id)
        try await pair.alice.client.ask(.acceptTransfer(try await pair.alice.row(offer.id).number, into: nil))
        try await pair.alice.waitForState(.running, of: offer.id)
        let link = try await pair.bob.openLink()
        #expect(!link.isOutgoing)
        link.connection.submitNoReply(FileLanesRequest(count: 64).encoded())
        try await eventually("as many as the limit allows") { pair.alice.tap.lanes == 6 }
        try await pair.alice.client.ask(.setRateLimit(4 << 20, of: .all(.incoming)))
        try await eventually("the lanes are used") { pair.alice.tap.requestsOverLanes > 0 }
        try await pair.alice.waitForState(.complete, of: offer.id)
        let received = try #require(try await pair.alice.row(offer.id).path)
        #expect(try sha256(of: received) == sha256(of: path))
        #expect(pair.alice.tap.lanes == 6)
        await pair.stop()
    }

    @Test("nobody has us call who sends us nothing")
    func unasked() async throws {
        let pair = try await TransferPair()
        let link = try await pair.bob.openLink()
        link.connection.submitNoReply(FileLanesRequest(count: 3).encoded())
        try await pair.bob.say("behind it", to: "alice")
        try await eventually("what came behind it") {
            try await pair.alice.texts(with: "bob", .incoming) == ["behind it"]
        }
        #expect(pair.alice.tap.lanes == 0)
        await pair.stop()
    }

    @Test("lanes that break lose nothing and double nothing, and the link and the file go on")
    func broken() async throws {
        let (pair, path, id) = try await runningFile(mebibytes: 6)
        let links = pair.bob.tap.connections
        try await pair.alice.callLanes(3, to: "bob")
        try await eventually("the lanes are used") { pair.bob.tap.requestsOverLanes > 0 }
        pair.bob.tap.cutLane(after: 2)
        try await eventually("a lane was cut") { !pair.bob.tap.willCutLane }
        pair.bob.tap.cutLane(after: 2)
        try await expectWhole(id, path, pair)
        #expect(pair.bob.tap.connections == links)
        #expect(pair.bob.tap.requests("file-get").filter { $0["Offset"] == "0" }.count == 1, "it was one run")
        await pair.stop()
    }

    @Test("all lanes at once: the rest of the file comes over the link")
    func allBroken() async throws {
        let (pair, path, id) = try await runningFile(mebibytes: 4)
        let links = pair.bob.tap.connections
        try await pair.alice.callLanes(2, to: "bob")
        try await eventually("the lanes are used") { pair.bob.tap.requestsOverLanes > 0 }
        let contact = try await pair.alice.contactID("bob")
        await pair.alice.client.run { client in
            guard let link = client.core.links[contact]?.link else { return }
            client.uploads.lanes.end(beside: link.number)
        }
        try await expectWhole(id, path, pair)
        #expect(pair.bob.tap.connections == links)
        #expect(pair.bob.tap.requests("file-get").filter { $0["Offset"] == "0" }.count == 1, "it was one run")
        await pair.stop()
    }

    @Test("what the link does not bring comes over idle lanes, and is dropped when it comes after all")
    func slowLink() async throws {
        let (pair, path, id) = try await runningFile(mebibytes: 4)
        try await eventually("the first ranges are here") { try await pair.bob.row(id).transferred > 0 }
        pair.alice.tap.holdReplies(to: "file-get")
        try await eventually("a range is held") { pair.alice.tap.heldReplies > 0 }
        try await pair.alice.callLanes(3, to: "bob")
        try await expectWhole(id, path, pair)
        pair.alice.tap.releaseReplies()
        try await pair.alice.say("behind it", to: "bob")
        try await eventually("the link is there") {
            try await pair.bob.texts(with: "alice", .incoming) == ["behind it"]
        }
        let received = try #require(try await pair.bob.row(id).path)
        #expect(try sha256(of: received) == sha256(of: path))
        await pair.stop()
    }

    @Test("a contact who opens a hundred lanes has six, which carry nothing but ranges")
    func hundred() async throws {
        let pair = try await TransferPair()
        let links = pair.bob.tap.connections
        let first = try await pair.alice.lane(to: pair.bob)
        for request in [
            BLIPRequest(profile: "hello", properties: ["Name": "x"]), BLIPRequest(profile: "typing"),
            FileBundleRequest(ids: []).encoded(), BLIPRequest(profile: "message", body: .text("over a lane")),
        ] {
            #expect(try await first.submit(request, bodySink: nil).value().error == .forbidden)
        }
        var lanes = [first]
        var most = 0
        for _ in 0..<100 {
            // A listener that has too much to do refuses before TLS.
            if let lane = try? await pair.alice.lane(to: pair.bob) { lanes.append(lane) }
            most = max(most, try await pair.bob.lanes(with: "alice"))
        }
        #expect(most == 6)
        #expect(try await pair.bob.texts(with: "alice") == [])
        #expect(try await pair.bob.isOnline("alice"))
        #expect(pair.bob.tap.connections == links)
        for lane in lanes { lane.close(code: 1000, reason: "") }
        await pair.stop()
    }

    @Test("a stranger's lane is closed, and a lane to another key is none")
    func strangers() async throws {
        let pair = try await TransferPair()
        let stranger = try TLSIdentity.generate()
        let lane = try await pair.alice.lane(to: pair.bob, as: stranger)
        #expect(await lane.waitUntilClosed() == .closedByPeer(code: 1008, reason: "no link"))
        #expect(try await pair.bob.client.ask(.contactRequests).isEmpty)
        let connecting = LinkConnecting(identity: pair.alice.identity)
        let address = try await pair.bob.address
        await #expect(
            throws: LinkError.wrongIdentity(
                expected: stranger.fingerprint, presented: pair.bob.identity.fingerprint)
        ) {
            _ = try await connecting.openLane(
                to: .host(address.host, port: address.port), expecting: PeerID(stranger.fingerprint),
                handler: NoRequests())
        }
        #expect(try await pair.alice.isOnline("bob"))
        await pair.stop()
    }

    @Test("with a peer that does not know lanes, or has them switched off, there are none")
    func unknown() async throws {
        let pair = try await TransferPair(bob: { $0.limits.network.fileLanes = 0 })
        let contact = try await pair.alice.contactID("bob")
        let link = try #require(await pair.alice.client.links.sessions[contact]?.link)
        #expect(!link.features.contains(.lanes) && link.features.contains(.routes))
        let lane = try await pair.alice.lane(to: pair.bob)
        #expect(await lane.waitUntilClosed() == .closedByPeer(code: 1008, reason: "no link"))
        let path = try pair.alice.makeFile("file.bin", size: 1 << 20)
        try await expectWhole(try await pair.offer(path), path, pair)
        await pair.stop()
    }

    @Test("lanes end with their link, and a file goes on over the next one")
    func linkEnds() async throws {
        let (pair, path, id) = try await runningFile(mebibytes: 4)
        try await pair.alice.callLanes(3, to: "bob")
        try await eventually("the lanes are used") { pair.bob.tap.requestsOverLanes > 0 }
        let before = try await pair.bob.openLink()
        before.close(reason: "cut by the test")
        try await eventually("no lane is left") { try await pair.bob.lanes(with: "alice") == 0 }
        try await expectWhole(id, path, pair)
        await pair.stop()
    }
}
