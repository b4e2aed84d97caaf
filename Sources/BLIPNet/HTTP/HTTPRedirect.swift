// Where a redirecting answer leads a WebSocket client, and what it may take there (RFC 9110 section 15.4).

/// A redirect that is to be followed.
struct HTTPRedirect: Sendable, Equatable {
    var url: WebSocketURL
    /// Another server, which gets nothing that was meant for the first one.
    var leavesOrigin: Bool

    /// Why a redirect is not followed.
    enum Refusal: Error, Sendable, Equatable {
        case noLocation
        case malformedLocation
        /// Another scheme than ws, wss, http and https.
        case forbiddenScheme
        /// From TLS to plain text.
        case losesEncryption
        /// User and password in the target: nobody but the caller says who we are.
        case credentialsInLocation

        /// For people.
        var reason: String {
            switch self {
            case .noLocation: "no Location"
            case .malformedLocation: "malformed Location"
            case .forbiddenScheme: "not a WebSocket"
            case .losesEncryption: "from TLS to plain text"
            case .credentialsInLocation: "user and password in the Location"
            }
        }
    }

    /// Whether the status asks to go elsewhere.
    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Judges the answer of the server at `url`.
    static func judge(_ response: HTTPResponseHead, from url: WebSocketURL) throws(Refusal) -> HTTPRedirect {
        guard let location = response.fields.single("Location"), !location.isEmpty else { throw .noLocation }
        guard let relative = URIReference(location), let target = url.reference(location) else {
            throw .malformedLocation
        }
        // The network path of a UNIX socket is the socket itself.
        if relative.scheme == nil, relative.authority == nil, url.tunnelTarget == nil {
            return HTTPRedirect(url: url.with(path: target.path, query: target.query), leavesOrigin: false)
        }
        guard let scheme = target.scheme, ["ws", "wss", "http", "https"].contains(scheme) else {
            throw .forbiddenScheme
        }
        let next: WebSocketURL
        do throws(WebSocketURLError) { next = try WebSocketURL(target) } catch { throw .malformedLocation }
        guard next.isEncrypted || !url.isEncrypted else { throw .losesEncryption }
        guard next.credentials == nil else { throw .credentialsInLocation }
        guard next.hasSameOrigin(as: url) else { return HTTPRedirect(url: next, leavesOrigin: true) }
        return HTTPRedirect(url: url.with(path: target.path, query: target.query), leavesOrigin: false)
    }
}

extension HTTPFields {
    /// Without the fields that say who we are to the server that they were written for.
    func withoutCredentials() -> HTTPFields {
        without(["Authorization", "Cookie", "Cookie2", "Proxy-Authorization"])
    }
}
