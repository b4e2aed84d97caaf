// What a server prints and a client takes: where the server is, and which key it has.

import BLIPNet

/// An endpoint and the fingerprint of the key behind it, as two words: `127.0.0.1:4711 9f86d0...`.
public struct Place: CustomStringConvertible, Sendable {
    public var endpoint: Endpoint
    public var fingerprint: SPKIFingerprint

    public init(endpoint: Endpoint, fingerprint: SPKIFingerprint) {
        self.endpoint = endpoint
        self.fingerprint = fingerprint
    }

    /// Fails unless the words are an endpoint and 64 hexadecimal digits.
    public init?(endpoint: String, fingerprint: String) {
        guard let endpoint = Endpoint(endpoint), fingerprint.utf8.count == 64 else { return nil }
        var bytes: [UInt8] = []
        var rest = Substring(fingerprint)
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        guard let fingerprint = SPKIFingerprint(bytes) else { return nil }
        self.init(endpoint: endpoint, fingerprint: fingerprint)
    }

    public var description: String {
        let digits = fingerprint.bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return "\(endpoint) \(digits.joined())"
    }
}
