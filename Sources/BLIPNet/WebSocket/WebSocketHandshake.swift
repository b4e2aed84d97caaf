// The parts that both sides of the opening handshake share (RFC 6455 section 4).

internal import COpenSSL

/// The constants and the one computation of the opening handshake.
enum WebSocketHandshake {
    static let version = "13"
    static let keyByteCount = 16

    /// Appends the fields of an application to a head whose last line has no CRLF yet. Fields that make the handshake
    /// (or would give it a body), and names that are not HTTP, are left out; control characters become blanks.
    static func write(_ fields: HTTPFields, into out: inout ByteQueue) {
        for field in fields.all where isFree(field.name) {
            out.append("\r\n")
            out.append(Array(field.name.utf8))
            out.append(": ")
            out.append(field.value.utf8.map { HTTPSyntax.isValueByte($0) ? $0 : UInt8(ascii: " ") })
        }
    }

    private static let ownFields: [StaticString] = [
        "Host", "Upgrade", "Connection", "Content-Length", "Content-Type", "Transfer-Encoding", "Trailer",
    ]

    private static func isFree(_ name: String) -> Bool {
        HTTPSyntax.isToken(name.utf8)
            && !HTTPSyntax.equalIgnoringCase(name.utf8.prefix(14), "Sec-WebSocket-".utf8)
            && !ownFields.contains { own in own.withUTF8Buffer { HTTPSyntax.equalIgnoringCase($0, name.utf8) } }
    }

    /// The server's answer to a client's `Sec-WebSocket-Key`: it proves that the server speaks WebSocket.
    static func acceptValue(forKey key: String) -> String {
        let text = Array(key.utf8) + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let result = EVP_Digest(text, text.count, &digest, &count, EVP_sha1(), nil)
        precondition(result == 1 && count == 20, "this OpenSSL has no SHA-1")
        return Base64.encode(Array(digest[..<20]))
    }
}
