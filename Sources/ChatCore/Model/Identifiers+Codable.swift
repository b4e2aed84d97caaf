// How ids and times are coded between processes of blipchat: as a single number or text, checked when it is read.
// Everything else in the model is coded by its members.

/// A value that is coded as a single text.
package protocol TextCoded: Codable {
    /// Reads the text; `nil` when it is not of this kind.
    init?(_ text: String)
    var codedText: String { get }
    /// The name of the kind, for errors.
    static var kind: String { get }
}

extension TextCoded {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a \(Self.kind)")
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(codedText)
    }
}

extension MessageID: TextCoded {
    package var codedText: String { text }
    package static var kind: String { "message id" }
}

extension PeerID: TextCoded {
    package var codedText: String { text }
    package static var kind: String { "peer id" }
}

extension Route: TextCoded {
    package var codedText: String { description }
    package static var kind: String { "route" }
}

extension ContactID: Codable {
    package init(from decoder: any Decoder) throws { self.init(try Int64(from: decoder)) }
    package func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension HistoryPosition: Codable {
    package init(from decoder: any Decoder) throws { self.init(try Int64(from: decoder)) }
    package func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension TransferNumber: Codable {
    package init(from decoder: any Decoder) throws { self.init(try Int64(from: decoder)) }
    package func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension Timestamp: Codable {
    package init(from decoder: any Decoder) throws { self.init(milliseconds: try Int64(from: decoder)) }
    package func encode(to encoder: any Encoder) throws { try milliseconds.encode(to: encoder) }
}
