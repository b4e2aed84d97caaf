// The URLs of a client's requests, for the wire and for the log.

/// Makes targets from what the session wants to ask and what its user adds.
struct SocketIOTarget: Sendable {
    private let url: WebSocketURL
    private let path: String
    /// The options' part of the query; the URL's own, `ownQuery`, precedes it.
    private let query: [(name: String, value: String)]
    private let ownQuery: String?

    /// The query items whose values the log shows; the values of all others may be secrets.
    private static let plainNames = ["EIO", "transport", "b64"]

    init(_ options: SocketIOOptions) {
        url = options.url
        path = options.path
        query = options.query
        ownQuery = options.url.target.firstIndex(of: "?").map { String(options.url.target[$0...].dropFirst()) }
    }

    /// The server, for a client that has a target in each request.
    var origin: WebSocketURL { url.with(target: "/") }

    /// Where a request with these items goes.
    func url(_ items: [EngineIOQueryItem]) -> WebSocketURL { url.with(target: target(items)) }

    func target(_ items: [EngineIOQueryItem]) -> String {
        var parts = items.map(\.encoded)
        if let ownQuery, !ownQuery.isEmpty { parts.append(ownQuery) }
        parts += query.map { EngineIOQueryItem($0.name, $0.value).encoded }
        return "\(path)?" + parts.joined(separator: "&")
    }

    /// The same with `***` in place of everything that may be a secret.
    func redacted(_ items: [EngineIOQueryItem]) -> String {
        var parts = items.map { Self.plainNames.contains($0.name) ? $0.encoded : "\($0.name)=***" }
        for part in (ownQuery ?? "").split(separator: "&") { parts.append("\(part.prefix { $0 != "=" })=***") }
        parts += query.map { "\($0.name)=***" }
        return "\(path)?" + parts.joined(separator: "&")
    }
}
