// PeerLink over real sockets and real TLS: the ordinary use.

import BLIPNet
import Testing

@Suite("PeerLink") struct PeerLinkTests {
    @Test("echoes over TLS, and knows who the peer is")
    func echo() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        let response = try await link.request(BLIPRequest(profile: "echo", body: .text("hello")))
        #expect(response.bodyBytes == Array("hello".utf8))
        #expect(response.properties.profile == "echoed")
        #expect(link.info.isEncrypted)
        #expect(link.info.isOutgoing)
        #expect(link.info.remoteFingerprint == server.clientOptions.expectedPeer)
        #expect(link.info.subprotocol == "BLIP_3+blipchat_1")
        #expect(link.info.remoteHost == "127.0.0.1")
        #expect(link.info.remoteAddress == server.endpoint.description)
        let serverSide = try #require(server.handler.links.first)
        #expect(serverSide.info.remoteFingerprint == server.clientOptions.identity?.fingerprint)
        #expect(!serverSide.info.isOutgoing)
        #expect(serverSide.info.remoteAddress == link.info.localAddress)
    }
}
