// Which side of a TLS handshake.

public enum TLSRole: Sendable, Equatable {
    case client
    case server
}
