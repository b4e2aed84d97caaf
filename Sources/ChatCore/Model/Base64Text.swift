// Base64 for the screen, which does not see BLIPNet.

internal import BLIPNet

extension [UInt8] {
    /// In Base64 with padding (RFC 4648 section 4).
    package var base64: String { Base64.encode(self) }
}
