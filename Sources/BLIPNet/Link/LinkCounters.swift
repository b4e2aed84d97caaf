// How much has gone over a link: counted where BLIP frames meet the WebSocket.

/// Frames and their bytes (as BLIP frames, before WebSocket and TLS add theirs), since the link was made.
public struct LinkCounters: Sendable, Equatable {
    public var framesSent: UInt64 = 0
    public var framesReceived: UInt64 = 0
    public var bytesSent: UInt64 = 0
    public var bytesReceived: UInt64 = 0

    /// By how many bytes compression has made the frames smaller; negative where it did not help.
    public var bytesSavedSent: Int64 = 0
    public var bytesSavedReceived: Int64 = 0

    package init() {}
}
