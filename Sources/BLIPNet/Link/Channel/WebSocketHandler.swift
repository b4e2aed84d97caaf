// The object that takes the messages of a channel as they come, without waiting and without copies.

/// Takes messages on the event loop of the channel. Every call holds up this channel and its neighbours on the loop
/// until it returns; a user that wants to wait uses `WebSocketChannel.receive` instead.
///
/// The replies given to `channel.reply` during a call go out together, after it. When the peer does not take the
/// replies, the channel stops reading, so that replies never pile up.
public protocol WebSocketHandler: AnyObject, Sendable {
    /// A whole message. `payload` is the receive buffer itself: it is valid during the call only.
    func received(
        _ kind: WebSocketMessageKind, _ payload: UnsafeRawBufferPointer, on channel: isolated WebSocketChannel)

    /// The connection has ended; nothing is called after this.
    func closed(_ reason: LinkError, on channel: isolated WebSocketChannel)
}

extension WebSocketHandler {
    public func closed(_ reason: LinkError, on channel: isolated WebSocketChannel) {}
}
