// The name of an installation that nobody can take: a hash of its public key, as text.

package import BLIPNet

/// Lower-case base32 (RFC 4648 section 6, no padding) of SHA-256 over the peer's SubjectPublicKeyInfo: 52 characters.
package struct PeerID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The 52 characters.
    package let text: String
    package let fingerprint: SPKIFingerprint

    package init(_ fingerprint: SPKIFingerprint) {
        self.fingerprint = fingerprint
        text = Base32.encode(fingerprint.bytes)
    }

    /// Reads the text form (either case); `nil` when it is not 52 characters of base32 for 32 bytes.
    package init?(_ text: String) {
        guard let bytes = Base32.decode(text), let fingerprint = SPKIFingerprint(bytes) else { return nil }
        self.init(fingerprint)
    }

    package var description: String { text }

    /// The order that decides which of two simultaneous links stays: by bytes.
    package static func < (left: Self, right: Self) -> Bool {
        left.fingerprint.bytes.lexicographicallyPrecedes(right.fingerprint.bytes)
    }
}
