// The codes that tell programs why a contact, a relay, Tor or the router is of no use: words that never change, unlike
// the sentences for people (Docs/scripting.md, "Reasons").

package import BLIPNet

extension LinkReason {
    /// Letters and hyphens, and after a blank what belongs to it. What the other side or the system has said in words of its
    /// own is only in the sentence.
    package var code: String {
        switch self {
        case .blockedByPeer: "blocked-by-peer"
        case .noAddress: "no-address"
        case .keyChanged: "key-changed"
        case .ownKey: "own-key"
        case .putOff: "put-off"
        case .blocked: "blocked"
        case .noHello: "no-hello"
        case .unproved: "unproved"
        case .somebodyElse(let endpoint): "somebody-else \(endpoint)"
        case .answersInstead(let name): "answers-instead \(name)"
        case .sameKey(let name): "same-key \(name)"
        case .notRunning: "not-running"
        case .historyDamaged: "history-damaged"
        case .leftRoom: "left-room"
        case .refusedByRoom: "refused-by-room"
        case .notSocketIO: "not-socketio"
        case .otherKeyOfServer(let key): "other-key-of-server \(key)"
        case .untrusted: "untrusted"
        case .closedByUs: "closed-by-us"
        case .closedByPeer(let code, _): "closed-by-peer \(code)"
        case .disconnected: "disconnected"
        case .peerViolated(let layer, _): "peer-violated \(layer)"
        case .timedOut: "timed-out"
        case .system(let call, let errno): "system \(call) \(errno)"
        case .unresolvable(let host, _): "unresolvable \(host)"
        case .notBLIP: "not-blip"
        case .proxyFailed: "proxy-failed"
        case .bodyFailed: "body-failed"
        case .relay(let host, let reason): "\(reason.code) \(host)"
        case .onion(let reason): reason.code
        case .limitExceeded: "limit-exceeded"
        }
    }
}

extension OnionState {
    /// Why nobody finds us there so far; `nil`: they do.
    package var code: String? {
        switch self {
        case .announced: nil
        case .ready: "onion-not-announced"
        case .off: OnionReason.off.code
        case .starting(let percent): OnionReason.starting(percent: percent).code
        case .failed(let reason): reason.code
        }
    }
}

extension RelayReason {
    /// The word of its code; the host of the relay follows.
    fileprivate var code: String {
        switch self {
        case .silent: "relay-silent"
        case .gone: "relay-gone"
        case .otherKey: "relay-other-key"
        case .full: "relay-full"
        case .wantsToken: "relay-wants-token"
        case .notThere: "relay-not-there"
        case .idTaken: "relay-id-taken"
        case .elsewhere: "relay-elsewhere"
        case .peerSilent: "relay-peer-silent"
        case .violated: "relay-violated"
        }
    }
}

extension OnionReason {
    fileprivate var code: String {
        switch self {
        case .off: "tor-off"
        case .onlyTor: "only-tor"
        case .notInstalled: "tor-not-installed"
        case .programKept: "tor-kept"
        case .starting(let percent): "tor-starting \(percent)"
        case .ended: "tor-ended"
        case .silent: "tor-silent"
        case .otherTor: "other-tor"
        case .noCookie: "tor-no-cookie"
        case .refused: "tor-refused"
        case .violated: "tor-violated"
        case .notThere: "onion-not-there"
        case .refusedThere: "onion-refused"
        case .wantsKey: "onion-wants-key"
        case .badName: "onion-bad-name"
        case .unreachable: "onion-unreachable"
        }
    }
}

extension MappingFailure {
    package var code: String {
        switch self {
        case .noGateway: "no-gateway"
        case .silent: "router-silent"
        case .refused(let code): "router-refused \(code)"
        case .noPublicAddress(let host): "no-public-address \(host)"
        case .noProgram: "no-upnpc"
        case .programKept: "upnpc-kept"
        case .notNeeded: "not-needed"
        }
    }
}
