// Why a contact cannot be reached (LinkState.offline). ChatWords has the words for it.

import BLIPNet
import Glibc

package enum LinkReason: Sendable, Hashable, Codable {
    /// They have blocked us.
    case blockedByPeer
    case noAddress
    case keyChanged
    /// Our own key answered at that address.
    case ownKey
    /// Our user has put the contact off (`ChatCall.disconnect`).
    case putOff
    case blocked
    case noHello
    /// They do not know the invitation that they are said to have made.
    case unproved
    /// Another key than theirs answers there, which came with the address.
    case somebodyElse(endpoint: String)
    /// Another contact, of this name, answers there.
    case answersInstead(name: String)
    /// Another contact, of this name, has the same key.
    case sameKey(name: String)
    /// No process runs the chat, or the one that did has ended.
    case notRunning
    case historyDamaged

    /// Our user has left the room.
    case leftRoom
    /// The server of a room does not let us in, or has shown us out; its words, perhaps empty.
    case refusedByRoom(reason: String)
    /// Something answers there that does not speak Socket.IO.
    case notSocketIO(reason: String)
    /// The server of a room has another key than the pinned one: the SHA-256 of that in hexadecimal digits.
    case otherKeyOfServer(String)
    /// The certificate of a server is not believed.
    case untrusted(reason: String)
    case closedByUs
    /// With the code of RFC 6455 7.4.1 and what the peer gave as a reason, perhaps empty.
    case closedByPeer(code: UInt16, reason: String)
    case disconnected
    case peerViolated(layer: String, reason: String)
    case timedOut(what: String)
    case system(call: String, errno: Int32)
    case unresolvable(host: String, reason: String)
    /// Something answers there that does not speak BLIP.
    case notBLIP(reason: String)
    case proxyFailed(reason: String)
    case bodyFailed(reason: String)
    /// A relay is of no use, or nobody came through it.
    case relay(host: String, RelayReason)
    /// Tor is of no use, or nobody is there.
    case onion(OnionReason)
    case limitExceeded(what: String)

    init(_ error: LinkError) {
        self =
            switch error {
            case .closedLocally: .closedByUs
            case .closedByPeer(let code, let reason): .closedByPeer(code: code, reason: reason)
            case .disconnected: .disconnected
            case .peerViolated(let layer, let reason): .peerViolated(layer: "\(layer)", reason: reason)
            case .timedOut(let what): .timedOut(what: "\(what)")
            case .transport(let call, let errno): .system(call: call, errno: errno)
            case .unresolvable(let host, let reason): .unresolvable(host: host, reason: reason)
            case .wrongIdentity: .keyChanged
            case .notBLIP(let reason): .notBLIP(reason: reason)
            case .proxyFailed(let reason): .proxyFailed(reason: reason)
            case .bodyFailed(let reason): .bodyFailed(reason: reason)
            case .relayFailed(let failure): .relay(host: Self.host(of: failure.relay), RelayReason(failure.problem))
            case .onionFailed(let problem): .onion(OnionReason(problem))
            case .limitExceeded(let what): .limitExceeded(what: "\(what)")
            }
    }

    /// Nothing came back: neither a farewell nor a refusal nor anybody else's answer. The path may be broken.
    var isSilence: Bool {
        switch self {
        case .disconnected, .timedOut, .relay(_, .silent): true
        case .system(_, let code): code != ECONNREFUSED
        default: false
        }
    }

    private static func host(of relay: Endpoint) -> String {
        if case .host(let host, _) = relay { host } else { "\(relay)" }
    }
}

/// The problem with a relay, or with the peer that we call there.
package enum RelayReason: Sendable, Hashable, Codable {
    case silent
    case gone
    case otherKey
    case full
    case wantsToken
    case notThere
    case idTaken
    case elsewhere
    case peerSilent
    case violated(reason: String)

    init(_ problem: RelayProblem) {
        self =
            switch problem {
            case .silent: .silent
            case .gone: .gone
            case .otherKey: .otherKey
            case .full: .full
            case .wantsToken: .wantsToken
            case .notThere: .notThere
            case .idTaken: .idTaken
            case .elsewhere: .elsewhere
            case .peerSilent: .peerSilent
            case .violated(let reason): .violated(reason: reason)
            }
    }
}

/// Why our tor, or the onion service that we call, does not work (`OnionProblem`).
package enum OnionReason: Sendable, Hashable, Codable {
    case off
    case onlyTor
    case notInstalled
    case programKept
    case starting(percent: Int)
    case ended(reason: String)
    case silent
    case otherTor
    case noCookie
    case refused(reason: String)
    case violated(reason: String)
    case notThere
    case refusedThere
    case wantsKey
    case badName
    case unreachable

    init(_ problem: OnionProblem) {
        self =
            switch problem {
            case .off: .off
            case .onlyTor: .onlyTor
            case .notInstalled: .notInstalled
            case .programKept: .programKept
            case .starting(let percent): .starting(percent: percent)
            case .ended(let reason): .ended(reason: reason)
            case .silent: .silent
            case .otherTor: .otherTor
            case .noCookie: .noCookie
            case .refused(let reason): .refused(reason: reason)
            case .violated(let reason): .violated(reason: reason)
            case .notThere: .notThere
            case .refusedThere: .refusedThere
            case .wantsKey: .wantsKey
            case .badName: .badName
            case .unreachable: .unreachable
            }
    }
}
