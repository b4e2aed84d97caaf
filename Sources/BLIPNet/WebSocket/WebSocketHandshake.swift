// What both sides of the opening handshake share (RFC 6455 section 4).

internal import COpenSSL

/// The constants and the one computation of the opening handshake.
enum WebSocketHandshake {
    static let version = "13"
    static let keyByteCount = 16

    /// What the server has to answer to a client's `Sec-WebSocket-Key`: it proves that it speaks WebSocket.
    static func acceptValue(forKey key: String) -> String {
        let text = Array(key.utf8) + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let result = EVP_Digest(text, text.count, &digest, &count, EVP_sha1(), nil)
        precondition(result == 1 && count == 20, "this OpenSSL has no SHA-1")
        return Base64.encode(Array(digest[..<20]))
    }
}
