// Tor's replies on its control port (control-spec, section 2.3): lines that end with CR LF. Pure: bytes in, replies out.

/// A whole reply, or an event.
package struct TorReply: Sendable, Equatable {
    /// 250 and the like; an event has 650.
    package var status: Int
    /// Its lines without the status.
    package var lines: [String]

    package init(status: Int, lines: [String]) {
        self.status = status
        self.lines = lines
    }

    package var isEvent: Bool { status / 100 == 6 }
    var isGood: Bool { status / 100 == 2 }

    /// The value of `KEY=VALUE`, which ends the line or is one word of it; quotes are taken off.
    func value(of key: String) -> String? {
        for line in lines {
            var rest = line[...]
            while let word = Self.takeWord(&rest) {
                if word.key == key { return word.value }
            }
        }
        return nil
    }

    /// The next word of a line; `"` begins a value that may have blanks, in which a backslash means the next character.
    private static func takeWord(_ rest: inout Substring) -> (key: String, value: String?)? {
        rest = rest.drop { $0 == " " }
        guard !rest.isEmpty else { return nil }
        let key = rest.prefix { $0 != "=" && $0 != " " }
        rest = rest.dropFirst(key.count)
        guard rest.first == "=" else { return (String(key), nil) }
        rest = rest.dropFirst()
        guard rest.first == "\"" else {
            let value = rest.prefix { $0 != " " }
            rest = rest.dropFirst(value.count)
            return (String(key), String(value))
        }
        rest = rest.dropFirst()
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            if character == "\\", let next = rest.popFirst() { value.append(next) } else { value.append(character) }
        }
        return (String(key), value)
    }
}

/// Something that no tor says.
package struct TorViolation: Error, Equatable {
    package var reason: String
}

/// Puts replies together from bytes in any cut.
package struct TorReplyReader: Sendable {
    /// Bytes of a line, its end included.
    package static let maxLineBytes = 4096
    /// Lines of a reply.
    package static let maxLines = 64

    private var bytes: [UInt8] = []
    /// Events may come between the lines of a reply.
    private var reply: TorReply?
    private var event: TorReply?
    /// The lines that come are a value, up to a dot: that of an event, or of a reply.
    private var dataOfEvent: Bool?

    package init() {}

    package mutating func append(_ more: [UInt8]) { bytes += more }

    /// The next reply or event; `nil` when more bytes are needed.
    package mutating func next() throws(TorViolation) -> TorReply? {
        while let line = try takeLine() {
            if let whole = try take(line) { return whole }
        }
        return nil
    }

    private mutating func takeLine() throws(TorViolation) -> String? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            guard bytes.count < Self.maxLineBytes else { throw TorViolation(reason: "a line without an end") }
            return nil
        }
        guard end < Self.maxLineBytes else { throw TorViolation(reason: "a line without an end") }
        guard end > 0, bytes[end - 1] == UInt8(ascii: "\r"),
            let line = String(validating: bytes[..<(end - 1)], as: UTF8.self),
            !line.utf8.contains(0), !line.utf8.contains(UInt8(ascii: "\r"))
        else { throw TorViolation(reason: "a line that is no text") }
        bytes.removeSubrange(...end)
        return line
    }

    private mutating func take(_ line: String) throws(TorViolation) -> TorReply? {
        if let isEvent = dataOfEvent {
            if line == "." {
                dataOfEvent = nil
            } else {
                // A dot at the beginning is doubled.
                try add(line.hasPrefix(".") ? String(line.dropFirst()) : line, isEvent: isEvent)
            }
            return nil
        }
        let digits = line.utf8.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }), let status = Int(line.prefix(3)),
            status >= 100, let mark = line.utf8.dropFirst(3).first
        else { throw TorViolation(reason: "a line without a status") }
        let isEvent = status / 100 == 6
        let begun = isEvent ? event : reply
        if let begun, begun.status != status { throw TorViolation(reason: "two statuses in one reply") }
        if begun == nil { set(TorReply(status: status, lines: []), isEvent: isEvent) }
        try add(String(line.dropFirst(4)), isEvent: isEvent)
        switch mark {
        case UInt8(ascii: " "):
            let whole = isEvent ? event : reply
            set(nil, isEvent: isEvent)
            return whole
        case UInt8(ascii: "-"): return nil
        case UInt8(ascii: "+"):
            dataOfEvent = isEvent
            return nil
        default: throw TorViolation(reason: "a line without a status")
        }
    }

    private mutating func set(_ value: TorReply?, isEvent: Bool) {
        if isEvent { event = value } else { reply = value }
    }

    private mutating func add(_ line: String, isEvent: Bool) throws(TorViolation) {
        guard (isEvent ? event : reply)?.lines.count ?? 0 < Self.maxLines else {
            throw TorViolation(reason: "a reply without an end")
        }
        if isEvent { event?.lines.append(line) } else { reply?.lines.append(line) }
    }
}
