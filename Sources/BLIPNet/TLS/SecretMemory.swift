// Overwrites what was secret, so that it is not found later in memory that somebody else gets, or in a swap disk.

internal import COpenSSL

/// Wiping by a call that no compiler leaves out (OPENSSL_cleanse(3)).
package enum SecretMemory {
    /// Overwrites the bytes and lets go of them. Copies that were made before are not known here.
    package static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
        bytes = []
    }

    /// Overwrites the text in place, with every copy that shares its storage: for a text that nobody else has any more.
    package static func wipe(_ text: inout String) {
        text.withUTF8 { OPENSSL_cleanse(UnsafeMutableRawPointer(mutating: $0.baseAddress), $0.count) }
        text = ""
    }
}
