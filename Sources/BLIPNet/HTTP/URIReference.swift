// URI references by RFC 3986: what users type and what servers put into `Location`, taken apart and resolved.
// Works on bytes; `WebSocketURL` gives the parts their meaning.

/// The five parts of a URI or relative reference, still percent-encoded. Every part is ASCII without blanks or control
/// characters; bytes that a URI may not contain are percent-encoded when it is read.
struct URIReference: Sendable, Equatable {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?
    var fragment: String?

    /// Reads any reference. `nil` when there are control characters in it, or broken percent-encoding.
    init?(_ text: String) {
        guard var rest = Self.encoded(text)?[...] else { return nil }
        fragment = Self.takeTail(&rest, behind: UInt8(ascii: "#"))
        query = Self.takeTail(&rest, behind: UInt8(ascii: "?"))
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = String(decoding: rest[..<colon].map(HTTPSyntax.lowercased), as: UTF8.self)
            rest = rest[(colon + 1)...]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[end...]
        }
        path = String(decoding: rest, as: UTF8.self)
    }

    /// This reference as seen from `base`, without its fragment (RFC 3986 section 5.2.2).
    func resolved(against base: URIReference) -> URIReference {
        var target = self
        target.fragment = nil
        if scheme == nil {
            target.scheme = base.scheme
            if authority == nil {
                target.authority = base.authority
                if path.isEmpty {
                    target.path = base.path
                    target.query = query ?? base.query
                } else if path.utf8.first != UInt8(ascii: "/") {
                    target.path = Self.merged(base: base, path: path)
                }
            }
        }
        target.path = Self.withoutDotSegments(target.path)
        return target
    }

    /// Section 5.2.3: the base's path up to its last slash, followed by `path`.
    private static func merged(base: URIReference, path: String) -> String {
        if base.authority != nil, base.path.isEmpty { return "/" + path }
        let bytes = Array(base.path.utf8)
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(decoding: bytes[...slash], as: UTF8.self) + path
    }

    /// Section 5.2.4, segment by segment: `.` goes, `..` takes the segment before it away.
    static func withoutDotSegments(_ path: String) -> String {
        let segments = Array(path.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isAbsolute = segments.count > 1 && segments[0].isEmpty
        var kept: [ArraySlice<UInt8>] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            if segment.elementsEqual(".".utf8) {
                if isLast { kept.append([]) }
            } else if segment.elementsEqual("..".utf8) {
                // The empty segment in front of the first slash is the root and stays.
                if kept.count > (isAbsolute ? 1 : 0) { kept.removeLast() }
                if isLast { kept.append([]) }
            } else {
                kept.append(segment)
            }
        }
        return String(decoding: Array(kept.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
    }

    /// The text after the first `mark`; both are cut off. `nil` when there is no `mark`.
    private static func takeTail(_ rest: inout ArraySlice<UInt8>, behind mark: UInt8) -> String? {
        guard let index = rest.firstIndex(of: mark) else { return nil }
        defer { rest = rest[..<index] }
        return String(decoding: rest[(index + 1)...], as: UTF8.self)
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { isLetter($0) || HTTPSyntax.isDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(HTTPSyntax.lowercased(byte))
    }

    // MARK: Percent-encoding (section 2.1)

    /// `text` with each byte that a URI may not contain written as `%XX`; `nil` for control characters and for a `%`
    /// without two hexadecimal digits.
    private static func encoded(_ text: String) -> [UInt8]? {
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), percentDecoded(text) != nil else { return nil }
        return HTTPSyntax.percentEncoded(text, allowing: "%:/?#[]@!$&'()*+,;=")
    }

    /// The bytes that `text` means; `nil` when a `%` is not followed by two hexadecimal digits.
    static func percentDecoded(_ text: String) -> [UInt8]? {
        var decoded: [UInt8] = []
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = bytes.next().flatMap(HTTPSyntax.hexValue),
                let low = bytes.next().flatMap(HTTPSyntax.hexValue)
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return decoded
    }
}
