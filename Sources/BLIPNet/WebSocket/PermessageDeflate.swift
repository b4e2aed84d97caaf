// Compression of WebSocket messages (RFC 7692): what we want of it, and what both sides have agreed on.

/// The parameters of permessage-deflate (RFC 7692 section 7.1) and how we use it.
///
/// In the options of a client it is an offer; in those of a server the most that is agreed to. A connection's
/// `deflate` has what was agreed on.
public struct PermessageDeflate: Sendable, Equatable {
    /// The server begins each message with an empty window: worse compression, less memory at rest.
    /// A client that offers it demands it; a server that has it set always answers so.
    var serverNoContextTakeover: Bool
    /// The same for what the client sends. A client that offers it promises it; a server that has it set demands it.
    var clientNoContextTakeover: Bool
    /// How far back, as a power of two (8...15), what the server sends may refer to.
    /// Below 15 a client demands it, and a server keeps to it by itself.
    var serverMaxWindowBits: Int
    /// The same for what the client sends. Below 15 a client keeps to it by itself, and a server asks for it.
    var clientMaxWindowBits: Int
    /// How hard we try, 1 (fast) to 9 (small); nothing that the peer sees.
    public var level: Int
    /// How much memory our compressor uses, 1...9: 256 KiB for 8, half as much for each step less.
    var memoryLevel: Int
    /// Messages with fewer bytes are sent as they are.
    public var threshold: Int

    public init(
        serverNoContextTakeover: Bool = false, clientNoContextTakeover: Bool = false, serverMaxWindowBits: Int = 15,
        clientMaxWindowBits: Int = 15, level: Int = 3, memoryLevel: Int = 8, threshold: Int = 32
    ) {
        precondition((8...15).contains(serverMaxWindowBits) && (8...15).contains(clientMaxWindowBits), "8...15 bits")
        precondition((1...9).contains(level) && (1...9).contains(memoryLevel), "levels are 1...9")
        self.serverNoContextTakeover = serverNoContextTakeover
        self.clientNoContextTakeover = clientNoContextTakeover
        self.serverMaxWindowBits = serverMaxWindowBits
        self.clientMaxWindowBits = clientMaxWindowBits
        self.level = level
        self.memoryLevel = memoryLevel
        self.threshold = threshold
    }

    /// The compressor of one side, with these parameters agreed on.
    func makeDeflater(for role: WebSocketConnection.Role) -> MessageDeflater {
        MessageDeflater(
            level: level, windowBits: role == .server ? serverMaxWindowBits : clientMaxWindowBits,
            memoryLevel: memoryLevel,
            resetsAfterMessage: role == .server ? serverNoContextTakeover : clientNoContextTakeover)
    }

    /// The decompressor of one side, with these parameters agreed on.
    func makeInflater(for role: WebSocketConnection.Role) -> MessageInflater {
        MessageInflater(resetsAfterMessage: role == .server ? clientNoContextTakeover : serverNoContextTakeover)
    }
}
