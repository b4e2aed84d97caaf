// Where the bytes of streamed outgoing bodies come from. Implemented by users of BLIP, read by the outbox.

/// Where the bytes of a streamed outgoing body come from, in order. Called on the link's event loop only; it must not
/// block for longer than a disk read.
public protocol BodySource: AnyObject, Sendable {
    /// Fills the front of `buffer` and returns how many bytes it wrote; 0 means the end of the body.
    ///
    /// Throwing fails the request, or turns the response into error 501. BLIP cannot take back a message whose first
    /// frame was sent, and ending it would make a piece look like the whole: it is left without an end, and the
    /// peer drops it after its time-out for unfinished messages.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
