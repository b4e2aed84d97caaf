// How much a server may make an HTTP client hold.

/// The limits of one response.
struct HTTPLimits: Sendable, Equatable {
    /// Bytes of all heads of a response, interim ones and the trailer included.
    var maxHeadBytes = 16_384
    /// Fields of a head.
    var maxHeadFields = 100
    /// Bytes of a body, after the chunks are put together.
    var maxBodyBytes = 16 << 20
}
