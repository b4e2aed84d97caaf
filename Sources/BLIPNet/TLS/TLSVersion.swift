// The versions of TLS that we speak.

internal import COpenSSL

/// A version of TLS. Older ones (RFC 8996) are never spoken.
public enum TLSVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// RFC 5246, here only with ephemeral keys and authenticated encryption (RFC 9325).
    case tls12
    /// RFC 8446.
    case tls13

    public var description: String {
        switch self {
        case .tls12: "TLS 1.2"
        case .tls13: "TLS 1.3"
        }
    }

    /// OpenSSL's number.
    var number: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }

    init?(number: Int32) {
        switch number {
        case TLS1_2_VERSION: self = .tls12
        case TLS1_3_VERSION: self = .tls13
        default: return nil
        }
    }
}
