// The few file operations that a database needs before, beside and after SQLite.

internal import CLinux
internal import CSQLite
internal import ChatCore
internal import Glibc

enum FileSystem {
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Bytes of the file; `nil` when it is not there.
    static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Makes sure that there is a regular file at `path`; a new one is readable and writable by its owner only. An
    /// existing one is not opened: see `headerField`.
    static func createPrivately(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        guard descriptor >= 0 || errno == EEXIST else { throw .cannotOpen(path: path, reason: reason()) }
        var status = stat()
        guard stat(path, &status) == 0 else { throw .cannotOpen(path: path, reason: reason()) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .cannotOpen(path: path, reason: "not a regular file") }
    }

    /// To open anything else can last forever.
    static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether a database can only be read and is whole without a log: nothing can be made beside it, nor is anything there.
    static func isFixed(_ path: String) -> Bool {
        guard access(PathParts.folder(of: path), W_OK) != 0, errno == EROFS || errno == EACCES else { return false }
        return ["-wal", "-journal"].allSatisfy { suffix in
            var status = stat()
            return stat(path + suffix, &status) != 0 || status.st_size == 0
        }
    }

    /// Makes an empty file (0600) where nothing is yet.
    static func createNew(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw errno == EEXIST ? .fileExists(path: path) : .cannotOpen(path: path, reason: reason())
        }
        close(descriptor)
    }

    /// Makes the file's content, and its existence, last through a power cut.
    static func sync(_ path: String) throws(StoreError) {
        for place in [path, PathParts.folder(of: path)] {
            let descriptor = open(place, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .cannotOpen(path: place, reason: reason()) }
            let code = fsync(descriptor)
            let words = reason()
            close(descriptor)
            // Some file systems cannot sync a folder; there is nothing better to be done then.
            guard code == 0 || place != path else { throw .cannotOpen(path: place, reason: words) }
        }
    }

    /// Moves a file over another one, or to where none is.
    static func move(_ path: String, to target: String) throws(StoreError) {
        guard rename(path, target) == 0 else { throw .cannotOpen(path: target, reason: reason()) }
        try sync(target)
    }

    /// It is no error when the file is not there.
    static func remove(_ path: String) throws(StoreError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .cannotOpen(path: path, reason: reason()) }
    }

    /// A database and its log and index of the log.
    static func removeDatabase(_ path: String) throws(StoreError) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try remove(path + suffix) }
    }

    /// The names in a folder; none when it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.sorted()
    }

    /// Bytes from `offset` on, up to `count`; fewer at the end of the file.
    static func read(_ descriptor: Int32, at offset: Int64, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let part = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset) + off_t(done))
            }
            if part < 0, errno == EINTR { continue }
            guard part > 0 else { break }
            done += part
        }
        return Array(bytes.prefix(done))
    }

    /// The `user_version` in the header of a database file, without opening it as one; `nil` when it has no such
    /// header. (https://www.sqlite.org/fileformat.html, "The Database Header": bytes 60 to 63, big-endian.)
    static func userVersionInHeader(_ path: String) -> Int? { headerField(at: 60, of: path) }

    /// The same for the `application_id` (bytes 68 to 71).
    static func applicationIDInHeader(_ path: String) -> Int? { headerField(at: 68, of: path) }

    /// By SQLite's own way to files. This process may have the database open, and to close any other descriptor of it
    /// would drop the locks that SQLite holds (fcntl(2): they belong to process and file). The next process to look at
    /// the database would then take itself for the only one, and on leaving delete the log that we still write to.
    private static func headerField(at offset: Int, of path: String) -> Int? {
        var header = [UInt8](repeating: 0, count: 100)
        guard csqlite_read_beginning(path, &header, Int32(header.count)) == SQLITE_OK,
            header.starts(with: "SQLite format 3\0".utf8)
        else { return nil }
        return header[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The words of the last failed system call.
    static func reason() -> String { String(cString: strerror(errno)) }
}
