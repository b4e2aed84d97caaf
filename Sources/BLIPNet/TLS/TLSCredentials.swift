// A private key and its certificate as OpenSSL objects: made, read from PEM and written to it.

internal import COpenSSL

/// Owns one key, its certificate and the certificates of those who vouch for it. Nothing of them is changed once they
/// are complete, and OpenSSL counts references from any thread, so they may be shared.
final class TLSCredentials: Sendable {
    nonisolated(unsafe) let key: OpaquePointer
    nonisolated(unsafe) let certificate: OpaquePointer
    /// The certificates that a peer may need to get from ours to one that it trusts.
    nonisolated(unsafe) let issuers: [OpaquePointer]

    private init(key: OpaquePointer, certificate: OpaquePointer, issuers: [OpaquePointer] = []) {
        self.key = key
        self.certificate = certificate
        self.issuers = issuers
    }

    deinit {
        EVP_PKEY_free(key)
        X509_free(certificate)
        for issuer in issuers { X509_free(issuer) }
    }

    // MARK: Making

    /// A new Ed25519 key with a self-signed certificate. Names and dates play no part in a link, so they tell
    /// nothing: the certificates of a program have the same name and the same dates.
    static func generate(commonName: String) throws(TLSError) -> TLSCredentials {
        OpenSSLErrorQueue.clear()
        let key = try generateKey()
        guard let certificate = X509_new() else {
            EVP_PKEY_free(key)
            throw OpenSSLErrorQueue.failure(of: "X509_new")
        }
        let credentials = TLSCredentials(key: key, certificate: certificate)
        try credentials.fillCertificate(commonName: commonName)
        // Ed25519 hashes by itself: no digest here.
        guard X509_sign(certificate, key, nil) > 0 else { throw OpenSSLErrorQueue.failure(of: "X509_sign") }
        return credentials
    }

    /// The Ed25519 key of 32 bytes with a certificate that `certify` makes for its public key and with what signs for it.
    convenience init(
        seed: [UInt8],
        certify: (_ publicKey: [UInt8], _ sign: ([UInt8]) throws(TLSError) -> [UInt8]) throws(TLSError) -> [UInt8]
    ) throws(TLSError) {
        OpenSSLErrorQueue.clear()
        guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else {
            throw OpenSSLErrorQueue.failure(of: "EVP_PKEY_new_raw_private_key")
        }
        let certificate: OpaquePointer
        do throws(TLSError) {
            let encoded = try certify(try Self.publicKey(of: key)) { content throws(TLSError) in
                try Self.signature(of: content, by: key)
            }
            let parsed = encoded.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                return d2i_X509(nil, &position, bytes.count)
            }
            guard let parsed else { throw OpenSSLErrorQueue.failure(of: "d2i_X509") }
            certificate = parsed
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        self.init(key: key, certificate: certificate)
    }

    /// Bytes of the key itself, for what is derived from it; `nil` for a kind of key that has none.
    var secret: [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = bytes.count
        guard EVP_PKEY_get_raw_private_key(key, &bytes, &count) == 1, count == bytes.count else {
            OpenSSLErrorQueue.clear()
            return nil
        }
        return bytes
    }

    private static func publicKey(of key: OpaquePointer) throws(TLSError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = bytes.count
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == bytes.count else {
            throw OpenSSLErrorQueue.failure(of: "EVP_PKEY_get_raw_public_key")
        }
        return bytes
    }

    private static func signature(of content: [UInt8], by key: OpaquePointer) throws(TLSError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw OpenSSLErrorQueue.failure(of: "EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        var bytes = [UInt8](repeating: 0, count: 64)
        var count = bytes.count
        // Ed25519 hashes by itself: no digest here.
        guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
            EVP_DigestSign(context, &bytes, &count, content, content.count) == 1, count == bytes.count
        else { throw OpenSSLErrorQueue.failure(of: "EVP_DigestSign") }
        return bytes
    }

    private static func generateKey() throws(TLSError) -> OpaquePointer {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil) else {
            throw OpenSSLErrorQueue.failure(of: "EVP_PKEY_CTX_new_id")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) > 0, EVP_PKEY_keygen(context, &key) > 0, let key else {
            throw OpenSSLErrorQueue.failure(of: "EVP_PKEY_keygen")
        }
        return key
    }

