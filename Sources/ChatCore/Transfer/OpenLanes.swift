// The connections that files of one contact may use beside the link.

import BLIPNet
import Synchronization

/// Changed on the client, read by running transfers.
final class OpenLanes: Sendable {
    private let state = Mutex<[Int: any PeerConnection]>([:])

    /// By number, which is never used again with this link.
    var connections: [Int: any PeerConnection] { state.withLock { $0 } }

    func add(_ connection: any PeerConnection, as number: Int) { state.withLock { $0[number] = connection } }

    func remove(_ number: Int) { state.withLock { $0[number] = nil } }
}
