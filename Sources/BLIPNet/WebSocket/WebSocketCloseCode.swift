// The numbers in close frames (RFC 6455 section 7.4 and the IANA registry), and the payload that carries them.

/// Close codes, as the plain numbers that the link reports.
public enum WebSocketCloseCode {
    public static let normal: UInt16 = 1000
    public static let goingAway: UInt16 = 1001
    static let protocolError: UInt16 = 1002
    public static let unsupportedData: UInt16 = 1003
    /// Never on the wire: the peer's close frame carried no code.
    package static let none: UInt16 = 1005
    static let invalidData: UInt16 = 1007
    public static let policyViolation: UInt16 = 1008
    public static let tooLarge: UInt16 = 1009
    public static let internalError: UInt16 = 1011

    /// Whether a close frame may carry `code`: the assigned ones (1004, 1005, 1006 and 1015 are not for the wire),
    /// and the ranges for libraries (3000) and applications (4000).
    package static func isAllowedOnWire(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// The payload of a close frame: nothing, or a code and a reason of at most 123 bytes.
struct WebSocketClosePayload: Equatable {
    /// `WebSocketCloseCode.none` when the payload is empty.
    var code: UInt16
    var reason: String

    init(code: UInt16, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Reads what a peer sent.
    init(parsing bytes: [UInt8]) throws(WebSocketViolation) {
        guard !bytes.isEmpty else {
            self.init(code: WebSocketCloseCode.none, reason: "")
            return
        }
        guard bytes.count >= 2 else { throw WebSocketViolation(reason: "close frame with one byte") }
        let code = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
        guard WebSocketCloseCode.isAllowedOnWire(code) else {
            throw WebSocketViolation(reason: "close frame with forbidden code \(code)")
        }
        guard let reason = String(validating: bytes[2...], as: UTF8.self) else {
            throw WebSocketViolation(
                closeCode: WebSocketCloseCode.invalidData, reason: "close reason is not UTF-8")
        }
        self.init(code: code, reason: reason)
    }

    /// The bytes to send: a reason that is too long is cut at the border of a scalar.
    var bytes: [UInt8] {
        guard code != WebSocketCloseCode.none else { return [] }
        var bytes = [UInt8(code >> 8), UInt8(code & 0xFF)]
        for scalar in reason.unicodeScalars {
            let encoded = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            guard bytes.count + encoded.count <= WebSocketFrameHeader.maxControlPayload else { break }
            bytes.append(contentsOf: encoded)
        }
        return bytes
    }
}
