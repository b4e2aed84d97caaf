// Calls to ourselves along our own ways (`reach test`).

import BLIPNet
import Glibc
import Testing

@testable import ChatCore

@Suite("Calling ourselves", .timeLimit(.minutes(5))) struct ReachTestTests {
    @Test("our own address answers, is known to lead nowhere but here, and nothing is left of the call")
    func direct() async throws {
        let alice = try await TestPeer("alice").start()
        let trials = try await alice.client.ask(.testReach)
        #expect(trials.count == 1)
        let trial = try #require(trials.first)
        #expect(trial.way == .direct && trial.isInside && trial.isAnswered)
        #expect(try await trial.route == alice.address.route)
        #expect(try await alice.client.ask(.contactRequests).isEmpty)
        #expect(try await alice.client.ask(.conversations).isEmpty)
        await alice.stop()
    }

    @Test("another key at our address is told from nobody there")
    func others() async throws {
        let bob = try await TestPeer("bob").start()
        let port = try await bob.address.port
        let alice = try await TestPeer("alice", listen: .host("127.0.0.2", port: port)) {
            $0.advertisedHost = "127.0.0.1"
        }.start()
        #expect(try await alice.client.ask(.testReach).map(\.outcome) == [.somebodyElse])
        await alice.stop()
        let carol = try await TestPeer("carol") { $0.advertisedHost = "127.0.0.3" }.start()
        let refused = LinkReason.system(call: "connect", errno: ECONNREFUSED)
        #expect(try await carol.client.ask(.testReach).map(\.outcome) == [.failed(refused)])
        await carol.stop()
        await bob.stop()
    }

    @Test("a chat that takes no calls has no way to try")
    func nothing() async throws {
        let alice = try await TestPeer("alice") { $0.listen = nil }.start()
        #expect(try await alice.client.ask(.testReach).isEmpty)
        await alice.stop()
    }

    @Test("of the two mailboxes with one relay that which answers is told, else the first")
    func mailboxes() {
        func trial(_ relay: UInt8, _ mailbox: UInt8, _ outcome: ReachTrial.Outcome) -> ReachTrial {
            let route = RelayRoute(
                host: "relay\(relay).example", relay: RelayID(ofCertificate: [relay]),
                mailbox: RelayID(ofCertificate: [mailbox]))
            return ReachTrial(way: .relay, route: .relay(route), isInside: false, outcome: outcome)
        }
        let gone = ReachTrial.Outcome.failed(.relay(host: "relay", .notThere))
        let trials = [
            trial(1, 1, gone), trial(1, 2, .answered(after: .seconds(1))), trial(2, 3, gone), trial(2, 4, gone),
        ]
        #expect(ReachTest.oneForEachRelay(trials) == [trials[1], trials[2]])
    }
}
