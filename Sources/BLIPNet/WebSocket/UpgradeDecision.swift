// The decision of a server's application about an upgrade request (SOCKETS C5).

/// The answer to `WebSocketEvent.upgradeRequested`.
public enum UpgradeDecision: Sendable, Equatable {
    /// Becomes a WebSocket. `subprotocol` must be one that the client has offered; `nil` chooses by the server's options.
    /// `fields` are added to the answer (cookies, say).
    case accept(subprotocol: String? = nil, fields: HTTPFields = HTTPFields())
    /// An HTTP answer with a status of 300 to 599 and `reason` as its text. Another status becomes 500.
    case refuse(status: Int, reason: String = "", fields: HTTPFields = HTTPFields())

    /// Sends the client to another URL, with 307 or another status from 300 to 399.
    public static func redirect(to location: String, status: Int = 307) -> UpgradeDecision {
        var fields = HTTPFields()
        fields.append(name: "Location", value: location)
        return .refuse(status: status, reason: "see \(location)", fields: fields)
    }
}
