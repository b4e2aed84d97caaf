// The names that readdir(3) gives.

import Glibc

enum DirectoryStream {
    /// The entry found under a name.
    struct Found: Sendable {
        /// `nil` when it is not UTF-8.
        var name: String?
        /// The same with U+FFFD for bytes that are no text: only to be shown.
        var shown: String
        /// It is a regular file or a folder, or the file system does not say what it is.
        var mayHoldFile: Bool
    }

    /// Everything but "." and "..", from where the stream is.
    static func found(in stream: OpaquePointer) -> [Found] {
        var all: [Found] = []
        while let entry = readdir(stream) {
            let kind = Int32(entry.pointee.d_type)
            let found = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let name = bytes.prefix { $0 != 0 }
                return Found(
                    name: String(validating: name, as: UTF8.self), shown: String(decoding: name, as: UTF8.self),
                    mayHoldFile: kind == directoryKind || kind == regularKind || kind == unknownKind)
            }
            if found.shown != ".", found.shown != ".." { all.append(found) }
        }
        return all
    }

    // DT_UNKNOWN, DT_DIR and DT_REG of <dirent.h>, an enumeration there.
    private static let unknownKind: Int32 = 0
    private static let directoryKind: Int32 = 4
    private static let regularKind: Int32 = 8

    /// All names but "." and "..", from where the stream is; `nil` for one that is not UTF-8.
    static func names(of stream: OpaquePointer) -> [String?] {
        var names: [String?] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
