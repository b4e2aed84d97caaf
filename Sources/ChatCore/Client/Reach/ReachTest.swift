// Calls to ourselves along every way that others have to us (REACH 1, `reach test`).

import BLIPNet

/// Belongs to the client.
struct ReachTest {
    let core: ClientCore
    let connecting: any PeerConnecting
    let reach: Reach
    let presence: Presence

    /// How long all calls together take at most: a call through Tor may need half of it.
    static let patience = Duration.seconds(30)

    /// Calls along all ways at once. Each call ends as soon as our own key has answered; what takes it sees our key and hangs up.
    func run() async -> [ReachTrial] {
        let ways = ways
        let (connecting, clock, proxy, ownID) = (connecting, core.clock, core.configuration.proxy, core.ownID)
        return await withTaskGroup(of: (index: Int, outcome: ReachTrial.Outcome)?.self) { group in
            for (index, way) in ways.enumerated() {
                group.addTask {
                    let start = clock.now()
                    do throws(LinkError) {
                        let connection = try await connecting.connect(
                            along: way.route, isPublic: false, expecting: ownID, through: proxy, handler: NoRequests())
                        connection.close(code: 1000, reason: "only a test")
                        return (index, .answered(after: clock.now() - start))
                    } catch {
                        if case .wrongIdentity = error { return (index, .somebodyElse) }
                        return (index, .failed(LinkReason(error)))
                    }
                }
            }
            group.addTask {
                // Cancelled when all have ended before.
                do { try await clock.wait(Self.patience) } catch {}
                return nil
            }
            var trials = ways
            var open = Set(ways.indices)
            while !open.isEmpty, let one = await group.next(), let one {
                trials[one.index].outcome = one.outcome
                open.remove(one.index)
            }
            group.cancelAll()
            return Self.oneForEachRelay(trials)
        }
    }

    /// Of the two mailboxes with a relay (`Relays.routes`) only one is joined: contacts try both, and one that answers is enough.
    static func oneForEachRelay(_ trials: [ReachTrial]) -> [ReachTrial] {
        var kept: [ReachTrial] = []
        for trial in trials {
            let other = kept.firstIndex {
                $0.way == .relay && trial.way == .relay && $0.route.endpoint == trial.route.endpoint
            }
            guard let other else {
                kept.append(trial)
                continue
            }
            if !kept[other].isAnswered && trial.isAnswered { kept[other] = trial }
        }
        return kept
    }

    /// Our ways in the order in which contacts try them; nothing has answered there in time so far.
    private var ways: [ReachTrial] {
        guard let address = presence.identity.address else { return [] }
        let mapped = reach.mapping.route
        var ways: [ReachTrial] = []
        for route in [address.route] + address.via where !ways.contains(where: { $0.route == route }) {
            let way: ReachTrial.Way =
                switch route.routeClass {
                case .relay: .relay
                case .onion: .onion
                case .direct: route == mapped ? .mapped : .direct
                }
            ways.append(
                ReachTrial(
                    way: way, route: route, isInside: way == .direct && route.leadsInside,
                    outcome: .failed(.timedOut(what: "connect"))))
        }
        return ways
    }
}

/// Nobody asks anything over a call that ends at once.
private final class NoRequests: PeerRequestHandler {
    func handle(_ request: BLIPIncomingRequest) -> BLIPResponse? { nil }
}
