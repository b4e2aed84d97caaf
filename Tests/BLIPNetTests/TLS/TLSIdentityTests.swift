// Identities: made, written as PEM, read back, and refused.

import Testing

@testable import BLIPNet

@Suite struct TLSIdentityTests {
    private static func block(_ name: String, of pem: String) -> String {
        let lines = pem.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.firstIndex(of: "-----BEGIN \(name)-----"),
            let last = lines.firstIndex(of: "-----END \(name)-----")
        else { return "" }
        return lines[first...last].joined(separator: "\n") + "\n"
    }

    @Test("survives a round trip through PEM, in either order of the blocks")
    func roundTrip() throws {
        let identity = try TLSIdentity.generate()
        let pem = try identity.pem()
        let key = Self.block("PRIVATE KEY", of: pem)
        let certificate = Self.block("CERTIFICATE", of: pem)
        #expect(!key.isEmpty && !certificate.isEmpty)
        #expect(try TLSIdentity(pem: pem) == identity)
        #expect(try TLSIdentity(pem: certificate + "a line of somebody\n" + key) == identity)
        #expect(try TLSIdentity(pem: pem).fingerprint == identity.fingerprint)
    }

    @Test("a backup is opened by its passphrase only, is different each time, and shows nothing of the key")
    func backup() throws {
        let identity = try TLSIdentity.generate()
        let passphrase = try #require(Passphrase("correct horse – battery"))
        let first = try identity.backup(passphrase: passphrase)
        let second = try identity.backup(passphrase: passphrase)
        #expect(first != second)
        #expect(try TLSIdentity(backup: first, passphrase: passphrase) == identity)
        #expect(try TLSIdentity(backup: second, passphrase: passphrase) == identity)
        let secret = Self.block("PRIVATE KEY", of: try identity.pem()).split(separator: "\n")[1]
        #expect(!first.contains(secret) && !first.contains("-----BEGIN PRIVATE KEY-----"))
        let other = try #require(Passphrase("correct horse – batterx"))
        let plain = try identity.pem()
        for (text, passphrase) in [
            (first, other), (plain, passphrase), ("", passphrase), (String(first.dropLast(60)), passphrase),
            (String(first.dropFirst(60)), passphrase), ("nonsense", passphrase),
        ] {
            #expect(throws: TLSError.self) { try TLSIdentity(backup: text, passphrase: passphrase) }
        }
        #expect(throws: TLSError.self) { try TLSIdentity(pem: first) }
    }

