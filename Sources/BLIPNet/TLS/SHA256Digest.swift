// SHA-256 (FIPS 180-4) by OpenSSL, for fingerprints and for files while they stream.

internal import COpenSSL

/// A digest that is fed in pieces. Confined to one owner.
package final class SHA256Digest {
    /// Bytes of a finished digest.
    package static let byteCount = 32

    private let context: OpaquePointer

    package init() {
        context = Self.makeContext()
        precondition(EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1, "this OpenSSL has no SHA-256")
    }

    private init(copying other: OpaquePointer) {
        context = Self.makeContext()
        precondition(EVP_MD_CTX_copy_ex(context, other) == 1, "OpenSSL is out of memory")
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Takes the next bytes.
    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        precondition(EVP_DigestUpdate(context, base, bytes.count) == 1, "OpenSSL failed to digest")
    }

    /// An independent digest of the same bytes so far.
    package func copy() -> SHA256Digest { SHA256Digest(copying: context) }

    /// The 32 bytes of the digest of all bytes so far. More may follow afterwards.
    package func finish() -> [UInt8] {
        let last = copy()
        return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            precondition(EVP_DigestFinal_ex(last.context, buffer.baseAddress, nil) == 1, "OpenSSL failed to digest")
            count = Self.byteCount
        }
    }

    /// The digest of bytes that are in memory.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        let digest = SHA256Digest()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }

    private static func makeContext() -> OpaquePointer {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("OpenSSL is out of memory") }
        return context
    }
}
