// A certificate authority of the tests: signs certificates for names and addresses, with keys of several kinds.

import BLIPNet
import COpenSSL

/// Makes certificates as a public authority would.
final class TestAuthority {
    enum Failure: Error { case openSSL(String) }

    enum KeyKind { case p256, rsa2048, ed25519 }

    /// What stands in a certificate.
    struct Request {
        var commonName = "test"
        /// Alternative names in OpenSSL's notation, for example `DNS:example.org,IP:127.0.0.1`.
        var names: String?
        /// `serverAuth`, `clientAuth` or both, separated by commas.
        var usage = "serverAuth"
        /// Seconds from now.
        var validFrom = -3600
        var validTo = 3600
        var kind = KeyKind.p256
    }

    private let key: OpaquePointer
    private let certificate: OpaquePointer
    /// The certificates between the root and this authority, nearest first, as PEM.
    private let path: String

    /// A root, or an authority below `parent`.
    init(_ name: String = "Test Root", under parent: TestAuthority? = nil) throws {
        let key = try Self.makeKey(.p256)
        var request = Request()
        request.commonName = name
        let certificate = try Self.sign(
            request, key: key, isAuthority: true, issuer: parent?.certificate, issuerKey: parent?.key ?? key)
        self.key = key
        self.certificate = certificate
        path = try parent.map { try Self.pem(certificate) + $0.path } ?? ""
    }

    deinit {
        EVP_PKEY_free(key)
        X509_free(certificate)
    }

    /// The authority's own certificate, as PEM.
    func pem() throws -> String { try Self.pem(certificate) }

    /// A key and the certificate for it, with the chain up to below the root.
    func issue(_ request: Request) throws -> TLSIdentity {
        let key = try Self.makeKey(request.kind)
        defer { EVP_PKEY_free(key) }
        let issued = try Self.sign(
            request, key: key, isAuthority: false, issuer: certificate, issuerKey: self.key)
        defer { X509_free(issued) }
        return try TLSIdentity(keyPEM: Self.keyPEM(key), chainPEM: Self.pem(issued) + path)
    }

    /// A certificate for the names of a server.
    func server(_ names: String = "DNS:localhost,IP:127.0.0.1,IP:::1") throws -> TLSIdentity {
        try issue(Request(names: names))
    }

    /// A certificate for a client.
    func client() throws -> TLSIdentity { try issue(Request(commonName: "client", usage: "clientAuth")) }

    /// A certificate that vouches for itself, and its key, as servers of other programs take them.
    static func selfSigned(_ names: String, validTo: Int = 3600) throws -> (certificate: String, key: String) {
        let key = try makeKey(.p256)
        defer { EVP_PKEY_free(key) }
        let request = Request(names: names, validFrom: min(-3600, validTo - 3600), validTo: validTo)
        let certificate = try sign(request, key: key, isAuthority: false, issuer: nil, issuerKey: key)
        defer { X509_free(certificate) }
        return (try pem(certificate), try keyPEM(key))
    }

    // MARK: OpenSSL

    private static func check(_ isFine: Bool, _ call: String) throws {
        if !isFine { throw Failure.openSSL(call) }
    }

    private static func makeKey(_ kind: KeyKind) throws -> OpaquePointer {
        let context =
            switch kind {
            case .p256: EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
            case .rsa2048: EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
            case .ed25519: EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil)
            }
        defer { EVP_PKEY_CTX_free(context) }
        try check(EVP_PKEY_keygen_init(context) > 0, "keygen_init")
        switch kind {
        case .p256:
            try check(EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) > 0, "curve")
        case .rsa2048: try check(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) > 0, "bits")
        case .ed25519: break
        }
        var key: OpaquePointer?
        try check(EVP_PKEY_keygen(context, &key) > 0, "keygen")
        guard let key else { throw Failure.openSSL("keygen") }
        return key
    }

    private static func sign(
        _ request: Request, key: OpaquePointer, isAuthority: Bool, issuer: OpaquePointer?, issuerKey: OpaquePointer
    ) throws -> OpaquePointer {
        guard let certificate = X509_new() else { throw Failure.openSSL("X509_new") }
        let name = X509_get_subject_name(certificate)
        try check(X509_set_version(certificate, 2) == 1, "version")
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...1 << 60))
        X509_gmtime_adj(X509_getm_notBefore(certificate), request.validFrom)
        X509_gmtime_adj(X509_getm_notAfter(certificate), request.validTo)
        try check(
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_FLAG, request.commonName, -1, -1, 0) == 1, "name")
        try check(
            X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0) } ?? name) == 1, "issuer")
        try check(X509_set_pubkey(certificate, key) == 1, "key")
        var extensions = [(NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE")]
        if isAuthority { extensions.append((NID_key_usage, "critical,keyCertSign")) }
        if !isAuthority { extensions.append((NID_ext_key_usage, request.usage)) }
        if let names = request.names { extensions.append((NID_subject_alt_name, names)) }
        for (number, value) in extensions {
            let made = X509V3_EXT_conf_nid(nil, nil, number, value)
            defer { X509_EXTENSION_free(made) }
            try check(made != nil && X509_add_ext(certificate, made, -1) == 1, value)
        }
        try check(X509_sign(certificate, issuerKey, EVP_sha256()) > 0, "sign")
        return certificate
    }

    private static func pem(_ certificate: OpaquePointer) throws -> String {
        try text { PEM_write_bio_X509($0, certificate) }
    }

    private static func keyPEM(_ key: OpaquePointer) throws -> String {
        try text { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    private static func text(_ write: (OpaquePointer?) -> Int32) throws -> String {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        try check(write(bio) == 1, "PEM_write")
        var data: UnsafeMutablePointer<CChar>?
        let count = copenssl_bio_get_mem_data(bio, &data)
        return String(decoding: UnsafeRawBufferPointer(start: data, count: count), as: UTF8.self)
    }
}
