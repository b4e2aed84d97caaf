// The system's OpenSSL, as far as the whole process is concerned.

internal import COpenSSL

/// OpenSSL as a process has it, which every link and digest uses.
public enum OpenSSLLibrary {
    /// Keeps OpenSSL usable until the process is gone. By itself it frees its tables within exit(3), while the threads of
    /// links still encrypt and hash: a program that ended with links open crashed there now and then.
    ///
    /// For a program's first lines, before anything else uses OpenSSL; later it changes nothing. Source:
    /// OPENSSL_init_crypto(3), `OPENSSL_INIT_NO_ATEXIT`.
    public static func outliveExit() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
