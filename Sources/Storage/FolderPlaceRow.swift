// The four columns that say to which folder a file belongs, the same in `transfers` and `held`.

internal import ChatCore

enum FolderPlaceRow {
    static func columns(_ table: String = "") -> String {
        ["folder_set", "folder", "folder_files", "folder_bytes"].map { table + $0 }.joined(separator: ", ")
    }

    static func values(of place: FolderPlace?) -> [SQLiteValue] {
        guard let place else { return Array(repeating: .null, count: 4) }
        return [
            .text(place.set.text), .text(place.path), .integer(Int64(clamping: place.files)),
            .integer(Int64(clamping: place.bytes)),
        ]
    }

    static func place(from row: SQLiteRow, firstColumn c: Int32) throws(StoreError) -> FolderPlace? {
        guard let set = row.optionalText(c), let path = row.optionalText(c + 1) else { return nil }
        guard let set = MessageID(set), let files = UInt64(exactly: row.integer(c + 2)),
            let bytes = UInt64(exactly: row.integer(c + 3))
        else { throw MessageRow.damaged("the folder of a file") }
        return FolderPlace(set: set, path: path, files: files, bytes: bytes)
    }
}
