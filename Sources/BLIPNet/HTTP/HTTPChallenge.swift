// The demand for credentials that a server or proxy sends with 401 or 407 (RFC 9110 section 11.3), for their owner.

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field.
public struct HTTPChallenge: Sendable, Equatable {
    /// In lower case: `basic`, `digest`, ...
    public let scheme: String
    /// It comes from the proxy, not from the server.
    public internal(set) var isFromProxy = false
    /// The one value of schemes that have no named parameters.
    let token68: String?
    /// Names in lower case, each at most once.
    let parameters: [String: String]

    init(scheme: String, token68: String? = nil, parameters: [String: String] = [:]) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters
    }

    /// The part of the server that the credentials are for, in the server's words.
    public var realm: String? { parameters["realm"] }

    /// All challenges of the fields called `name`, in order. A field that is malformed at some place is read up to
    /// there; a challenge that has a parameter twice is left out.
    static func all(in fields: HTTPFields, name: String) -> [HTTPChallenge] {
        fields.values(name).flatMap { value in
            var parser = HTTPChallengeParser(value)
            return parser.parse()
        }
    }
}
