// The number that two people compare to be sure of each other's key (RELIABILITY D12).

import BLIPNet

/// 60 digits: 30 from each key, the smaller half first, so that both sides show the same.
package enum SafetyNumber {
    /// Repeated hashing makes it dear to search for a key whose 30 digits are like somebody else's.
    private static let rounds = 5200

    /// 12 groups of 5 digits. Takes some milliseconds.
    package static func groups(_ first: PeerID, _ second: PeerID) -> [String] {
        let halves = [half(first), half(second)].sorted { $0.lexicographicallyPrecedes($1) }
        return halves[0] + halves[1]
    }

    /// Six groups of five digits for one key.
    private static func half(_ id: PeerID) -> [String] {
        let fingerprint = id.fingerprint.bytes
        var hash = SHA256Digest.hash(Array("blipchat safety number 1".utf8) + fingerprint)
        for _ in 0..<rounds { hash = SHA256Digest.hash(hash + fingerprint) }
        return stride(from: 0, to: 30, by: 5).map { start in
            // Five bytes (40 bits) make one group: the bias of the remainder is below 10^-7.
            let value = hash[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let digits = String(value % 100_000)
            return String(repeating: "0", count: 5 - digits.utf8.count) + digits
        }
    }
}
