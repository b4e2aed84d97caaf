// Unpredictable masking keys (RFC 6455 section 10.3), drawn in batches: a system call per frame would cost more than
// the masking itself.

/// Hands out masking keys from injected randomness.
struct MaskKeySource: Sendable {
    private static let batchSize = 256
    private let random: RandomSource
    private var keys: [UInt32] = []
    private var used = 0

    init(random: RandomSource) { self.random = random }

    /// The next key.
    mutating func next() -> WebSocketMask {
        if used == keys.count {
            if keys.isEmpty { keys = Array(repeating: 0, count: Self.batchSize) }
            let fill = random.fill
            keys.withUnsafeMutableBytes { fill($0) }
            used = 0
        }
        defer { used += 1 }
        return WebSocketMask(key: keys[used])
    }
}
