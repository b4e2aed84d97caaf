// The tag that a machine shows to its neighbours so that contacts recognise it, and nobody else does (REACH 5). Pure.

import BLIPNet

/// Eight bytes.
struct LANTag: Sendable, Hashable, CustomStringConvertible {
    static let byteCount = 8
    let bytes: [UInt8]

    /// Of a peer in one hour.
    init(of peer: PeerID, hour: Int64) {
        let number = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: hour >> Int64($0)) }
        let digest = KeyedDigest.hmac(Array("blipchat lan 1\0".utf8) + number, key: peer.fingerprint.bytes)
        bytes = Array(digest.prefix(Self.byteCount))
    }

    /// Of whoever waits for those who say some words.
    init(mailbox: RelayID) { bytes = Array(mailbox.bytes.prefix(Self.byteCount)) }

    /// Reads 16 small hexadecimal digits.
    init?(_ text: some StringProtocol) {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in text.utf8 {
            guard let value = Self.value(of: digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        guard high == nil, bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    var description: String {
        bytes.map { byte in [byte >> 4, byte & 15].map { String($0, radix: 16) }.joined() }.joined()
    }

    /// The hour since 1970 in which a tag holds.
    static func hour(of time: Timestamp) -> Int64 {
        let (hour, remainder) = time.milliseconds.quotientAndRemainder(dividingBy: 3_600_000)
        return remainder < 0 ? hour - 1 : hour
    }
}
