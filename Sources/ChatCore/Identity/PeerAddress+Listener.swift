// The address that others use to reach a listener of ours, without one running.

package import BLIPNet

extension PeerAddress {
    /// The address at which a listener at `endpoint` would be reached. A listener at all addresses is named by this
    /// machine's first one; a port of 0 means any port and is given as it is.
    package static func ofListener(at endpoint: Endpoint, peerID: PeerID, name: String) -> PeerAddress {
        guard case .host(let bound, let port) = endpoint else {
            return PeerAddress(host: LocalHost.firstAddress(), peerID: peerID, name: name)
        }
        let host = LocalHost.isWildcard(bound) ? LocalHost.firstAddress() : bound
        return PeerAddress(host: host, port: port, peerID: peerID, name: name)
    }
}
