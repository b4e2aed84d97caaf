// The identity that we have with a relay: another one for each relay, which follows from our key and tells nothing of it
// (REACH 2).

extension TLSIdentity {
    /// The mailbox of 32 bytes: an Ed25519 key in the one certificate that there is for it.
    package init(mailboxSeed seed: [UInt8]) throws(TLSError) {
        try self.init(
            TLSCredentials(seed: seed) { publicKey, sign throws(TLSError) in
                let named = RelayCertificate.head + publicKey
                // The key signs everything after the outer length.
                return named + RelayCertificate.tail + (try sign(Array(named.dropFirst(3))))
            })
    }

    /// The id by which a relay knows this identity.
    package var relayID: RelayID? { RelayID(certificate: credentials.certificate) }

    /// The 32 bytes of our mailbox with a relay. `slot` is 0, or 1 for the spare one; `generation` grows when our user wants
    /// a new one. `nil` when our key is not Ed25519.
    package func mailboxSeed(at relay: RelayID, generation: UInt32, slot: UInt8) -> [UInt8]? {
        guard var secret = credentials.secret else { return nil }
        defer { SecretMemory.wipe(&secret) }
        let number = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: generation >> UInt32($0)) }
        return KeyedDigest.derivedKey(
            from: secret, info: Array("blipchat mailbox 1".utf8) + relay.bytes + number + [slot])
    }

    /// Our mailbox with a relay, as `mailboxSeed` says.
    package func mailbox(at relay: RelayID, generation: UInt32, slot: UInt8) throws(TLSError) -> TLSIdentity {
        guard var seed = mailboxSeed(at: relay, generation: generation, slot: slot) else {
            throw .invalidIdentity(reason: "the private key is not an Ed25519 key")
        }
        defer { SecretMemory.wipe(&seed) }
        return try TLSIdentity(mailboxSeed: seed)
    }
}

/// The certificate of 206 bytes that surrounds the public key of a mailbox: version 3, serial number 1, Ed25519, the name
/// "blip" twice, 2020 to 9999 (RFC 5280, RFC 8410).
private enum RelayCertificate {
    /// Up to the public key.
    static let head: [UInt8] =
        [0x30, 0x81, 0xCB, 0x30, 0x7F, 0xA0, 0x03, 0x02, 0x01, 0x02, 0x02, 0x01, 0x01] + algorithm + name
        + [0x30, 0x20, 0x17, 0x0D] + Array("200101000000Z".utf8) + [0x18, 0x0F] + Array("99991231235959Z".utf8)
        + name + [0x30, 0x2A] + algorithm + [0x03, 0x21, 0x00]
    /// Between the public key and the signature.
    static let tail: [UInt8] = algorithm + [0x03, 0x41, 0x00]

    private static let algorithm: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70]
    private static let name: [UInt8] =
        [0x30, 0x0F, 0x31, 0x0D, 0x30, 0x0B, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0C, 0x04] + Array("blip".utf8)
}
