// The cookies of one client: polling gets them, and the WebSocket that follows shows them (RFC 6265 section 5.3 and 5.4).

/// Keeps cookies for as long as they are good.
struct HTTPCookieJar: Sendable, Equatable {
    /// In the order in which they were first set.
    private(set) var cookies: [HTTPCookie] = []

    /// How many are kept; a further one takes the place of the oldest.
    private static let maxCount = 50

    /// Takes what the server of `url` has set in an answer. `now` is in seconds since 1970.
    mutating func take(_ fields: HTTPFields, from url: WebSocketURL, now: Int64) {
        for value in fields.values("Set-Cookie").prefix(Self.maxCount) {
            guard let cookie = HTTPCookie(value, from: url, now: now) else { continue }
            if let index = cookies.firstIndex(where: { cookie.replaces($0) }) {
                // A plain connection does not overwrite what came over TLS.
                guard url.isEncrypted || !cookies[index].isSecure else { continue }
                cookies[index] = cookie
            } else {
                cookies.append(cookie)
            }
        }
        removeExpired(now: now)
        if cookies.count > Self.maxCount { cookies.removeFirst(cookies.count - Self.maxCount) }
    }

    /// The value of the `Cookie` field of a request to `url`; `nil` when there is none.
    mutating func header(for url: WebSocketURL, now: Int64) -> String? {
        guard case .host(let name, _) = url.endpoint else { return nil }
        removeExpired(now: now)
        let host = HTTPCookie.lowercased(name)
        let fitting = cookies.filter { cookie in
            cookie.isFor(host: host) && cookie.isFor(target: url.target) && (url.isEncrypted || !cookie.isSecure)
        }
        // Longer paths go first; the sort keeps the order of the others.
        let sorted = fitting.sorted { $0.path.utf8.count > $1.path.utf8.count }
        return sorted.isEmpty ? nil : sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    private mutating func removeExpired(now: Int64) {
        cookies.removeAll { cookie in cookie.expires.map { $0 <= now } ?? false }
    }
}
