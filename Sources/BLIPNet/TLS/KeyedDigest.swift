// HMAC (RFC 2104) and HKDF (RFC 5869) with SHA-256, scrypt (RFC 7914): keys that follow from other keys and from words,
// and proofs of knowing one.

internal import COpenSSL

/// Digests that only who has the key can make.
package enum KeyedDigest {
    /// HMAC-SHA256: 32 bytes.
    package static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: SHA256Digest.byteCount) { buffer, count in
            var length: UInt32 = 0
            let digest = HMAC(
                EVP_sha256(), key, Int32(clamping: key.count), message, message.count, buffer.baseAddress, &length)
            precondition(digest != nil && length == SHA256Digest.byteCount, "this OpenSSL has no HMAC-SHA256")
            count = SHA256Digest.byteCount
        }
    }

    /// HKDF without a salt: a key of 32 bytes that follows from `secret` and tells nothing of it. Somebody with the key
    /// for one `info` cannot make the key for another.
    package static func derivedKey(from secret: [UInt8], info: [UInt8]) -> [UInt8] {
        // Zeros replace the missing salt (section 2.2); 32 bytes are one block (section 2.3).
        let pseudorandom = hmac(secret, key: [UInt8](repeating: 0, count: SHA256Digest.byteCount))
        return hmac(info + [1], key: pseudorandom)
    }

    /// scrypt: bytes that follow from something that could be guessed, at the price of time and of 128 * `cost` *
    /// `blockSize` bytes of memory for each guess. `cost` is a power of two. `nil`: there is not so much memory.
    package static func slowKey(
        from secret: [UInt8], salt: [UInt8], cost: UInt64, blockSize: UInt64, byteCount: Int
    ) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let isMade = secret.withUnsafeBytes { secret in
            EVP_PBE_scrypt(
                secret.bindMemory(to: CChar.self).baseAddress, secret.count, salt, salt.count, cost, blockSize, 1,
                256 << 20, &bytes, byteCount)
        }
        return isMade == 1 ? bytes : nil
    }

    /// Compares without telling by its time how much is equal.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
