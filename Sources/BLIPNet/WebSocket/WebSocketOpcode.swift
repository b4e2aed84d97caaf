// The types of WebSocket frames (RFC 6455 section 5.2), and of messages made of data frames.

/// The four-bit opcode of a frame. The values that are missing here are reserved and refused.
package enum WebSocketOpcode: UInt8, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Control frames are at most 125 bytes long, never fragmented, and may come between the fragments of a message.
    package var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The type of a whole message.
public enum WebSocketMessageKind: Sendable {
    /// UTF-8, checked before it is delivered.
    case text
    case binary

    var opcode: WebSocketOpcode {
        switch self {
        case .text: .text
        case .binary: .binary
        }
    }
}
