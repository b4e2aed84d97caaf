// Where the bytes of streamed incoming bodies go. Implemented by users of BLIP, written by the inbox.

/// Where the bytes of a streamed incoming body go, in order and unpacked. Called on the link's event loop only; it must
/// not block for longer than a disk write. The bytes are acknowledged to the peer after `write` has returned.
public protocol BodySink: AnyObject, Sendable {
    /// Takes the next bytes; the pointer is valid only during the call. Throwing abandons the message.
    func write(_ bytes: UnsafeRawBufferPointer) throws

    /// Nothing more will be written, called once: the body is complete (`nil`), or why there will be no more of it.
    /// An error response writes nothing into the sink of its request and ends it with `LinkError.bodyFailed`.
    func bodyEnded(_ failure: LinkError?)
}

extension BodySink {
    public func bodyEnded(_ failure: LinkError?) {}
}

/// A sink that keeps what was written until a slow consumer takes it, somewhere else and later.
///
/// Bytes are acknowledged to the peer when they have been taken, so that a slow consumer slows its own message and no
/// other, and no more waits for it than the peer's send window (`BLIPLimits.sendWindow`). In a dialect without
/// acknowledgements reading from the transport pauses instead (`BLIPLimits.maxUntakenBytes`), and with it everything
/// that comes on this connection: there a consumer must not wait for something else on the same link.
/// `BLIPBodyStream` has such a sink ready.
public protocol DeferredBodySink: BodySink {
    /// Bytes that were written and that the consumer has not taken.
    var untakenBytes: Int { get }

    /// Called once, before the first `write`: from now on the sink calls `taken`, on any thread, whenever
    /// `untakenBytes` has become smaller outside of `write`.
    func whenTaken(_ taken: @escaping @Sendable () -> Void)
}
