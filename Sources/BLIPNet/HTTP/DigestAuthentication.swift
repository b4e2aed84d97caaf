// Digest access authentication (RFC 7616): proves that the client knows the password without sending it.

/// A Digest challenge that can be answered.
struct DigestAuthentication: Sendable {
    private let realm: String
    private let nonce: String
    private let opaque: String?
    let algorithm: DigestAlgorithm
    /// Servers from before RFC 2617 know no quality of protection.
    private let hasQuality: Bool
    private let hashesUser: Bool
    /// As it was written in the challenge; absent stays absent.
    private let algorithmName: String?

    /// `nil` when the challenge is incomplete, or asks for an algorithm or protection that we do not have.
    init?(_ challenge: HTTPChallenge) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"],
            let algorithm = DigestAlgorithm(named: parameters["algorithm"])
        else { return nil }
        if let offered = parameters["qop"] {
            let qualities = Array(offered.utf8).split(separator: UInt8(ascii: ",")).map { HTTPSyntax.trimmed($0) }
            guard qualities.contains(where: { HTTPSyntax.equalIgnoringCase($0, "auth".utf8) }) else { return nil }
            hasQuality = true
        } else {
            // The session variants came together with the quality of protection.
            guard !algorithm.isSession else { return nil }
            hasQuality = false
        }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        opaque = parameters["opaque"]
        algorithmName = parameters["algorithm"]
        hashesUser = parameters["userhash"].map { HTTPSyntax.equalIgnoringCase($0.utf8, "true".utf8) } ?? false
    }

    /// The field value that answers the challenge for one request. `nonce` is a fresh one of the client.
    /// `nil` when a hash function is missing here.
    func authorization(
        _ credentials: HTTPCredentials, method: String, target: String, clientNonce: String
    ) -> String? {
        guard var secret = algorithm.hash("\(credentials.user):\(realm):\(credentials.password)"),
            let request = algorithm.hash("\(method):\(target)")
        else { return nil }
        if algorithm.isSession {
            guard let mixed = algorithm.hash("\(secret):\(nonce):\(clientNonce)") else { return nil }
            secret = mixed
        }
        // Every answer of ours is the first with its nonce.
        let between = hasQuality ? "\(nonce):00000001:\(clientNonce):auth" : nonce
        guard let response = algorithm.hash("\(secret):\(between):\(request)"), let user = user(credentials) else {
            return nil
        }
        var parts =
            user + [
                "realm=\(Self.quoted(realm))", "nonce=\(Self.quoted(nonce))", "uri=\(Self.quoted(target))",
                "response=\"\(response)\"",
            ]
        if let algorithmName { parts.append("algorithm=\(algorithmName)") }
        if hasQuality { parts += ["cnonce=\(Self.quoted(clientNonce))", "nc=00000001", "qop=auth"] }
        if let opaque { parts.append("opaque=\(Self.quoted(opaque))") }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// The user name: hashed if the server wants that, and in the form of RFC 8187 if it is not ASCII.
    private func user(_ credentials: HTTPCredentials) -> [String]? {
        if hashesUser {
            return algorithm.hash("\(credentials.user):\(realm)").map { ["username=\"\($0)\"", "userhash=true"] }
        }
        guard credentials.user.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            let encoded = HTTPSyntax.percentEncoded(credentials.user, allowing: "!#$&+^`|")
            return ["username*=UTF-8''" + String(decoding: encoded, as: UTF8.self)]
        }
        return ["username=\(Self.quoted(credentials.user))"]
    }

    private static func quoted(_ text: String) -> String {
        var bytes = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}
