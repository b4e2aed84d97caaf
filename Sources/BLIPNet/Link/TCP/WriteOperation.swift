// One write that waits until the kernel has its bytes.

/// The content that a caller of `TCPConnection.write` has given, and how far the write is.
struct WriteOperation {
    enum Content {
        case bytes([UInt8])
        /// The end of our direction.
        case end
        /// Nothing: the TLS handshake with this number comes next.
        case upgrade(UInt64)
    }

    let number: UInt64
    let content: Content
    var clock: OperationClock
    let meter: ProgressMeter?
    let waiter: Waiter<Void>?
    /// Bytes that the kernel has.
    var sent = 0
    /// Bytes that the kernel or TLS has: TLS cannot take them back.
    var taken = 0

    init(
        number: UInt64, content: Content, clock: OperationClock, meter: ProgressMeter? = nil,
        waiter: Waiter<Void>? = nil
    ) {
        self.number = number
        self.content = content
        self.clock = clock
        self.meter = meter
        self.waiter = waiter
    }

    var byteCount: Int {
        if case .bytes(let bytes) = content { return bytes.count }
        return 0
    }

    func finish(_ result: Result<Void, NetError>) {
        waiter?.resume(returning: result)
    }
}
