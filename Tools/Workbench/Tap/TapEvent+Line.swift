// The events of a tap in words and as facts for JSON.

internal import BLIPNet

extension TapEvent.Content {
    /// For people.
    var words: String {
        switch self {
        case .head(let line, let subprotocols):
            line.escaped + (subprotocols.isEmpty ? "" : "; subprotocol \(subprotocols.joined(separator: ", ").escaped)")
        case .opened(let dialect, let isDeflated):
            (dialect.map { "read as \($0.name)" } ?? "not read as BLIP; --dialect can say that it is")
                + (isDeflated ? ", permessage-deflate" : "")
        case .ping(let count): "ping, \(count.bytes)"
        case .pong(let count): "pong, \(count.bytes)"
        case .close(let code, let reason):
            "close"
                + (code == WebSocketCloseCode.none ? "" : " \(code)") + (reason.isEmpty ? "" : " \"\(reason.escaped)\"")
        case .message(let kind, let count): "\(kind.name) message, \(count.bytes)"
        case .frame(let frame): frame.words
        case .gap(let count): "! \(count.bytes) are missing here"
        case .problem(let problem): "! \(problem.escaped)"
        }
    }

    /// The value of `event` in JSON.
    var name: String {
        switch self {
        case .head: "http"
        case .opened: "open"
        case .ping: "ping"
        case .pong: "pong"
        case .close: "close"
        case .message: "message"
        case .frame: "frame"
        case .gap: "gap"
        case .problem: "problem"
        }
    }

    var facts: JSONObject {
        var facts = JSONObject()
        switch self {
        case .head(let line, let subprotocols):
            facts.add("line", .string(line))
            facts.add("subprotocols", .array(subprotocols.map { .string($0) }))
        case .opened(let dialect, let isDeflated):
            facts.add("dialect", dialect.map { .string($0.name) } ?? .null)
            facts.add("deflate", .bool(isDeflated))
        case .ping(let count), .pong(let count): facts.add("bytes", .integer(Int64(count)))
        case .close(let code, let reason):
            facts.add("code", code == WebSocketCloseCode.none ? .null : .integer(Int64(code)))
            facts.add("reason", .string(reason))
        case .message(let kind, let count):
            facts.add("kind", .string(kind.name))
            facts.add("bytes", .integer(Int64(count)))
        case .frame(let frame): frame.add(to: &facts)
        case .gap(let count): facts.add("bytes", count)
        case .problem(let problem): facts.add("problem", .string(problem))
        }
        return facts
    }
}

extension TapFrame {
    private var flags: [String] {
        [
            (isCompressed, "compressed"), (isUrgent, "urgent"), (isNoReply, "no-reply"), (isMeta, "meta"),
            (hasMore, "more"),
        ].filter { $0.0 }.map { $0.1 }
    }

    private var type: String {
        switch kind {
        case .request: "request"
        case .response: "response"
        case .errorResponse: "error response"
        case .ackOfRequest: "ACK of request"
        case .ackOfResponse: "ACK of response"
        case .unknown(let bits): "unknown type \(bits), number"
        }
    }

    fileprivate var words: String {
        var words = "\(type) \(number)"
        if let acknowledged {
            words += ": \(acknowledged.bytes)"
        } else {
            if !flags.isEmpty { words += " [\(flags.joined(separator: " "))]" }
            words += ", \(byteCount.bytes)"
            if let unpackedBytes { words += " (\(unpackedBytes) unpacked)" }
        }
        if let message { words += "; " + message.words }
        if let problem { words += " ! \(problem.escaped)" }
        return words
    }

    fileprivate func add(to facts: inout JSONObject) {
        facts.add("number", number)
        let name =
            switch kind {
            case .request: "request"
            case .response: "response"
            case .errorResponse: "error"
            case .ackOfRequest: "ack-of-request"
            case .ackOfResponse: "ack-of-response"
            case .unknown(let bits): "unknown-\(bits)"
            }
        facts.add("type", .string(name))
        facts.add("flags", .array(flags.map { .string($0) }))
        facts.add("bytes", .integer(Int64(byteCount)))
        if let unpackedBytes { facts.add("unpacked", .integer(Int64(unpackedBytes))) }
        if let acknowledged { facts.add("acknowledged", acknowledged) }
        if let message { facts.add("message", .object(message.facts.members)) }
        if let problem { facts.add("problem", .string(problem)) }
    }
}

extension TapMessage {
    /// Properties in a line; of long ones the beginning.
    private static let maxShown = 40
    private static let maxShownCharacters = 200

    fileprivate var words: String {
        var parts: [String] = []
        if let profile = properties.profile { parts.append(Self.shown(profile)) }
        if let error { parts.append("error \(Self.shown(error.domain)) \(error.code)") }
        if let problem {
            parts.append("! \(problem.escaped)")
        } else {
            parts.append("body \(bodyBytes.bytes)")
        }
        if frames > 1 { parts.append("\(frames) frames of \(byteCount.bytes)") }
        let others = properties.pairs.filter { $0.name != BLIPProperties.profileName }
        let shown = others.prefix(Self.maxShown).map { "\(Self.shown($0.name))=\"\(Self.shown($0.value))\"" }
        let more = others.count > Self.maxShown ? ["and \(others.count - Self.maxShown) more"] : []
        if !shown.isEmpty { parts.append((shown + more).joined(separator: " ")) }
        return parts.joined(separator: "; ")
    }

    private static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.count > maxShownCharacters else { return text.escaped }
        return String(String.UnicodeScalarView(scalars.prefix(maxShownCharacters))).escaped
            + "... (\(text.utf8.count) bytes)"
    }

    fileprivate var facts: JSONObject {
        var facts = JSONObject()
        if let profile = properties.profile { facts.add("profile", .string(profile)) }
        let pairs = properties.pairs.map { JSONValue.Member(name: $0.name, value: .string($0.value)) }
        facts.add("properties", .object(pairs))
        if let error {
            facts.add("error_domain", .string(error.domain))
            facts.add("error_code", .integer(Int64(error.code)))
        }
        facts.add("frames", .integer(Int64(frames)))
        facts.add("bytes", byteCount)
        facts.add("body", bodyBytes)
        if let problem { facts.add("problem", .string(problem)) }
        return facts
    }
}

extension WebSocketMessageKind {
    fileprivate var name: String {
        switch self {
        case .text: "text"
        case .binary: "binary"
        }
    }
}

extension BinaryInteger {
    /// `1 byte`, `2 bytes`.
    fileprivate var bytes: String { self == 1 ? "1 byte" : "\(self) bytes" }
}

extension String {
    /// With quotes, backslashes, control characters and what steers the direction of text as escapes.
    var escaped: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C: escaped += "\\\(scalar)"
            case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x206F, 0xFEFF:
                escaped += "\\u{\(scalar.value.hex(2))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
