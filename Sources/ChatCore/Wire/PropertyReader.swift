// Reads typed values out of a received message's properties; used by every codec in this folder.

import BLIPNet

/// Typed, strict access to properties that a peer sent.
struct PropertyReader {
    let properties: BLIPProperties

    init(_ properties: BLIPProperties) { self.properties = properties }

    /// The text of `name`, at most `limit` bytes of UTF-8, not empty.
    func text(_ name: String, limit: Int) throws(WireError) -> String {
        guard let value = properties[name] else { throw .missing(name) }
        guard !value.isEmpty, value.utf8.count <= limit else { throw .malformed(name) }
        return value
    }

    /// Like `text`, or `nil` when the property is not there or empty.
    func optionalText(_ name: String, limit: Int) throws(WireError) -> String? {
        guard let value = properties[name], !value.isEmpty else { return nil }
        guard value.utf8.count <= limit else { throw .malformed(name) }
        return value
    }

    /// A decimal number that is not negative and fits an `Int64`.
    func number(_ name: String) throws(WireError) -> UInt64 {
        guard let value = properties[name] else { throw .missing(name) }
        guard let number = Decimal.parse(value) else { throw .malformed(name) }
        return number
    }

    func timestamp(_ name: String) throws(WireError) -> Timestamp {
        guard let milliseconds = Int64(exactly: try number(name)) else { throw .malformed(name) }
        return Timestamp(milliseconds: milliseconds)
    }

    /// A sender's sequence number, from 1.
    func sequence(_ name: String) throws(WireError) -> Int64 {
        guard let value = Int64(exactly: try number(name)), value > 0 else { throw .malformed(name) }
        return value
    }

    func id(_ name: String) throws(WireError) -> MessageID {
        guard let value = properties[name] else { throw .missing(name) }
        guard let id = MessageID(value) else { throw .malformed(name) }
        return id
    }

    func optionalID(_ name: String) throws(WireError) -> MessageID? {
        guard properties[name] != nil else { return nil }
        return try id(name)
    }
}

extension Timestamp {
    /// As it is sent: decimal milliseconds, nothing before 1970.
    var wireText: String { String(max(0, milliseconds)) }
}
