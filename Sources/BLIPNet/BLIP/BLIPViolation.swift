// A peer broke the protocol, or a limit, in a way that ends the connection.

/// Why the connection must be closed, in the words of a WebSocket close frame (PROTOCOL 3.2).
package struct BLIPViolation: Error, Sendable, Equatable {
    /// 1002 (bad frame, checksum, number), 1008 (a limit) or 1009 (too large).
    var closeCode: UInt16
    /// At most 123 bytes.
    package var reason: String

    package init(closeCode: UInt16, reason: String) {
        self.closeCode = closeCode
        self.reason = reason
    }

    static func badFrame(_ reason: String) -> Self { Self(closeCode: 1002, reason: reason) }
    static func limit(_ reason: String) -> Self { Self(closeCode: 1008, reason: reason) }
    static func tooLarge(_ reason: String) -> Self { Self(closeCode: 1009, reason: reason) }
}
