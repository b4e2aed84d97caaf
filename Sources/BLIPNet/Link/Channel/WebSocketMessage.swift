// A whole WebSocket message as a value, for those who use a channel with `await`.

/// A message from one side to the other. Text is UTF-8 on the wire, and checked when it comes in.
public enum WebSocketMessage: Sendable, Equatable {
    case text(String)
    case binary([UInt8])

    public var kind: WebSocketMessageKind {
        switch self {
        case .text: .text
        case .binary: .binary
        }
    }

    /// Bytes of the payload.
    public var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }

    /// Copies a payload out of a connection, which has checked that text is UTF-8.
    init(_ kind: WebSocketMessageKind, _ payload: UnsafeRawBufferPointer) {
        switch kind {
        case .text: self = .text(String(decoding: payload, as: UTF8.self))
        case .binary: self = .binary(Array(payload))
        }
    }

    /// Reads the payload in place.
    func withPayload<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .text(var text): text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        case .binary(let bytes): bytes.withUnsafeBytes(body)
        }
    }
}
