// How ids and times are coded between processes of blipchat: as a single number or text, checked when it is read.
// Everything else in the model is coded by its members.

extension MessageID: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = MessageID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a message id")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension PeerID: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = PeerID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a peer id")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
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
