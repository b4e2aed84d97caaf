// The records on a b-tree page, read without SQLite (https://www.sqlite.org/fileformat.html#b_tree_pages).

/// A value of a record.
enum RawValue: Equatable {
    case null
    case integer(Int64)
    case real
    case text(String)
    case blob
}

/// A row as it lies in a table's leaf page (`rowID`), or an entry of an index or of a table without row ids (`nil`).
struct RawRecord: Equatable {
    var rowID: Int64?
    var values: [RawValue]
}

/// Reads records, and stops at whatever cannot be one: bounds first, nothing believed.
struct RawRecordReader {
    let pages: RawPages

    /// Longer ones are not ours: a text has 64 KiB at most.
    private static let maximumPayload = 1 << 20

    /// All readable records of a page; none when it is no leaf.
    func records(onPage number: Int) -> [RawRecord] {
        let page = pages.page(number)
        let start = number == 1 ? 100 : 0
        guard page.count > start + 8 else { return [] }
        let isTable = page[start] == 0x0D
        guard isTable || page[start] == 0x0A else { return [] }
        let cellCount = Int(page[start + 3]) << 8 | Int(page[start + 4])
        var records: [RawRecord] = []
        for index in 0..<cellCount {
            let pointer = start + 8 + 2 * index
            guard pointer + 2 <= page.count else { break }
            let offset = Int(page[pointer]) << 8 | Int(page[pointer + 1])
            if let record = record(on: page, at: offset, isTable: isTable) { records.append(record) }
        }
        return records
    }

    private func record(on page: [UInt8], at offset: Int, isTable: Bool) -> RawRecord? {
        var cursor = RawCursor(page, at: offset)
        guard let length = cursor.varint(), let size = Int(exactly: length), (1...Self.maximumPayload).contains(size)
        else {
            return nil
        }
        var rowID: Int64?
        if isTable {
            guard let id = cursor.varint() else { return nil }
            rowID = id
        }
        guard let payload = payload(of: size, on: page, at: cursor.offset, isTable: isTable),
            let values = Self.values(of: payload)
        else { return nil }
        return RawRecord(rowID: rowID, values: values)
    }

    /// The payload with its overflow pages ("Cell Payload Overflow Pages").
    private func payload(of size: Int, on page: [UInt8], at offset: Int, isTable: Bool) -> [UInt8]? {
        let usable = pages.usableSize
        let most = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
        let least = (usable - 12) * 32 / 255 - 23
        var local = size
        if size > most {
            local = least + (size - least) % (usable - 4)
            if local > most { local = least }
        }
        guard offset + local <= min(usable, page.count) else { return nil }
        var payload = Array(page[offset..<(offset + local)])
        guard local < size else { return payload }
        var next = page.uint32(at: offset + local).map { Int($0) } ?? 0
        while payload.count < size {
            guard (2...max(pages.count, 2)).contains(next) else { return nil }
            let overflow = pages.page(next)
            guard overflow.count >= usable, let following = overflow.uint32(at: 0) else { return nil }
            payload += overflow[4..<min(4 + size - payload.count, usable)]
            next = Int(following)
        }
        // Behind the last one there is none; else it was not the last one, or is no part of this at all.
        return next == 0 ? payload : nil
    }

    /// "Record Format": a header of types, then the values.
    private static func values(of payload: [UInt8]) -> [RawValue]? {
        var header = RawCursor(payload, at: 0)
        guard let length = header.varint(), let headerEnd = Int(exactly: length),
            (1...payload.count).contains(headerEnd)
        else { return nil }
        var body = RawCursor(payload, at: headerEnd)
        var values: [RawValue] = []
        while header.offset < headerEnd {
            guard values.count < 100, let type = header.varint(), let value = value(of: type, &body) else { return nil }
            values.append(value)
        }
        return header.offset == headerEnd && body.offset == payload.count ? values : nil
    }

    private static func value(of type: Int64, _ body: inout RawCursor) -> RawValue? {
        switch type {
        case 0: return .null
        case 1...4: return body.integer(bytes: Int(type)).map { .integer($0) }
        case 5: return body.integer(bytes: 6).map { .integer($0) }
        case 6: return body.integer(bytes: 8).map { .integer($0) }
        case 7: return body.bytes(8).map { _ in .real }
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 12...(1 << 24):
            guard let bytes = body.bytes(Int(type - 12) / 2) else { return nil }
            if type & 1 == 0 { return .blob }
            // What is not UTF-8 was never written by this program: a page between has been lost.
            return String(validating: bytes, as: UTF8.self).map { .text($0) }
        default: return nil
        }
    }
}

/// Goes through bytes and never beyond them.
private struct RawCursor {
    private let bytes: [UInt8]
    private(set) var offset: Int

    init(_ bytes: [UInt8], at offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    /// One to nine bytes, seven bits each, all eight of the ninth.
    mutating func varint() -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard offset < bytes.count else { return nil }
            let byte = bytes[offset]
            offset += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return Int64(bitPattern: value) }
        }
        return nil
    }

    /// Big-endian with a sign.
    mutating func integer(bytes count: Int) -> Int64? {
        guard let part = bytes(count), let first = part.first else { return nil }
        var value: Int64 = first & 0x80 == 0 ? 0 : -1
        for byte in part { value = value << 8 | Int64(byte) }
        return value
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return bytes[offset..<(offset + count)]
    }
}
