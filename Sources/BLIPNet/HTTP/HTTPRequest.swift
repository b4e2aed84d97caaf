// A request of an HTTP/1.1 client, as a value and as bytes.

/// A request with its whole body.
struct HTTPRequest: Sendable, Equatable {
    enum Method: String, Sendable, Equatable {
        case get = "GET"
        case post = "POST"
        case head = "HEAD"
    }

    var method = Method.get
    /// Path and query, percent-encoded, beginning with `/`.
    var target: String
    /// All fields but those that `encoded` writes.
    var fields = HTTPFields()
    var body: [UInt8] = []

    /// The fields that `encoded` writes itself, and those that would change where the message ends.
    static let reservedFields = [
        "Host", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "TE", "Trailer", "Expect",
        "Proxy-Authorization",
    ]

    /// Why the request must not be sent, with the name of the field at fault if there is one; `nil` if all is fine.
    var problem: String? {
        guard target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return "a target that is no path"
        }
        return fields.problem(reserved: Self.reservedFields, for: "client")
    }

    /// The bytes for a server that is called `host`.
    func encoded(host: String) -> [UInt8] {
        var head = "\(method.rawValue) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
        for field in fields.all { head += "\(field.name): \(field.value)\r\n" }
        if method == .post { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
}

extension HTTPFields {
    /// Why one of these fields must not be sent: it is malformed, or one of `reserved`, which `writer` writes. `nil` if
    /// not.
    func problem(reserved: [String], for writer: String) -> String? {
        for field in all {
            guard HTTPSyntax.isToken(field.name.utf8), field.value.utf8.allSatisfy(HTTPSyntax.isValueByte) else {
                return "the field \(field.name) is malformed"
            }
            if reserved.contains(where: { HTTPSyntax.equalIgnoringCase($0.utf8, field.name.utf8) }) {
                return "the \(writer) writes the field \(field.name)"
            }
        }
        return nil
    }
}
