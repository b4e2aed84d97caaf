// The name of an onion service, which is its public key with a check sum.

internal import COpenSSL

/// Names of version 3 (Tor's rend-spec-v3, section 6): 32 bytes of key, 2 of check sum, 1 of version.
package enum OnionKey {
    /// Whether these 35 bytes are a name: a slip of the pen is not.
    package static func isValid(_ name: [UInt8]) -> Bool {
        guard name.count == 35, name[34] == 3 else { return false }
        let checked = Array(".onion checksum".utf8) + name[..<32] + [3]
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        guard EVP_Digest(checked, checked.count, &digest, &count, EVP_sha3_256(), nil) == 1 else { return false }
        return digest.prefix(2).elementsEqual(name[32..<34])
    }
}
