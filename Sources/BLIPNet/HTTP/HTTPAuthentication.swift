// Chooses among the challenges of a 401 or 407, and answers the chosen one.

/// Whether the origin server or the proxy asks.
enum HTTPAuthenticator: Sendable {
    case server
    case proxy

    /// The status with which it asks.
    var status: Int { self == .server ? 401 : 407 }
    var challengeField: String { self == .server ? "WWW-Authenticate" : "Proxy-Authenticate" }
    var answerField: String { self == .server ? "Authorization" : "Proxy-Authorization" }
}

enum HTTPAuthentication {
    /// The challenge of `response` to answer: the strongest that we understand; Basic, which shows the password, only
    /// when there is nothing else.
    static func chosenChallenge(in response: HTTPResponseHead, of authenticator: HTTPAuthenticator) -> HTTPChallenge? {
        guard response.status == authenticator.status else { return nil }
        let challenges = HTTPChallenge.all(in: response.fields, name: authenticator.challengeField).map { challenge in
            var challenge = challenge
            challenge.isFromProxy = authenticator == .proxy
            return challenge
        }
        for algorithm in DigestAlgorithm.allCases {
            if let found = challenges.first(where: { DigestAuthentication($0)?.algorithm == algorithm }) {
                return found
            }
        }
        return challenges.first { $0.scheme == "basic" }
    }

    /// The field value that answers `challenge` for one request; `nil` when these credentials cannot be put into it.
    static func answer(
        to challenge: HTTPChallenge, with credentials: HTTPCredentials, method: String, target: String,
        random: RandomSource
    ) -> String? {
        guard challenge.scheme == "digest" else { return credentials.basicAuthorization }
        return DigestAuthentication(challenge)?.authorization(
            credentials, method: method, target: target, clientNonce: Base64.encode(random.bytes(18)))
    }
}
