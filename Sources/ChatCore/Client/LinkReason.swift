// Why a contact cannot be reached, in words for people (LinkState.offline); the only place that makes them.

import BLIPNet
import Glibc

package enum LinkReason {
    /// They have blocked us.
    package static let blockedByPeer = "refuses our calls"
    static let noAddress = "no address to call; waits for their call"
    static let keyChanged = "another key answered; sending has stopped"
    static let ownKey = "this address is our own"
    /// Our user has put the contact off (`ChatCall.disconnect`).
    package static let putOff = "disconnected by you; /connect calls again"
    static let blocked = "blocked by you"
    static let noHello = "did not introduce itself"
    /// Another key than theirs answers there, which came with the address.
    static func somebodyElse(at address: PeerAddress) -> String {
        "somebody else answers at \(address.endpoint), or their key changed"
    }
    static func answersInstead(_ name: String) -> String { "\(name) answers at that address now" }
    static func sameKey(as name: String) -> String { "has the same key as \(name): remove one of the two" }

    static func text(_ error: LinkError) -> String {
        switch error {
        case .closedLocally: "closed by us"
        case .closedByPeer(let code, let reason):
            // The codes of an end that is none of trouble (RFC 6455 7.4.1): normal, going away.
            reason.isEmpty
                ? [1000, 1001].contains(code) ? "they have closed the connection" : "closed by them (\(code))"
                : "closed by them: \(reason)"
        case .disconnected: "the connection was lost"
        case .peerViolated(let layer, let reason): "broke the \(layer) protocol: \(reason)"
        case .timedOut(let what): "no answer in time (\(what))"
        case .transport(let call, let errno): systemText(errno, call: call)
        case .unresolvable(let host, let reason): "\(host) cannot be resolved: \(reason)"
        case .wrongIdentity: keyChanged
        case .notBLIP(let reason): "something else answers there, not blipchat: \(reason)"
        case .proxyFailed(let reason): "the proxy \(reason)"
        case .bodyFailed(let reason): reason
        case .limitExceeded(let what): "a limit was reached: \(what)"
        }
    }

    private static func systemText(_ code: Int32, call: String) -> String {
        switch code {
        case ECONNREFUSED: "nobody listens there (connection refused)"
        case EHOSTUNREACH, ENETUNREACH: "no route to that network"
        case EADDRINUSE: "the address is in use"
        case EACCES, EPERM: "not permitted"
        default: "\(call): \(String(cString: strerror(code)))"
        }
    }
}
