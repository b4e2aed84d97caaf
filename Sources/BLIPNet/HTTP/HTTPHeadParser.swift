// Reads whole HTTP/1.1 heads (RFC 9112), strictly: whatever two readers could understand differently is refused.

/// Parses the bytes that `HTTPHeadScanner` has found, in time linear in their number.
enum HTTPHeadParser {
    /// A request head, `bytes` being all of it with the empty line.
    static func parseRequest(_ bytes: [UInt8], maxFields: Int) throws(HTTPHeadError) -> HTTPRequestHead {
        var lines = Lines(bytes)
        let line = lines.next() ?? []
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, HTTPSyntax.isToken(parts[0]), !parts[1].isEmpty,
            parts[1].allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .malformed("malformed request line") }
        try checkVersion(parts[2])
        return HTTPRequestHead(
            method: HTTPSyntax.text(parts[0]), target: HTTPSyntax.text(parts[1]),
            fields: try parseFields(&lines, maxFields: maxFields))
    }

    /// A response head, `bytes` being all of it with the empty line.
    static func parseResponse(_ bytes: [UInt8], maxFields: Int) throws(HTTPHeadError) -> HTTPResponseHead {
        var lines = Lines(bytes)
        let line = lines.next() ?? []
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard let version = parts.first else { throw .malformed("malformed status line") }
        // RFC 9112 asks for the space before an empty reason phrase; some servers leave it out.
        guard parts.count >= 2, parts[1].count == 3, parts[1].allSatisfy(HTTPSyntax.isDigit) else {
            throw .malformed("malformed status line")
        }
        let status = parts[1].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard status >= 100, parts.count == 2 || parts[2].allSatisfy(HTTPSyntax.isValueByte) else {
            throw .malformed("malformed status line")
        }
        // Many proxies and small servers say no in HTTP/1.0; an upgrade needs 1.1.
        try checkVersion(version, allowing10: status != 101)
        return HTTPResponseHead(
            status: status, reason: parts.count == 3 ? HTTPSyntax.text(parts[2]) : "",
            fields: try parseFields(&lines, maxFields: maxFields))
    }

    private static func checkVersion(_ version: ArraySlice<UInt8>, allowing10: Bool = false) throws(HTTPHeadError) {
        let prefix = Array("HTTP/".utf8)
        guard version.count == 8, version.starts(with: prefix) else { throw .malformed("this is not HTTP") }
        let number = version.dropFirst(5)
        guard number.elementsEqual("1.1".utf8) || allowing10 && number.elementsEqual("1.0".utf8) else {
            throw .unsupportedVersion
        }
    }

    private static func parseFields(_ lines: inout Lines, maxFields: Int) throws(HTTPHeadError) -> HTTPFields {
        var fields = HTTPFields()
        while let line = lines.next() {
            if line.isEmpty {
                guard lines.isAtEnd else { throw .malformed("bytes after the head") }
                return fields
            }
            guard fields.all.count < maxFields else { throw .tooManyFields }
            guard let first = line.first, !HTTPSyntax.isBlank(first) else { throw .malformed("folded header field") }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed("field without a colon") }
            // A token has no blanks, so a blank before the colon ends here as well.
            guard HTTPSyntax.isToken(line[..<colon]) else { throw .malformed("malformed field name") }
            let value = HTTPSyntax.trimmed(line[(colon + 1)...])
            guard value.allSatisfy(HTTPSyntax.isValueByte) else { throw .malformed("control character in a field") }
            fields.append(name: HTTPSyntax.text(line[..<colon]), value: HTTPSyntax.text(value))
        }
        throw .malformed("head without an end")
    }

    /// The lines of a head, without their CRLF.
    private struct Lines {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { rest = bytes[...] }

        var isAtEnd: Bool { rest.isEmpty }

        /// `nil` at the end, and for a last line that has no CRLF.
        mutating func next() -> ArraySlice<UInt8>? {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")), end > rest.startIndex,
                rest[end - 1] == UInt8(ascii: "\r")
            else { return nil }
            defer { rest = rest[(end + 1)...] }
            return rest[..<(end - 1)]
        }
    }
}

extension HTTPFields {
    /// Refuses a head that announces a body: an upgrade has none, and a body would be read as frames.
    func refuseBody() throws(HTTPHeadError) {
        guard values("Transfer-Encoding").isEmpty, values("Content-Length").allSatisfy({ $0 == "0" }) else {
            throw .malformed("a body in the handshake")
        }
    }
}
