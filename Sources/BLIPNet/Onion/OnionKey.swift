// The name of an onion service, which is its public key with a check sum.

internal import COpenSSL

/// Names of version 3 (Tor's rend-spec-v3, section 6): 32 bytes of key, 2 of check sum, 1 of version.
package enum OnionKey {
    /// Whether these 35 bytes are a name: a mistyped one is not.
    package static func isValid(_ name: [UInt8]) -> Bool {
        name.count == 35 && Self.name(of: Array(name.prefix(32))) == name
    }

    /// The 35 bytes of the name for a public key of 32 bytes; `nil` for anything else.
    package static func name(of publicKey: [UInt8]) -> [UInt8]? {
        guard publicKey.count == 32 else { return nil }
        let checked = Array(".onion checksum".utf8) + publicKey + [3]
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        guard EVP_Digest(checked, checked.count, &digest, &count, EVP_sha3_256(), nil) == 1 else { return nil }
        return publicKey + digest.prefix(2) + [3]
    }
}