    @Test("a wrong passphrase is told from a damaged text, and who somebody is needs none")
    func sealed() throws {
        let identity = try TLSIdentity.generate()
        let passphrase = try #require(Passphrase("correct horse – battery"))
        let other = try #require(Passphrase("correct horse – batterx"))
        let sealed = try identity.backup(passphrase: passphrase)
        #expect(throws: TLSError.wrongPassphrase) { try TLSIdentity(backup: sealed, passphrase: other) }
        for text in ["", "nonsense", try identity.pem(), String(sealed.dropFirst(60))] {
            do throws(TLSError) {
                _ = try TLSIdentity(backup: text, passphrase: passphrase)
                Issue.record("was taken: \(text.prefix(40))")
            } catch {
                guard case .invalidIdentity = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        #expect(TLSIdentity.isSealed(sealed))
        #expect(TLSIdentity.isSealed(sealed.split(separator: "\n").joined(separator: "\r\n")))
        #expect(try !TLSIdentity.isSealed(identity.pem()) && !TLSIdentity.isSealed("nonsense"))
        #expect(try SPKIFingerprint(certificatePEM: sealed) == identity.fingerprint)
        #expect(throws: TLSError.self) { try SPKIFingerprint(certificatePEM: "nonsense") }
    }

    @Test("a passphrase is not too short, has no NUL, and is never printed")
    func passphrases() {
        #expect(Passphrase("1234567") == nil)
        #expect(Passphrase("12345678") != nil)
        #expect(Passphrase("1234\u{0}5678") == nil)
        #expect(Passphrase(String(repeating: "x", count: 1000)) != nil)
        #expect(Passphrase(String(repeating: "x", count: 1001)) == nil)
        var dumped = ""
        dump(Passphrase("do not print me"), to: &dumped)
        #expect(!dumped.contains("print"))
        #expect("\(String(describing: Passphrase("do not print me")))" == "Optional((a passphrase))")
    }

    @Test("two identities differ")
    func differ() throws {
        let (one, other) = (try TLSIdentity.generate(), try TLSIdentity.generate())
        #expect(one != other)
        #expect(one.fingerprint != other.fingerprint)
    }

    @Test("the fingerprint is what other tools compute")
    func knownFingerprint() throws {
        // openssl x509 -pubkey -noout | openssl pkey -pubin -outform DER | sha256sum
        let identity = try TLSIdentity(pem: Self.known)
        #expect(identity.fingerprint.bytes.hex == Self.knownFingerprint)
    }

    @Test("refuses what is not a whole identity, and says why")
    func refuses() throws {
        let pem = try TLSIdentity.generate().pem()
        let other = try TLSIdentity.generate().pem()
        let key = Self.block("PRIVATE KEY", of: pem)
        let certificate = Self.block("CERTIFICATE", of: pem)
        for text in [
            "", "nonsense", key, certificate, key + Self.block("CERTIFICATE", of: other), String(pem.dropLast(60)),
            String(pem.dropFirst(40)), Self.encryptedKey + certificate, Self.otherKind,
            String(repeating: "x", count: 70_000) + pem,
        ] {
            do throws(TLSError) {
                _ = try TLSIdentity(pem: text)
                Issue.record("was taken: \(text.prefix(40))")
            } catch {
                guard case .invalidIdentity(let reason) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(!reason.isEmpty)
            }
        }
    }
}

extension TLSIdentityTests {
    /// Made by `openssl req -x509 -newkey ed25519`; it protects nothing.
    fileprivate static let known = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIMi+HCIcKcq/ddPFmL9OpPMbVVcyhOPmhRKQYkwTr2KU
        -----END PRIVATE KEY-----
        -----BEGIN CERTIFICATE-----
        MIIBNDCB56ADAgECAhR4jr4fdRXtn8P9aEvlf9UQQPb6jDAFBgMrZXAwDzENMAsG
        A1UEAwwEdGVzdDAgFw0yNjExMjExNDI0MjRaGA8yMTA5MDExMDE0MjQyNFowDzEN
        MAsGA1UEAwwEdGVzdDAqMAUGAytlcAMhAAvJClF0kbo1ZnGn/DPX4JJdH5CzXFly
        oSXaACFmX1sVo1MwUTAdBgNVHQ4EFgQUyKmwjnl0zbrJZX7pwW38vZ1i3AAwHwYD
        VR0jBBgwFoAUyKmwjnl0zbrJZX7pwW38vZ1i3AAwDwYDVR0TAQH/BAUwAwEB/zAF
        BgMrZXADQQA2oQ7ZB5E3/bJXSErSmOWg5CAC+JujAeBiivTPQ6sFbr+iTqshdEbl
        3+w/LZHUuH/k7VS9Zm6XVEOphN64mRsF
        -----END CERTIFICATE-----

        """
    fileprivate static let knownFingerprint = "a248b760fa65a4355de72709dfa5aed7fcab78a17d2f9ff15b8d46488e4d16b3"

    /// The same key under a passphrase: reading it must not ask anybody.
    fileprivate static let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhs5/WDZt7fvQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEEmksFzxlwlY4nZeLneO8uQEQJp0
        nE5RQTyu1ibdYQZKwtVk5R9Z5A+FLMbdojEPN3JJISQC3N3hYoxHVV1JMfTiWHIH
        Y8I06PsTx9zxzO4HCok=
        -----END ENCRYPTED PRIVATE KEY-----

        """

    /// A key on the curve P-256 with its certificate.
    fileprivate static let otherKind = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwdb1GobOqult5dSS
        7Cz5bNry7J18/u6t5siTNeftwe+hRANCAARlj47uE+TVNy8/bwtBK1GAKhADuudf
        OJwwBSGquu8lm3E3VvqtVL7XsU6k5SeQ2sX7kFI2Iiya3D5UP3YV7CLY
        -----END PRIVATE KEY-----
        -----BEGIN CERTIFICATE-----
        MIIBdTCCARugAwIBAgIUIXB9HCqsMQnLb9B80YOiaVKjrSQwCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjExNDI0MjRaGA8yMTA5MDExMDE0MjQy
        NFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGWP
        ju4T5NU3Lz9vC0ErUYAqEAO65184nDAFIaq67yWbcTdW+q1UvtexTqTlJ5DaxfuQ
        UjYiLJrcPlQ/dhXsItijUzBRMB0GA1UdDgQWBBSO18BKMOo9VF1F8zbN0VDqXiEU
        SDAfBgNVHSMEGDAWgBSO18BKMOo9VF1F8zbN0VDqXiEUSDAPBgNVHRMBAf8EBTAD
        AQH/MAoGCCqGSM49BAMCA0gAMEUCIGAkLC6P2LK9MJlEhDTxQOvA+fu3dxbsIJgy
        PYUUF4ouAiEAq4nBY71WNFFHL+cKAhwzMbFftki7111NeY0dbXtqQGU=
        -----END CERTIFICATE-----

        """
}
