// An onion service of ours: a key of its own that follows from the identity's key and tells nothing of it (REACH 2).

internal import COpenSSL

/// A service of version 3 (Tor's rend-spec-v3).
package struct OnionService: Sendable, Equatable {
    /// The name without `.onion`: 56 characters.
    package let id: String
    /// The expanded key (RFC 8032 section 5.1.5), 64 bytes: a secret.
    let expandedKey: [UInt8]

    /// `seed`: 32 bytes. `nil` where they are not, or where OpenSSL cannot do it.
    package init?(seed: [UInt8]) {
        guard seed.count == 32, let publicKey = Self.publicKey(of: seed), let name = OnionKey.name(of: publicKey) else {
            return nil
        }
        var key = [UInt8](repeating: 0, count: 64)
        var count: UInt32 = 0
        guard EVP_Digest(seed, seed.count, &key, &count, EVP_sha512(), nil) == 1, count == 64 else { return nil }
        key[0] &= 248
        key[31] = key[31] & 127 | 64
        expandedKey = key
        id = Base32.encode(name)
    }

    /// The host that contacts call.
    package var host: String { id + ".onion" }

    private static func publicKey(of seed: [UInt8]) -> [UInt8]? {
        OpenSSLErrorQueue.clear()
        guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else { return nil }
        defer { EVP_PKEY_free(key) }
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = bytes.count
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == bytes.count else { return nil }
        return bytes
    }
}

extension TLSIdentity {
    /// The 32 bytes of our onion service; `nil` when our key is not Ed25519. `generation` grows when our user wants a new one.
    package func onionSeed(generation: UInt32) -> [UInt8]? {
        guard var secret = credentials.secret else { return nil }
        defer { SecretMemory.wipe(&secret) }
        let number = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: generation >> UInt32($0)) }
        return KeyedDigest.derivedKey(from: secret, info: Array("blipchat onion 1".utf8) + number)
    }

    /// Our onion service, as `onionSeed` says.
    package func onionService(generation: UInt32) -> OnionService? {
        guard var seed = onionSeed(generation: generation) else { return nil }
        defer { SecretMemory.wipe(&seed) }
        return OnionService(seed: seed)
    }
}
