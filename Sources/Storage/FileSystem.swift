// The few file operations that a database needs before SQLite takes over.

internal import ChatCore
internal import Glibc

enum FileSystem {
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }

    /// Bytes of the file; `nil` when it is not there.
    static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Makes sure that a regular file stands at `path`, readable and writable by its owner only when it is new.
    static func createPrivately(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpen(path: path, reason: reason()) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .cannotOpen(path: path, reason: "not a regular file")
        }
    }

    /// The `user_version` in the header of a database file, without opening it as one; `nil` when it has no such
    /// header. (https://www.sqlite.org/fileformat.html, "The Database Header": bytes 60 to 63, big-endian.)
    static func userVersionInHeader(_ path: String) -> Int? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 100)
        guard read(descriptor, &header, header.count) == header.count else { return nil }
        guard header.starts(with: "SQLite format 3\0".utf8) else { return nil }
        return header[60..<64].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The words of the last failed system call.
    static func reason() -> String { String(cString: strerror(errno)) }
}
