// The hash functions of Digest authentication, by OpenSSL.

internal import COpenSSL

/// The algorithms that are supported, the strongest first.
enum DigestAlgorithm: String, Sendable, CaseIterable {
    case sha256 = "SHA-256"
    case sha256Session = "SHA-256-sess"
    case md5 = "MD5"
    case md5Session = "MD5-sess"

    /// By its name in a challenge, in any case of letters; no name means MD5 (RFC 7616 section 3.3).
    init?(named name: String?) {
        guard let name else {
            self = .md5
            return
        }
        guard let known = Self.allCases.first(where: { HTTPSyntax.equalIgnoringCase($0.rawValue.utf8, name.utf8) })
        else { return nil }
        self = known
    }

    /// The secret of the password is mixed with both nonces once.
    var isSession: Bool { self == .sha256Session || self == .md5Session }

    /// The hash as lower-case hexadecimal digits; `nil` when this OpenSSL has been built or set up without it.
    func hash(_ text: String) -> String? {
        let function: OpaquePointer? =
            switch self {
            case .sha256, .sha256Session: EVP_sha256()
            case .md5, .md5Session: EVP_md5()
            }
        let bytes = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &count, function, nil) == 1 else { return nil }
        return Array(digest.prefix(Int(count))).hex
    }
}
