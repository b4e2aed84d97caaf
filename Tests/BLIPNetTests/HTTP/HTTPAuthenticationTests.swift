// Tests of challenges and their answers: the grammar of RFC 9110, the examples of RFC 2617, 7616 and 7617.

import Testing

@testable import BLIPNet

@Suite struct HTTPChallengeTests {
    private static func parse(_ values: String...) -> [HTTPChallenge] {
        var fields = HTTPFields()
        for value in values { fields.append(name: "WWW-Authenticate", value: value) }
        return HTTPChallenge.all(in: fields, name: "www-authenticate")
    }

    @Test("reads several challenges from one field")
    func several() {
        // The example of RFC 9110 section 11.6.1.
        let challenges = Self.parse(#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#)
        #expect(
            challenges == [
                HTTPChallenge(scheme: "basic", parameters: ["realm": "simple"]),
                HTTPChallenge(
                    scheme: "newauth", parameters: ["realm": "apps", "type": "1", "title": #"Login to "apps""#]),
            ])
    }

    @Test("reads schemes without parameters and with a single value")
    func token68() {
        #expect(
            Self.parse("Negotiate, Basic realm=x, NTLM TlRMTVNTUAAC==, Bearer") == [
                HTTPChallenge(scheme: "negotiate"), HTTPChallenge(scheme: "basic", parameters: ["realm": "x"]),
                HTTPChallenge(scheme: "ntlm", token68: "TlRMTVNTUAAC=="), HTTPChallenge(scheme: "bearer"),
            ])
    }

    @Test("reads several fields, blanks around the equals sign, and stray commas")
    func loose() {
        #expect(
            Self.parse(", ,Basic  realm = \"a,b\" ,, charset=UTF-8,", "DIGEST Nonce=\"n\"") == [
                HTTPChallenge(scheme: "basic", parameters: ["realm": "a,b", "charset": "UTF-8"]),
                HTTPChallenge(scheme: "digest", parameters: ["nonce": "n"]),
            ])
    }

    @Test("leaves out a challenge that says a parameter twice, and goes on behind it")
    func ambiguous() {
        #expect(Self.parse("Digest realm=a, REALM=b, Basic realm=c").map(\.scheme) == ["basic"])
    }

    @Test(
        "stops at the first malformed place",
        arguments: [
            "Basic realm=\"open", "Basic realm=\"a\" b=c", "@", "Basic realm=\"a\\", "Basic@", "Basic =a",
        ])
    func malformed(value: String) {
        #expect(Self.parse("First, " + value + ", Basic realm=x").map(\.scheme) == ["first"])
    }

    @Test("takes time in proportion to the length of a field")
    func linear() {
        #expect(Self.parse(String(repeating: "a ", count: 8_000)).isEmpty)
        #expect(Self.parse(String(repeating: "a,", count: 8_000)).count == 8_000)
        #expect(Self.parse(String(repeating: ",", count: 16_000)).isEmpty)
    }
}

@Suite struct BasicAuthenticationTests {
    @Test("encodes the examples of RFC 7617")
    func examples() {
        #expect(
            HTTPCredentials(user: "Aladdin", password: "open sesame").basicAuthorization
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(HTTPCredentials(user: "test", password: "123\u{a3}").basicAuthorization == "Basic dGVzdDoxMjPCow==")
        #expect(HTTPCredentials(user: "u", password: "a:b").basicAuthorization == "Basic dTphOmI=")
    }

    @Test("refuses names and passwords that the server could not tell apart")
    func refuses() {
        #expect(HTTPCredentials(user: "a:b", password: "").basicAuthorization == nil)
        #expect(HTTPCredentials(user: "a\n", password: "").basicAuthorization == nil)
        #expect(HTTPCredentials(user: "a", password: "\u{7f}").basicAuthorization == nil)
    }
}

@Suite struct DigestAuthenticationTests {
    /// The challenge and the client's nonce of RFC 7616 section 3.9.1.
    private static let parameters = [
        "realm": "http-auth@example.org", "qop": "auth, auth-int",
        "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
        "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
    ]
    private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    private static let mufasa = HTTPCredentials(user: "Mufasa", password: "Circle of Life")

