// The system's OpenSSL, as far as the whole process is concerned.

internal import COpenSSL

/// OpenSSL as a process has it, which every link and digest uses.
package enum OpenSSLLibrary {
    /// Keeps OpenSSL usable until the process is gone. By itself it frees its tables within exit(3), while the threads of
    /// links still encrypt and hash: a program that ended with links open crashed there now and then.
    ///
    /// For a program's first lines, before anything else uses OpenSSL; later it changes nothing. Source:
    /// OPENSSL_init_crypto(3), `OPENSSL_INIT_NO_ATEXIT`.
    package static func outliveExit() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }

    /// Private keys are kept from now on in pages of their own that are never written to a swap disk or a core, between two
    /// that nobody can read, and are wiped when they are freed (OPENSSL_secure_malloc(3)). To be called before any key is
    /// made or read. Where the system lets us lock no memory, the rest of it still holds.
    package static func lockKeys() {
        // A key of Ed25519 takes 64 bytes, one of RSA some thousand. Each link keeps the key of its handshake, 32 bytes, for as
        // long as it lasts, and where there is no room nobody gets in: this is enough for 30,000. Only pages in use take memory.
        _ = CRYPTO_secure_malloc_init(1 << 20, 32)
    }

    /// Whether keys have those pages.
    package static var locksKeys: Bool { CRYPTO_secure_malloc_initialized() == 1 }
}
