// The fields of an HTTP head, in the order of the wire.

/// Field names and values; names are compared without regard to the case of ASCII letters.
public struct HTTPFields: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
        /// As it was sent.
        public var name: String
        /// Without the blanks around it.
        public var value: String
    }

    public private(set) var all: [Field] = []

    public init() {}

    public mutating func append(name: String, value: String) { all.append(Field(name: name, value: value)) }

    /// Without the fields called one of `names`.
    func without(_ names: [String]) -> HTTPFields {
        var fields = self
        fields.all.removeAll { field in
            names.contains { HTTPSyntax.equalIgnoringCase($0.utf8, field.name.utf8) }
        }
        return fields
    }

    /// With `value` at the end in place of every field called `name`.
    func replacing(_ name: String, with value: String) -> HTTPFields {
        var fields = without([name])
        fields.append(name: name, value: value)
        return fields
    }

    /// The values of every field called `name`, in order.
    public func values(_ name: String) -> [String] {
        all.filter { HTTPSyntax.equalIgnoringCase($0.name.utf8, name.utf8) }.map(\.value)
    }

    /// The value of the field, if there is exactly one called `name`.
    package func single(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// The elements of a comma-separated list (RFC 9110 section 5.6.1) that may be spread over several fields.
    /// Empty elements are left out, as the RFC asks of receivers.
    package func list(_ name: String) -> [String] {
        values(name).flatMap { value in
            Array(value.utf8).split(separator: UInt8(ascii: ",")).map { HTTPSyntax.trimmed($0) }
                .filter { !$0.isEmpty }.map { HTTPSyntax.text($0) }
        }
    }

    /// Whether the list field `name` has the element `token`, in any case of letters.
    package func list(_ name: String, contains token: String) -> Bool {
        list(name).contains { HTTPSyntax.equalIgnoringCase($0.utf8, token.utf8) }
    }
}
