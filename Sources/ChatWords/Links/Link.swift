// An address in a text that can be opened. Found by LinkScanner; every cluster of the text knows the link it belongs
// to, so that links survive wrapping and cutting, and the screen can name them to the terminal (OSC 8).

import ChatCore

/// A link as written in a text, taken apart.
package final class Link: Sendable, Hashable {
    /// Longer addresses are not given to the terminal (PRODUCT, "Hostile text" 5).
    package static let terminalLimit = 2_048
    private static let webSchemes: Set<String> = ["http", "https"]
    private static let terminalSchemes: Set<String> = ["http", "https", "file"]

    /// As it is shown: nothing invisible is in it.
    package let text: String
    /// Lower case.
    package let scheme: String
    /// The host with its port as written; empty for a link that has none.
    package let host: String
    /// The text between `://` and the host; empty nearly always.
    package let user: String
    /// Path, query and fragment.
    package let path: String

    /// What is opened: the text, with the scheme that it means where it has none (`www.example.org`).
    package let target: String

    package init(_ text: String, assuming assumed: String? = nil) {
        self.text = text
        let target = assumed.map { "\($0)://\(text)" } ?? text
        self.target = target
        let bytes = target.utf8
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        scheme = target[..<colon].lowercased()
        let afterColon = target[colon...].dropFirst()
        guard afterColon.hasPrefix("//") else {
            host = ""
            user = ""
            path = String(afterColon)
            terminalURI = nil
            return
        }
        let rest = afterColon.dropFirst(2)
        let end = rest.firstIndex { "/?#\\".contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        let at = authority.lastIndex(of: "@")
        user = at.map { String(authority[..<$0]) } ?? ""
        host = String(at.map { authority[authority.index(after: $0)...] } ?? authority)
        path = String(rest[end...])
        terminalURI = Self.terminalURI(scheme, user: user, host: host, path: path)
    }

    private static func terminalURI(_ scheme: String, user: String, host: String, path: String) -> String? {
        guard terminalSchemes.contains(scheme), scheme == "file" || !host.isEmpty else { return nil }
        let authority = (user.isEmpty ? "" : encoded(user) + "@") + encoded(HostName(host).ascii)
        let uri = "\(scheme)://\(authority)\(encoded(path))"
        return uri.utf8.count <= terminalLimit ? uri : nil
    }

    /// It is opened without a question.
    package var isWeb: Bool { Self.webSchemes.contains(scheme) && !host.isEmpty }

    /// The host as people may trust it: in ASCII where it mixes scripts, which may be made to look like another one.
    package var shownHost: String { HostName(host).shown }

    /// The address for the terminal: ASCII, percent-encoded, the host in its ASCII form. `nil` for schemes that no
    /// terminal should be given and for addresses of more than 2 KiB.
    package let terminalURI: String?

    /// The same for all pieces of one link, also over several rows: the `id` of OSC 8. Ends with the run.
    package var terminalID: String {
        let hash = text.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 36)
    }

    /// Everything that RFC 3986 does not allow in an address as %XX.
    private static func encoded(_ part: String) -> String {
        PercentEncoding.encode(part, allowing: ":/?#[]@!$&'()*+,;=%")
    }

    package static func == (left: Link, right: Link) -> Bool { left === right || left.text == right.text }
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
