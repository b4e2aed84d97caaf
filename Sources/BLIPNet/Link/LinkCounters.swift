// How much has gone over a link: counted where BLIP frames meet the WebSocket.

/// Frames and their bytes (as BLIP frames, before WebSocket and TLS add theirs), since the link was made.
package struct LinkCounters: Sendable, Equatable {
    package var framesSent: UInt64 = 0
    package var framesReceived: UInt64 = 0
    package var bytesSent: UInt64 = 0
    package var bytesReceived: UInt64 = 0

    /// By how many bytes compression has made the frames smaller; negative where it did not help.
    package var bytesSavedSent: Int64 = 0
    package var bytesSavedReceived: Int64 = 0

    package init() {}
}
