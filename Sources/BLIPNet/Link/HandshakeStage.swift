// How far a caller has come on the way to an open connection: what a listener needs to know of it.

/// The stages of a handshake, in their order. A plain connection has no `heard` and no `greeted`: its first bytes are
/// those of the layer above.
enum HandshakeStage: Int, Sendable, Comparable {
    /// Nothing has come.
    case silent
    /// Bytes have come, but no whole ClientHello.
    case heard
    /// A whole ClientHello has come and was admitted.
    case greeted
    /// TLS is done on our side: the peer has shown its key.
    case secured
    /// Everything is done, or the connection is over.
    case open

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
