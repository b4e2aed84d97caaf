// A network of this process alone, in place of multicast DNS: what one shows, the others find.

import BLIPNet
import Synchronization

@testable import ChatCore

final class TestNeighbourhood: Sendable {
    private struct State {
        var shown: [Int: NeighbourService] = [:]
        var watchers: [Int: AsyncStream<NeighbourNews>.Continuation] = [:]
        var members = 0
    }

    private let state = Mutex(State())

    /// The end of one machine.
    func member() -> any NeighbourFinding {
        Member(
            network: self,
            number: state.withLock { state in
                state.members += 1
                return state.members
            })
    }

    /// What is shown now.
    var services: [NeighbourService] { state.withLock { $0.shown.sorted { $0.key < $1.key }.map(\.value) } }

    private struct Member: NeighbourFinding {
        let network: TestNeighbourhood
        let number: Int

        func look() -> AsyncStream<NeighbourNews> {
            let (news, teller) = AsyncStream.makeStream(of: NeighbourNews.self)
            teller.yield(.state(.looking))
            network.state.withLock { state in
                for (other, service) in state.shown where other != number { teller.yield(service.found) }
                state.watchers[number] = teller
            }
            return news
        }

        func show(_ service: NeighbourService?) {
            network.state.withLock { state in
                let old = state.shown.updateValue(
                    service ?? NeighbourService(instance: "", port: 0, texts: []), forKey: number)
                if service == nil { state.shown[number] = nil }
                for (other, teller) in state.watchers where other != number {
                    if let old, old.instance != service?.instance { teller.yield(.gone(old.key)) }
                    if let service { teller.yield(service.found) }
                }
            }
        }
    }
}

extension NeighbourService {
    fileprivate var key: NeighbourKey { NeighbourKey(instance: instance, interface: 1, isIPv6: false) }

    fileprivate var found: NeighbourNews {
        .found(key, host: "127.0.0.1", port: port, texts: texts.map { Array($0.utf8) })
    }
}
