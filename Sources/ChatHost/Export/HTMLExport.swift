// An export for people, as a page that any browser shows: no script, nothing from elsewhere, and nothing in it can become
// either. Every text from outside has passed the filter of PRODUCT "Hostile text" and is escaped.

import BLIPNet
import ChatCore
import ChatWords
import Storage

struct HTMLExport: ExportWriter {
    let records: Records
    private var isOpen = false

    init(records: Records) { self.records = records }

    func begin() -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="referrer" content="no-referrer">
        <title>blipchat history</title>
        <style>
        body { font-family: sans-serif; max-width: 60em; margin: auto; padding: 1em; }
        time, .state, .note { color: #666; font-size: smaller; }
        .text { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 0.5em 2em; unicode-bidi: plaintext; }
        .out b { color: #055; }
        </style>
        </head>
        <body>

        """
    }

    mutating func begin(_ peer: Peer, keep: Retention?) -> String {
        let name = Self.escaped(SafeText(peer.name, as: .name).terminalString())
        let key = Self.escaped(ExportedContact.place(of: peer))
        let start = isOpen ? "</section>\n" : ""
        isOpen = true
        let standing = Records.standing(of: peer)
        return start + "<section>\n<h2>\(name)</h2>\n<p class=\"note\">\(key), \(standing)</p>\n"
    }

    func message(_ exported: ExportedMessage, file: ExportFiles.Copy?) -> String {
        let message = exported.message
        let words = records.words(of: message)
        let isOurs = message.direction == .outgoing
        var html = "<div class=\"\(isOurs ? "out" : "in")\" id=\"m\(Self.escaped(message.id.text))\">"
        html += "<time datetime=\"\(RFC3339.text(message.shownTime))\">\(LocalTime.text(message.shownTime))</time> "
        html += "<b>\(Self.escaped(words.author.terminalString()))</b>"
        if isOurs { html += " <span class=\"state\">\(Records.word(message.state))</span>" }
        html += "<div class=\"text\">\(Self.body(words, copy: file?.path))</div>"
        let notes = MessageLines(records: records).notes(of: message)
        if !notes.isEmpty { html += "<div class=\"note\">\(notes.map(Self.escaped).joined(separator: ", "))</div>" }
        return html + "</div>\n"
    }

    private static func body(_ words: MessageWords, copy: String?) -> String {
        if let removal = words.removal { return note(removal) }
        guard let file = words.file else {
            let text = words.text()
            return escaped(text.terminalString()) + hidden(text.hiddenNote)
        }
        var html = escaped(file.name.terminalString())
        if let copy { html = "<a href=\"\(link(copy))\">\(html)</a>" }
        html += " <span class=\"state\">\(file.transfer.size) bytes, \(file.state)</span>"
        if file.hasCaption { html += "<br>" + escaped(file.caption.terminalString()) }
        return html + hidden(file.hiddenNote)
    }

    private static func hidden(_ text: SafeText?) -> String { text.map { " " + note($0) } ?? "" }

    private static func note(_ text: SafeText) -> String {
        "<span class=\"note\">\(escaped(text.terminalString()))</span>"
    }

    func operation(_ operation: ChatOperation) -> String { "" }

    func end() -> String { (isOpen ? "</section>\n" : "") + "</body>\n</html>\n" }

    /// For text between tags and for values of attributes in double quotes.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// A relative path as a link: everything but letters, digits, `-`, `_`, `.` and `/` in percent form, and never
    /// something that a browser could take for a scheme.
    static func link(_ path: String) -> String {
        var link: [UInt8] = Array("./".utf8)
        for byte in path.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "/"):
                link.append(byte)
            default: link += "%\(byte.hex(2, uppercase: true))".utf8
            }
        }
        return String(decoding: link, as: UTF8.self)
    }
}