    private static func answer(
        _ changes: [String: String?], _ credentials: HTTPCredentials = mufasa, nonce: String = clientNonce
    ) throws -> HTTPChallenge {
        var parameters = parameters
        for (name, value) in changes { parameters[name] = value }
        let digest = try #require(DigestAuthentication(HTTPChallenge(scheme: "digest", parameters: parameters)))
        let text = try #require(
            digest.authorization(credentials, method: "GET", target: "/dir/index.html", clientNonce: nonce))
        // An answer is written like a challenge.
        var parser = HTTPChallengeParser(text)
        return try #require(parser.parse().first)
    }

    @Test(
        "computes the examples of RFC 7616, and their session variants",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
            // Computed by an independent program (Python's hashlib).
            ("MD5-sess", "e783283f46242139c486a698fec7211d"),
            ("sha-256-SESS", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ])
    func rfc7616(algorithm: String, response: String) throws {
        let answer = try Self.answer(["algorithm": algorithm])
        #expect(answer.scheme == "digest")
        #expect(
            answer.parameters
                == [
                    "username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html",
                    "algorithm": algorithm, "nonce": Self.parameters["nonce"], "nc": "00000001",
                    "cnonce": Self.clientNonce, "qop": "auth", "response": response,
                    "opaque": Self.parameters["opaque"],
                ].compactMapValues { $0 })
    }

    @Test("computes the examples of RFC 2617 and of RFC 2069 (as corrected)")
    func older() throws {
        let changes: [String: String?] = [
            "realm": "testrealm@host.com", "nonce": "dcd98b7102dd2f0e8b11d0f600bfb0c093",
            "opaque": "5ccc069c403ebaf9f0171e9517f40e41",
        ]
        let answer = try Self.answer(
            changes, HTTPCredentials(user: "Mufasa", password: "Circle Of Life"), nonce: "0a4f113b")
        #expect(answer.parameters["response"] == "6629fae49393a05397450978507c4ef1")
        #expect(answer.parameters["algorithm"] == nil)
        let old = try Self.answer(
            changes.merging(["qop": nil]) { $1 }, HTTPCredentials(user: "Mufasa", password: "CircleOfLife"))
        #expect(old.parameters["response"] == "1949323746fe6a43ef61f9606e7febea")
        #expect(old.parameters["cnonce"] == nil)
        #expect(old.parameters["qop"] == nil)
    }

    @Test("hashes the user name when the server wants that, and writes others than ASCII by RFC 8187")
    func userNames() throws {
        let user = HTTPCredentials(user: "Jäsøn Doe", password: "Secret")
        let hashed = try Self.answer(["userhash": "true", "algorithm": "SHA-256"], user)
        #expect(hashed.parameters["userhash"] == "true")
        #expect(
            hashed.parameters["username"]
                == SHA256Digest.hash(Array("Jäsøn Doe:http-auth@example.org".utf8)).hex)
        let written = try Self.answer(["algorithm": "SHA-256"], user)
        #expect(written.parameters["username*"] == "UTF-8''J%C3%A4s%C3%B8n%20Doe")
        #expect(written.parameters["username"] == nil)
    }

    @Test("escapes quotation marks, so that no name can add a parameter")
    func escapes() throws {
        let answer = try Self.answer([:], HTTPCredentials(user: #"a", realm="b\"#, password: ""))
        #expect(answer.parameters["username"] == #"a", realm="b\"#)
    }

    @Test(
        "does not answer what it does not understand",
        arguments: [
            ["realm": nil], ["nonce": nil], ["algorithm": "SHA-512-256"], ["qop": "auth-int"], ["qop": ""],
            ["algorithm": "MD5-sess", "qop": nil],
        ] as [[String: String?]])
    func refuses(changes: [String: String?]) {
        var parameters = Self.parameters
        for (name, value) in changes { parameters[name] = value }
        #expect(DigestAuthentication(HTTPChallenge(scheme: "digest", parameters: parameters)) == nil)
    }
}

@Suite struct HTTPAuthenticationTests {
    private static func choose(_ value: String, status: Int = 401, field: String = "WWW-Authenticate") -> String? {
        var response = HTTPResponseHead(status: status, reason: "")
        response.fields.append(name: field, value: value)
        let challenge = HTTPAuthentication.chosenChallenge(in: response, of: status == 407 ? .proxy : .server)
        return challenge.map { "\($0.scheme) \($0.realm ?? "")" }
    }

    @Test("prefers Digest with SHA-256 to MD5, and either to Basic")
    func strongest() {
        let basic = "Basic realm=b"
        let md5 = "Digest realm=m, nonce=n, qop=auth"
        let sha = "Digest realm=s, nonce=n, qop=auth, algorithm=SHA-256"
        #expect(Self.choose("\(basic), \(md5), \(sha)") == "digest s")
        #expect(Self.choose("\(basic), \(md5)") == "digest m")
        #expect(Self.choose("Negotiate, \(basic)") == "basic b")
        #expect(Self.choose("Negotiate") == nil)
    }

    @Test("looks for a proxy's challenge where a proxy writes it")
    func proxy() {
        #expect(Self.choose("Basic realm=b", status: 407) == nil)
        #expect(Self.choose("Basic realm=b", status: 407, field: "Proxy-Authenticate") == "basic b")
        #expect(Self.choose("Basic realm=b", status: 401, field: "Proxy-Authenticate") == nil)
        #expect(Self.choose("Basic realm=b", status: 403) == nil)
    }

    @Test("draws a new nonce for each answer")
    func nonces() {
        let challenge = HTTPChallenge(scheme: "digest", parameters: ["realm": "r", "nonce": "n", "qop": "auth"])
        let answers = (0..<2).map { _ in
            HTTPAuthentication.answer(
                to: challenge, with: HTTPCredentials(user: "u", password: "p"), method: "GET", target: "/",
                random: .system)
        }
        #expect(answers[0] != nil)
        #expect(answers[0] != answers[1])
    }
}
