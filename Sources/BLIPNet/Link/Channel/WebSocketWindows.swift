// How much may wait in a channel between the wire and its user.

/// The back-pressure of one channel, in bytes of payload.
package struct WebSocketWindows: Sendable, Equatable {
    /// Messages that nobody has taken yet. With so many bytes waiting, nothing more is read, so that TCP slows the
    /// other end down; the last message may go beyond it.
    package var receive = 1 << 20
    /// Messages that wait for the wire. With so many, `send` waits, and a handler gets no further message; the last
    /// one may go beyond it.
    package var send = 256 << 10

    package init() {}
}
