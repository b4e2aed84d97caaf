// What identifies a peer: a hash of its public key.

/// SHA-256 over a certificate's SubjectPublicKeyInfo (DER), 32 bytes. Names and dates in certificates play no part.
public struct SPKIFingerprint: Sendable, Hashable {
    public let bytes: [UInt8]

    /// Fails unless there are exactly 32 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Reads 64 hexadecimal digits, as `openssl pkey -pubin -outform DER | sha256sum` prints them.
    package init?(hex: String) {
        guard let bytes = [UInt8](hex: hex) else { return nil }
        self.init(bytes)
    }
}
