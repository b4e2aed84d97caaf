// Why a contact cannot be reached, in words for people.

package import ChatCore
import Glibc

extension LinkReason {
    package var words: String {
        switch self {
        case .blockedByPeer: "refuses our calls"
        case .noAddress: "no address to call; waits for their call"
        case .keyChanged: "another key answered; sending has stopped"
        case .ownKey: "this address is our own"
        case .putOff: "disconnected by you; /connect calls again"
        case .blocked: "blocked by you"
        case .noHello: "did not introduce itself"
        case .unproved: "does not know the invitation"
        case .somebodyElse(let endpoint): "somebody else answers at \(endpoint), or their key changed"
        case .answersInstead(let name): "\(name) answers at that address now"
        case .sameKey(let name): "has the same key as \(name): remove one of the two"
        case .notRunning: "the chat is not running"
        case .historyDamaged: "the history is damaged"
        case .leftRoom: "you have left this room; /join brings you back"
        case .refusedByRoom(let reason):
            reason.isEmpty ? "the server does not let us in" : "the server does not let us in: \(reason)"
        case .otherKeyOfServer(let key): "the server has another key than the pinned one: pin=\(key) would accept it"
        case .notSocketIO(let reason) where reason.isEmpty: "something else answers there, not Socket.IO"
        case .notSocketIO(let reason): "something else answers there, not Socket.IO: \(reason)"
        case .untrusted(let reason): "its certificate is not trusted: \(reason)"
        case .closedByUs: "closed by us"
        case .closedByPeer(let code, let reason):
            // The codes of an ordinary end (RFC 6455 7.4.1): normal, going away.
            reason.isEmpty
                ? [1000, 1001].contains(code) ? "they have closed the connection" : "closed by them (\(code))"
                : "closed by them: \(reason)"
        case .disconnected: "the connection was lost"
        case .peerViolated(let layer, let reason): "broke the \(layer) protocol: \(reason)"
        case .timedOut(let what): "no answer in time (\(what))"
        case .system(let call, let errno): Self.system(call, errno)
        case .unresolvable(let host, let reason): "\(host) cannot be resolved: \(reason)"
        case .notBLIP(let reason): "something else answers there, not blipchat: \(reason)"
        case .proxyFailed(let reason): "the proxy \(reason)"
        case .bodyFailed(let reason): reason
        case .relay(let host, let reason): reason.words(relay: SafeText(host, as: .line).text)
        case .onion(let reason): reason.words
        case .limitExceeded(let what): "a limit was reached: \(what)"
        }
    }

    /// The same for a log, in which nobody reads where a contact is (REACH 6).
    package var wordsForLog: String {
        switch self {
        case .somebodyElse: Self.somebodyElse(endpoint: "…").words
        case .unresolvable(_, let reason): Self.unresolvable(host: "…", reason: reason).words
        case .relay(_, let reason): Self.relay(host: "…", reason).words
        default: words
        }
    }

    private static func system(_ call: String, _ errno: Int32) -> String {
        switch errno {
        case ECONNREFUSED: "nobody listens there (connection refused)"
        case EHOSTUNREACH, ENETUNREACH: "no route to that network"
        case EADDRINUSE: "the address is in use"
        case EACCES, EPERM: "not permitted"
        default: "\(call): \(String(cString: strerror(errno)))"
        }
    }
}

extension RelayReason {
    /// Says what is wrong with the relay at this host (REACH 6).
    package func words(relay host: String) -> String {
        switch self {
        case .silent: "the relay \(host) does not answer"
        case .gone: "the relay \(host) has closed the connection"
        case .otherKey: "another relay answers at \(host): not the key that was given for it"
        case .full: "the relay \(host) is full"
        case .wantsToken: "the relay \(host) wants a token"
        case .notThere: "not at the relay \(host): offline, or gone from there"
        case .idTaken: "the relay \(host) still holds an old connection"
        case .elsewhere: "the relay \(host) offered a session elsewhere; refused"
        case .peerSilent: "reached \(host), but they did not come"
        case .violated(let reason): "the relay \(host) does not speak the relay protocol: \(reason)"
        }
    }
}

extension OnionReason {
    /// Says what is wrong with our tor, or with an onion service (REACH 6).
    package var words: String {
        switch self {
        case .off: "this way needs Tor (/set reach.tor on)"
        case .onlyTor: "blipchat uses nothing but Tor (reach.tor is \"only\")"
        case .notInstalled: "tor is not installed (apt install tor)"
        case .programKept: "the sandbox keeps blipchat from running tor (/set security.sandbox off)"
        case .starting(let percent): "tor starts: \(percent) %"
        case .ended(""): "tor has ended"
        case .ended(let reason): "tor has ended: \(SafeText(reason, as: .line).text)"
        case .silent: "tor does not answer"
        case .otherTor: "another program than tor answers at its control port"
        case .noCookie: "the cookie of tor's control port cannot be read"
        case .refused(let reason): "tor refuses: \(SafeText(reason, as: .line).text)"
        case .violated(let reason): "what answers in place of tor does not speak its protocol: \(reason)"
        case .notThere: "their onion service is not there: offline"
        case .refusedThere: "their onion service takes no calls"
        case .wantsKey: "their onion service lets in only those whom it knows"
        case .badName: "that is no onion service"
        case .unreachable: "their onion service cannot be reached through Tor"
        }
    }
}
