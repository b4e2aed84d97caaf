// A peer's violation of RFC 6455 or of our limits.

/// Ends the connection: the close code that the peer gets, and a text for its programmer (ASCII, below 123 bytes).
package struct WebSocketViolation: Error, Sendable, Equatable {
    var closeCode: UInt16
    package var reason: String

    package init(closeCode: UInt16 = WebSocketCloseCode.protocolError, reason: String) {
        self.closeCode = closeCode
        self.reason = reason
    }
}
