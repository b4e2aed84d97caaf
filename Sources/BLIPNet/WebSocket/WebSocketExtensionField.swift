// The value of `Sec-WebSocket-Extensions` (RFC 6455 section 9.1): what a client offers and a server has chosen.

/// One element of the list: the token of an extension and its parameters in order.
struct WebSocketExtension: Equatable, Sendable {
    struct Parameter: Equatable, Sendable {
        var name: String
        /// `nil` for a parameter that is only named. A quoted value is stored without its quotes.
        var value: String?
    }

    var name: String
    var parameters: [Parameter] = []

    /// As it is sent.
    var text: String {
        parameters.reduce(name) { text, parameter in
            text + "; " + parameter.name + (parameter.value.map { "=" + $0 } ?? "")
        }
    }

    /// Reads all fields of that name in a head.
    static func parse(_ fields: HTTPFields) throws(HTTPHeadError) -> [WebSocketExtension] {
        var all: [WebSocketExtension] = []
        for value in fields.values("Sec-WebSocket-Extensions") {
            var parser = Parser(rest: Array(value.utf8)[...])
            guard let list = parser.list() else { throw .malformed("malformed Sec-WebSocket-Extensions") }
            all += list
        }
        return all
    }

    /// Reads one field value from the front to the end; `nil` when it does not keep to the grammar.
    private struct Parser {
        var rest: ArraySlice<UInt8>

        /// `1#extension`; empty elements are skipped (RFC 9110 section 5.6.1).
        mutating func list() -> [WebSocketExtension]? {
            var list: [WebSocketExtension] = []
            while true {
                skipBlanks()
                guard let first = rest.first else { return list.isEmpty ? nil : list }
                if first != UInt8(ascii: ",") {
                    guard let element = element() else { return nil }
                    list.append(element)
                }
                guard take(",") || rest.isEmpty else { return nil }
            }
        }

        private mutating func element() -> WebSocketExtension? {
            guard let name = token() else { return nil }
            var element = WebSocketExtension(name: name)
            while take(";") {
                guard let name = token() else { return nil }
                guard take("=") else {
                    element.parameters.append(Parameter(name: name))
                    continue
                }
                guard let value = rest.first == UInt8(ascii: "\"") ? quotedToken() : token() else { return nil }
                element.parameters.append(Parameter(name: name, value: value))
            }
            return element
        }

        /// A token and the blanks around it.
        private mutating func token() -> String? {
            skipBlanks()
            let token = rest.prefix(while: HTTPSyntax.isTokenByte)
            rest = rest[token.endIndex...]
            skipBlanks()
            return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
        }

        /// A quoted string, which must be a token once its quotes and backslashes are gone.
        private mutating func quotedToken() -> String? {
            rest.removeFirst()
            var value: [UInt8] = []
            while var byte = rest.popFirst() {
                if byte == UInt8(ascii: "\"") {
                    skipBlanks()
                    return HTTPSyntax.isToken(value) ? String(decoding: value, as: UTF8.self) : nil
                }
                if byte == UInt8(ascii: "\\") {
                    guard let escaped = rest.popFirst() else { return nil }
                    byte = escaped
                }
                value.append(byte)
            }
            return nil
        }

        private mutating func take(_ separator: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: separator) else { return false }
            rest.removeFirst()
            skipBlanks()
            return true
        }

        private mutating func skipBlanks() { rest = rest.drop(while: HTTPSyntax.isBlank) }
    }
}
