// Reads the value of WWW-Authenticate and Proxy-Authenticate (RFC 9110 section 11.6.1). The comma separates both
// parameters and challenges there, so only what follows a word tells what it was.

/// Parses one field value, in time linear in its length.
struct HTTPChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ value: String) { bytes = Array(value.utf8) }

    /// The challenges up to the end, or to the first place that is malformed.
    mutating func parse() -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        skipSeparators()
        while let challenge = takeChallenge() {
            if let challenge = challenge.challenge { challenges.append(challenge) }
            guard !challenge.isBroken else { break }
        }
        return challenges
    }

    /// A challenge whose end was found or not, and that can be used or not.
    private struct Outcome {
        var challenge: HTTPChallenge?
        var isBroken = false
    }

    private mutating func takeChallenge() -> Outcome? {
        guard let scheme = takeToken() else { return nil }
        let name = Self.lowercased(scheme)
        guard position < bytes.count, HTTPSyntax.isBlank(bytes[position]) else {
            // The scheme alone, up to a comma or the end.
            guard skipSeparators() || position == bytes.count else { return Outcome(isBroken: true) }
            return Outcome(challenge: HTTPChallenge(scheme: name))
        }
        skipBlanks()
        if let token68 = takeToken68() {
            skipSeparators()
            return Outcome(challenge: HTTPChallenge(scheme: name, token68: token68))
        }
        return takeParameters(of: name)
    }

    private mutating func takeParameters(of scheme: String) -> Outcome {
        var parameters: [String: String] = [:]
        var isAmbiguous = false
        var isBroken = false
        var isBehindComma = skipSeparators()
        while position < bytes.count {
            let start = position
            guard let name = takeToken() else {
                isBroken = true
                break
            }
            skipBlanks()
            guard take(UInt8(ascii: "=")) else {
                // The word was the scheme of the next challenge, if there was a comma before it.
                position = start
                isBroken = !isBehindComma
                break
            }
            skipBlanks()
            guard let value = takeToken().map({ HTTPSyntax.text($0) }) ?? takeQuotedString() else {
                isBroken = true
                break
            }
            isAmbiguous = parameters.updateValue(value, forKey: Self.lowercased(name)) != nil || isAmbiguous
            isBehindComma = skipSeparators()
            guard isBehindComma || position == bytes.count else {
                isBroken = true
                break
            }
        }
        let isUsable = !isAmbiguous && !isBroken
        return Outcome(
            challenge: isUsable ? HTTPChallenge(scheme: scheme, parameters: parameters) : nil, isBroken: isBroken)
    }

    // MARK: Pieces

    private mutating func takeToken() -> ArraySlice<UInt8>? {
        let start = position
        while position < bytes.count, HTTPSyntax.isTokenByte(bytes[position]) { position += 1 }
        return position > start ? bytes[start..<position] : nil
    }

    /// One value up to the comma or the end: letters, digits, `-._~+/`, and `=` only at its end.
    private mutating func takeToken68() -> String? {
        var end = position
        while end < bytes.count, Self.isToken68Byte(bytes[end]) { end += 1 }
        guard end > position else { return nil }
        while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end += 1 }
        var next = end
        while next < bytes.count, HTTPSyntax.isBlank(bytes[next]) { next += 1 }
        guard next == bytes.count || bytes[next] == UInt8(ascii: ",") else { return nil }
        defer { position = next }
        return HTTPSyntax.text(bytes[position..<end])
    }

    private static func isToken68Byte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~+/".utf8.contains(byte)
        }
    }

    /// The text between quotation marks, its backslashes taken away.
    private mutating func takeQuotedString() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var text: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return HTTPSyntax.text(text[...])
            case UInt8(ascii: "\\"):
                guard position < bytes.count else { return nil }
                text.append(bytes[position])
                position += 1
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while position < bytes.count, HTTPSyntax.isBlank(bytes[position]) { position += 1 }
    }

    /// Goes over blanks and commas; returns whether there was a comma.
    @discardableResult
    private mutating func skipSeparators() -> Bool {
        var hasComma = false
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: ",") {
                hasComma = true
            } else if !HTTPSyntax.isBlank(bytes[position]) {
                break
            }
            position += 1
        }
        return hasComma
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map(HTTPSyntax.lowercased), as: UTF8.self)
    }
}
