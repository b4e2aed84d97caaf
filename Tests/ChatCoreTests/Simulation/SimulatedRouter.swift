// A router of a simulation: gives ports as a test says, and remembers who has asked for them.

import BLIPNet
import Synchronization

@testable import ChatCore

final class SimulatedRouter: Sendable {
    private struct State {
        var host: String?
        var lifetime = Duration.seconds(3600)
        var asked: [(time: MonotonicTime, earlier: MappedPort?)] = []
        var givenBack: [MappedPort] = []
    }

    private let state = Mutex(State())

    /// Its address outside; `nil`: it gives no ports, and is silent.
    var host: String? {
        get { state.withLock { $0.host } }
        set { state.withLock { $0.host = newValue } }
    }

    /// When it was asked, and for which port that it had given.
    var asked: [(time: MonotonicTime, earlier: MappedPort?)] { state.withLock { $0.asked } }
    var givenBack: [MappedPort] { state.withLock { $0.givenBack } }

    func map(_ port: UInt16, _ earlier: MappedPort?, at time: MonotonicTime) throws(MappingFailure) -> MappedPort {
        let (host, lifetime) = state.withLock { state in
            state.asked.append((time, earlier))
            return (state.host, state.lifetime)
        }
        guard let host else { throw .silent }
        return MappedPort(way: .pcp, host: host, port: port, inside: port, lifetime: lifetime)
    }

    func giveBack(_ mapped: MappedPort) { state.withLock { $0.givenBack.append(mapped) } }
}