    private func fillCertificate(commonName: String) throws(TLSError) {
        // 16 random bytes, positive and without a leading zero, as RFC 5280 section 4.1.2.2 wants a serial number.
        var serial = RandomSource.system.bytes(16)
        serial[0] = serial[0] & 0x3F | 0x40
        guard let number = BN_bin2bn(serial, Int32(serial.count), nil) else {
            throw OpenSSLErrorQueue.failure(of: "BN_bin2bn")
        }
        defer { BN_free(number) }
        let name = X509_get_subject_name(certificate)
        guard X509_set_version(certificate, 2) == 1,
            BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil,
            ASN1_TIME_set_string(X509_getm_notBefore(certificate), "20200101000000Z") == 1,
            // The date that RFC 5280 section 4.1.2.5 gives to certificates without an end.
            ASN1_TIME_set_string(X509_getm_notAfter(certificate), "99991231235959Z") == 1,
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_FLAG, commonName, -1, -1, 0) == 1,
            X509_set_issuer_name(certificate, name) == 1,
            X509_set_pubkey(certificate, key) == 1
        else { throw OpenSSLErrorQueue.failure(of: "X509") }
    }

    // MARK: PEM

    /// Above any sensible key and chain.
    private static let maxIdentityByteCount = 65_536
    /// Above what a system keeps in its file of authorities.
    private static let maxPEMByteCount = 1 << 20
    private static let maxCertificates = 1_000

    /// Reads a PKCS#8 private key and a certificate from one PEM text, in either order. Only Ed25519 keys.
    convenience init(pem: String) throws(TLSError) {
        guard pem.utf8.count <= Self.maxIdentityByteCount else {
            throw .invalidIdentity(reason: "the PEM text is too long")
        }
        let key = if let key = try Self.plainKey(pem: pem) { key } else { try Self.key(pem: pem) }
        guard EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 else {
            EVP_PKEY_free(key)
            throw .invalidIdentity(reason: "the private key is not an Ed25519 key")
        }
        try self.init(key: key, certificates: pem)
    }

    /// The Ed25519 key of a PEM text that holds it as `pem()` writes it (PKCS#8, RFC 8410 section 7); `nil` for everything
    /// else. OpenSSL's own way would load a decoder for every kind of key first: a millisecond before the first picture.
    private static func plainKey(pem: String) throws(TLSError) -> OpaquePointer? {
        let info = try read(pem) { PEM_read_bio_PKCS8_PRIV_KEY_INFO($0, nil, refusePassphrase, nil) }
        guard let info else { return nil }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        var algorithm: OpaquePointer?
        var bytes: UnsafePointer<UInt8>?
        var count: Int32 = 0
        guard PKCS8_pkey_get0(&algorithm, &bytes, &count, nil, info) == 1, OBJ_obj2nid(algorithm) == NID_ED25519,
            // An OCTET STRING in an OCTET STRING.
            count == 34, let bytes, bytes[0] == 0x04, bytes[1] == 32
        else { return nil }
        return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, bytes + 2, 32)
    }

    /// Reads what `backup(passphrase:)` has written.
    convenience init(backup pem: String, passphrase: Passphrase) throws(TLSError) {
        guard pem.utf8.count <= Self.maxIdentityByteCount else {
            throw .invalidIdentity(reason: "the PEM text is too long")
        }
        guard Self.isSealed(pem) else { throw .invalidIdentity(reason: "it contains no encrypted key") }
        guard let sealed = try Self.read(pem, { PEM_read_bio_PKCS8($0, nil, refusePassphrase, nil) }) else {
            throw .invalidIdentity(reason: "the encrypted key is damaged")
        }
        defer { X509_SIG_free(sealed) }
        guard let plain = passphrase.withCString({ PKCS8_decrypt(sealed, $0, Int32(passphrase.count)) }) else {
            OpenSSLErrorQueue.clear()
            throw .wrongPassphrase
        }
        defer { PKCS8_PRIV_KEY_INFO_free(plain) }
        guard let key = EVP_PKCS82PKEY(plain) else { throw .invalidIdentity(reason: "the encrypted key is damaged") }
        guard EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 else {
            EVP_PKEY_free(key)
            throw .invalidIdentity(reason: "the private key is not an Ed25519 key")
        }
        try self.init(key: key, certificates: pem)
    }

    /// Whether a PEM text holds an encrypted key.
    static func isSealed(_ pem: String) -> Bool {
        pem.utf8.split(separator: UInt8(ascii: "\n")).contains { line in
            (line.last == UInt8(ascii: "\r") ? line.dropLast() : line).elementsEqual(encryptedKeyMark)
        }
    }

    private static let encryptedKeyMark = Array("-----BEGIN ENCRYPTED PRIVATE KEY-----".utf8)

    /// Reads a private key of any kind, and its certificate followed by those of its issuers.
    convenience init(keyPEM: String, chainPEM: String) throws(TLSError) {
        try self.init(key: Self.key(pem: keyPEM), certificates: chainPEM)
    }

    /// Takes over `key`.
    private convenience init(key: OpaquePointer, certificates pem: String) throws(TLSError) {
        var certificates: [OpaquePointer]
        do throws(TLSError) { certificates = try Self.certificates(pem: pem) } catch {
            EVP_PKEY_free(key)
            throw error
        }
        self.init(key: key, certificate: certificates.removeFirst(), issuers: certificates)
        guard X509_check_private_key(certificate, key) == 1 else {
            throw .invalidIdentity(reason: "the certificate belongs to another key")
        }
        OpenSSLErrorQueue.clear()
    }

    private static func key(pem: String) throws(TLSError) -> OpaquePointer {
        let key = try read(pem) { PEM_read_bio_PrivateKey($0, nil, refusePassphrase, nil) }
        guard let key else {
            throw .invalidIdentity(reason: "no usable private key: \(OpenSSLErrorQueue.drain())")
        }
        return key
    }

    /// All certificates of a PEM text, at least one; the caller frees them.
    static func certificates(pem: String) throws(TLSError) -> [OpaquePointer] {
        var certificates: [OpaquePointer] = []
        _ = try read(pem) { bio -> OpaquePointer? in
            while certificates.count < maxCertificates,
                let certificate = PEM_read_bio_X509(bio, nil, refusePassphrase, nil)
            {
                certificates.append(certificate)
            }
            return nil
        }
        guard !certificates.isEmpty else {
            throw .invalidIdentity(reason: "no usable certificate: \(OpenSSLErrorQueue.drain())")
        }
        // The last one is followed by what is no certificate: the end.
        OpenSSLErrorQueue.clear()
        return certificates
    }

    private static func read(
        _ pem: String, _ parse: (OpaquePointer) -> OpaquePointer?
    ) throws(TLSError) -> OpaquePointer? {
        var text = Array(pem.utf8)
        // It may hold a key.
        defer { text.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        guard text.count <= maxPEMByteCount else { throw .invalidIdentity(reason: "the PEM text is too long") }
        OpenSSLErrorQueue.clear()
        let result: Result<OpaquePointer?, TLSError> = text.withUnsafeBytes { bytes in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                return .failure(OpenSSLErrorQueue.failure(of: "BIO_new_mem_buf"))
            }
            defer { BIO_free(bio) }
            return .success(parse(bio))
        }
        return try result.get()
    }

    /// Whether `other` has the same certificate and issuers.
    func hasSameCertificates(as other: TLSCredentials) -> Bool {
        X509_cmp(certificate, other.certificate) == 0
            && issuers.elementsEqual(other.issuers) { X509_cmp($0, $1) == 0 }
    }

    /// The key (PKCS#8, not encrypted), the certificate and those of its issuers in one text.
    func pem() throws(TLSError) -> String {
        try pem { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) == 1 }
    }

    /// The same with the key encrypted: PBES2 (RFC 8018) with scrypt (RFC 7914) and AES-256-CBC.
    func backup(passphrase: Passphrase) throws(TLSError) -> String {
        OpenSSLErrorQueue.clear()
        let salt = RandomSource.system.bytes(16)
        // 16 MiB and, on the machines of today, a quarter of a second for each passphrase that is tried.
        guard let plain = EVP_PKEY2PKCS8(key) else { throw OpenSSLErrorQueue.failure(of: "EVP_PKEY2PKCS8") }
        defer { PKCS8_PRIV_KEY_INFO_free(plain) }
        guard let method = PKCS5_pbe2_set_scrypt(EVP_aes_256_cbc(), salt, Int32(salt.count), nil, 1 << 14, 8, 5) else {
            throw OpenSSLErrorQueue.failure(of: "PKCS5_pbe2_set_scrypt")
        }
        guard let sealed = passphrase.withCString({ PKCS8_set0_pbe($0, Int32(passphrase.count), plain, method) }) else {
            X509_ALGOR_free(method)
            throw OpenSSLErrorQueue.failure(of: "PKCS8_set0_pbe")
        }
        defer { X509_SIG_free(sealed) }
        return try pem { PEM_write_bio_PKCS8($0, sealed) == 1 }
    }

    /// The key as `writeKey` writes it, then the certificate and those of its issuers.
    private func pem(_ writeKey: (OpaquePointer) -> Bool) throws(TLSError) -> String {
        OpenSSLErrorQueue.clear()
        // Wiped when it is freed.
        guard let bio = BIO_new(BIO_s_secmem()) else { throw OpenSSLErrorQueue.failure(of: "BIO_new") }
        defer { BIO_free(bio) }
        guard writeKey(bio), PEM_write_bio_X509(bio, certificate) == 1 else {
            throw OpenSSLErrorQueue.failure(of: "PEM_write_bio")
        }
        for issuer in issuers {
            guard PEM_write_bio_X509(bio, issuer) == 1 else { throw OpenSSLErrorQueue.failure(of: "PEM_write_bio") }
        }
        var data: UnsafeMutablePointer<CChar>?
        let count = copenssl_bio_get_mem_data(bio, &data)
        return String(decoding: UnsafeRawBufferPointer(start: data, count: max(0, count)), as: UTF8.self)
    }
}

/// An encrypted key would make OpenSSL ask for a passphrase on the terminal.
private func refusePassphrase(
    _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 { -1 }
