// What a contact can make us call when both of us are to call at the same moment, over real sockets.

import Synchronization
import TestSupport
import Testing

@testable import BLIPNet
@testable import ChatCore

@Suite("REACH 6: nobody aims us at others", .timeLimit(.minutes(2))) struct PunchingTests {
    private final class Quiet: PeerRequestHandler {
        func handle(_ request: BLIPIncomingRequest) -> BLIPResponse? { nil }
    }

    @Test("a candidate in a private network is called only where that is allowed", arguments: [false, true])
    func inside(isAllowed: Bool) async throws {
        let (alice, bob) = (try TLSIdentity.generate(), try TLSIdentity.generate())
        let calls = Atomic(0)
        let theirs = LinkConnecting(identity: bob)
        let listener = try theirs.listen(on: .host("127.0.0.1", port: 0)) { _ in
            calls.add(1, ordering: .relaxed)
            return Quiet()
        }
        let own = LinkConnecting(identity: alice)
        let hole = try #require(await own.openHole(seenBy: nil))
        #expect(hole.outside == nil && hole.port > 0)
        do throws(LinkError) {
            let link = try await own.punch(
                from: hole.port, to: [listener.localEndpoint], allowsInside: isAllowed,
                expecting: PeerID(bob.fingerprint), handler: Quiet())
            #expect(isAllowed && link.info.remoteFingerprint == bob.fingerprint)
            link.close(code: 1000, reason: "")
        } catch {
            #expect(!isAllowed, "\(error)")
        }
        if !isAllowed {
            await own.takePunch(from: hole.port, to: [listener.localEndpoint], allowsInside: false) { _ in Quiet() }
        }
        #expect(calls.load(ordering: .relaxed) == (isAllowed ? 1 : 0))
        listener.close()
    }
}
