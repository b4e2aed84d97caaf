// The names that readdir(3) gives.

import Glibc

enum DirectoryStream {
    /// All names but "." and "..", from where the stream stands; `nil` for one that is not UTF-8.
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
