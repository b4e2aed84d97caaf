// SHA-256 against the examples of FIPS 180, in pieces and copied.

import Testing

@testable import BLIPNet

@Suite struct SHA256DigestTests {
    private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test("hashes the published examples")
    func examples() {
        #expect(SHA256Digest.hash(Array("abc".utf8)).hex == Self.abc)
        #expect(SHA256Digest.hash([]).hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            SHA256Digest.hash([UInt8](repeating: 0x61, count: 1_000_000)).hex
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("pieces give the digest of the whole, and finishing or copying does not disturb it")
    func pieces() {
        let digest = SHA256Digest()
        ([0x61] as [UInt8]).withUnsafeBytes { digest.update($0) }
        let copy = digest.copy()
        #expect(digest.finish() == SHA256Digest.hash([0x61]))
        ([0x62, 0x63] as [UInt8]).withUnsafeBytes { digest.update($0) }
        digest.update(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(digest.finish().hex == Self.abc)
        #expect(copy.finish() == SHA256Digest.hash([0x61]))
    }

    @Test("hex has two digits per byte")
    func hex() { #expect(([0x00, 0x0F, 0xA0, 0xFF] as [UInt8]).hex == "000fa0ff") }
}
