// Certificates as peers present them, and keys as a backup or a hand gives them.

import COpenSSL
import TestSupport

@testable import BLIPNet

/// Any bytes as a certificate in DER: a fingerprint or an error, the same each time, and the same after writing it again.
func fuzzCertificate(_ bytes: UnsafeRawBufferPointer) throws {
    OpenSSLErrorQueue.clear()
    defer { OpenSSLErrorQueue.clear() }
    var start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    guard let certificate = d2i_X509(nil, &start, bytes.count) else { return }
    defer { X509_free(certificate) }
    let first = Result { () throws(TLSError) in try SPKIFingerprint(certificate: certificate) }
    _ = Result { () throws(TLSError) in try CertificateChain([certificate], serverName: "a.example", problem: nil) }
    var encoded: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509(certificate, &encoded)
    guard count > 0, let encoded else { return }
    defer { CRYPTO_free(encoded, #file, #line) }
    var again = UnsafePointer<UInt8>(encoded) as UnsafePointer<UInt8>?
    guard let copy = d2i_X509(nil, &again, Int(count)) else {
        throw FuzzFinding(description: "a certificate that was read cannot be read after it was written")
    }
    defer { X509_free(copy) }
    let second = Result { () throws(TLSError) in try SPKIFingerprint(certificate: copy) }
    try require((try? first.get()) == (try? second.get()), "one certificate has two fingerprints")
}

/// Any text as an identity in PEM, and as a sealed one: an Ed25519 identity or an error, and what is read comes back.
func fuzzKeyRestore(_ bytes: UnsafeRawBufferPointer) throws {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    let plain = Result { () throws(TLSError) in try TLSIdentity(pem: text) }
    if case .success(let identity) = plain {
        let again = try TLSIdentity(pem: identity.pem())
        try require(again.fingerprint == identity.fingerprint, "an identity does not come back")
    }
    guard let passphrase = Passphrase("correct horse") else { throw FuzzFinding(description: "no passphrase") }
    let sealed = Result { () throws(TLSError) in try TLSIdentity(backup: text, passphrase: passphrase) }
    if case .success(let identity) = sealed {
        let again = try TLSIdentity(pem: identity.pem())
        try require(again.fingerprint == identity.fingerprint, "a restored identity does not come back")
    }
}
