// A TLS handshake that waits for its turn on a connection, or is running.

/// One call of `TCPConnection.upgradeToTLS`.
struct TLSUpgrade {
    let number: UInt64
    let configuration: TLSConfiguration
    let role: TLSRole
    let clock: OperationClock
    let waiter: Waiter<Void>
    /// The handshake has begun.
    var isRunning = false
    /// The question about the peer's certificate has been passed on.
    var hasAsked = false
}
