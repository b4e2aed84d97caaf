// Whether the tables of a file are those that this program makes. A file from elsewhere may have more: a trigger that copies
// messages, a view in the place of a table. Nothing of such a file is run or read.

internal import ChatCore

enum SchemaComparison {
    /// One row of `sqlite_schema` (https://www.sqlite.org/schematab.html).
    private struct Entry: Hashable {
        var kind: String
        var name: String
        var table: String
        /// What it was made with, without what means nothing: other versions of SQLite may write blanks in other places.
        var tokens: [String]
    }

    /// Throws `.damaged` when the schema of `connection` is not the one that `steps` lead to, for the version of the file.
    static func verify(_ connection: SQLiteConnection, steps: [String] = Schema.migrations) throws(StoreError) {
        let version = try Migration(steps: steps).version(of: connection)
        guard let difference = try difference(of: connection, steps: steps.prefix(max(version, 0))) else { return }
        throw .damaged(path: connection.path, reason: difference)
    }

    /// The difference in words; `nil` when there is none.
    static func difference(
        of connection: SQLiteConnection, steps: some Sequence<String>
    ) throws(StoreError) -> String? {
        let model = try SQLiteConnection(path: ":memory:", mode: .readWrite)
        try SearchIndex.install(in: model)
        for step in steps { try model.executeScript(step) }
        let (found, expected) = (try entries(in: connection), try entries(in: model))
        guard found != expected else { return nil }
        func key(_ entry: Entry) -> String { "\(entry.kind) \(entry.name)" }
        let known = Set(expected.map(key))
        if let foreign = found.subtracting(expected).min(by: { key($0) < key($1) }) {
            return known.contains(key(foreign))
                ? "its \(key(foreign)) is not the one that blipchat creates"
                : "it has a \(key(foreign)), which blipchat does not create"
        }
        let missing = expected.subtracting(found).map(key).min() ?? ""
        return "its \(missing) is missing"
    }

    private static func entries(in connection: SQLiteConnection) throws(StoreError) -> Set<Entry> {
        // The tables of ANALYZE only help to find a way through the other tables.
        let rows = try connection.all(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat[0-9]*'"
        ) { row in
            Entry(
                kind: row.text(0), name: row.text(1), table: row.text(2),
                tokens: SQLTokens.of(row.optionalText(3) ?? ""))
        }
        return Set(rows)
    }
}

/// The words and signs of an SQL statement, without blanks and comments (https://www.sqlite.org/lang_comment.html).
enum SQLTokens {
    static func of(_ sql: String) -> [String] {
        var tokens: [String] = []
        var rest = Array(sql.utf8)[...]
        while let first = rest.first {
            let length: Int
            var isKept = true
            switch first {
            case 0x20, 0x09, 0x0A, 0x0C, 0x0D:
                length = 1
                isKept = false
            case UInt8(ascii: "-") where rest.dropFirst().first == first:
                length = rest.firstIndex(of: 0x0A).map { $0 - rest.startIndex } ?? rest.count
                isKept = false
            case UInt8(ascii: "/") where rest.dropFirst().first == UInt8(ascii: "*"):
                length = commentLength(rest)
                isKept = false
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): length = quotedLength(rest, first)
            case let byte where isWordByte(byte): length = rest.prefix(while: isWordByte).count
            default: length = 1
            }
            if isKept { tokens.append(String(decoding: rest.prefix(length), as: UTF8.self)) }
            rest = rest.dropFirst(length)
        }
        return tokens
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
            || byte >= 0x80
    }

    /// With its end; a doubled quote within is two pieces, which the next one continues.
    private static func quotedLength(_ rest: ArraySlice<UInt8>, _ quote: UInt8) -> Int {
        rest.dropFirst().firstIndex(of: quote).map { $0 - rest.startIndex + 1 } ?? rest.count
    }

    private static func commentLength(_ rest: ArraySlice<UInt8>) -> Int {
        var index = rest.startIndex + 2
        while index + 1 < rest.endIndex {
            if rest[index] == UInt8(ascii: "*"), rest[index + 1] == UInt8(ascii: "/") {
                return index + 2 - rest.startIndex
            }
            index += 1
        }
        return rest.count
    }
}
