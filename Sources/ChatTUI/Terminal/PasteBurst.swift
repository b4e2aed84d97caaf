// Tells a paste from typing on terminals that do not mark pastes: nobody types three keys within 5 ms.

/// What came in during the last moments. Characters are typed as they come; it is the line end among them that must
/// not act as Enter.
struct PasteBurst {
    /// A pause of this length ends a burst.
    static let pause = Duration.milliseconds(5)

    private var last: ContinuousClock.Instant?
    /// Characters without a pause between them, up to now.
    private var count = 0
    /// A line end has come within this burst: whatever follows without a pause is pasted, too.
    private var isPasting = false

    /// Takes what one read returned. True when it is a paste or the continuation of one.
    mutating func isPaste(_ bytes: [UInt8], now: ContinuousClock.Instant) -> Bool {
        if last.map({ now - $0 >= Self.pause }) ?? true {
            count = 0
            isPasting = false
        }
        last = now
        guard !bytes.contains(0x1B) else {
            count = 0
            isPasting = false
            return false
        }
        let isLineEnd = { (byte: UInt8) in byte == 0x0D || byte == 0x0A }
        count += bytes.count
        let onlyLineEnds = bytes.allSatisfy(isLineEnd)
        // Enter held down repeats, but never that fast; a lone burst of them is no text either.
        if count >= 3, bytes.contains(where: isLineEnd), !(onlyLineEnds && count == bytes.count) { isPasting = true }
        return isPasting
    }
}
