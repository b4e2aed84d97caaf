// Small files of ours and of the system: configuration, key, lock.

import CLinux
import Glibc

/// Small text files, read and replaced whole.
package enum SmallFile {
    /// The text; `nil` when the file is not there, cannot be read, is too large or is not UTF-8. Where the difference
    /// matters, `contents(of:limit:)` tells it.
    package static func read(_ path: String, limit: Int) -> String? {
        guard case .success(let bytes) = contents(of: path, limit: limit) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// All bytes, or the system's error number (`EFBIG` beyond the limit).
    package static func contents(of path: String, limit: Int) -> Result<[UInt8], SystemError> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(SystemError(code: errno)) }
        defer { close(descriptor) }
        return contents(ofDescriptor: descriptor, limit: limit)
    }

    /// The bytes that are left to be read from an open file or pipe.
    package static func contents(ofDescriptor descriptor: Int32, limit: Int) -> Result<[UInt8], SystemError> {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count: Int
            do throws(SystemError) {
                count = try SharedDescriptor.read(descriptor, into: &part)
            } catch {
                return .failure(error)
            }
            if count == 0 { return .success(bytes) }
            bytes += part[..<count]
        }
        return .failure(SystemError(code: EFBIG))
    }

    /// Whether something is there that we may know of.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether something is there; where we cannot find out (a folder that may not be entered, or that is none), it is
    /// an error: a file that we may not see must not be taken for one that is not there.
    package static func isThere(_ path: String) throws(CommandError) -> Bool {
        var status = stat()
        if stat(path, &status) == 0 { return true }
        guard errno == ENOENT else { throw .system(path, "cannot be accessed", errno) }
        return false
    }

    /// Whether a folder is there, or a link to one.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Bytes of a file; `nil` when there is none.
    package static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// The names of what is in a folder; none when it cannot be read.
    package static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                if let name = String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self) { names.append(name) }
            }
        }
        return names
    }

    /// Replaces the file in one step (0600): written beside it, synced, renamed. A link is followed. Each of several
    /// writers has a file of its own: the last one's stays, whole. `alone`: the caller keeps others away, so that a
    /// file beside it is left from a writer that was killed, and goes.
    static func replace(_ path: String, with text: String, alone: Bool = false) throws(SystemError) {
        try replace(path, with: Array(text.utf8), alone: alone)
    }

    package static func replace(_ path: String, with content: [UInt8], alone: Bool = false) throws(SystemError) {
        let target = try followed(path)
        if alone { unlink(target + newEnding) }
        let new = try createBeside(target, ending: newEnding)
        defer { close(new.descriptor) }
        try write(content, to: new)
        // The owner of the file keeps it, also when root has changed it.
        var status = stat()
        if geteuid() == 0, stat(target, &status) == 0, status.st_uid != 0 {
            guard fchown(new.descriptor, status.st_uid, status.st_gid) == 0 else { try giveUp(new.path) }
        }
        if rename(new.path, target) != 0 { try giveUp(new.path) }
    }

    /// The ending of a file that is to replace another one; nobody else's files have it.
    static let newEnding = ".blip-new"

    /// Where a link leads to, so that it is the file that is replaced, and not the link; else the path itself. `ENOENT`
    /// when it leads to what is not there.
    package static func followed(_ path: String) throws(SystemError) -> String {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
        guard let resolved = realpath(path, nil) else { throw SystemError(code: errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Makes a file (0600) beside `path` for what shall get that name when it is whole. Nobody else's file is touched.
    package static func createBeside(
        _ path: String, ending: String = ".part"
    ) throws(SystemError) -> (descriptor: Int32, path: String) {
        for number in 1...100 {
            let part = path + (number == 1 ? ending : "\(ending)-\(number)")
            let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor >= 0 { return (descriptor, part) }
            guard errno == EEXIST else { throw SystemError(code: errno) }
        }
        throw SystemError(code: EEXIST)
    }

    /// Makes a file (0600) that was not there (`EEXIST` if it was), and syncs it with its folder.
    package static func create(_ path: String, with text: String) throws(SystemError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        defer { close(descriptor) }
        try write(Array(text.utf8), to: (descriptor, path))
        let folder = open(
            path.utf8.contains(UInt8(ascii: "/")) ? HomePaths.parent(of: path) : ".", O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { throw SystemError(code: errno) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw SystemError(code: errno) }
    }

    /// Fills a new file, and syncs it. Nothing stays of one that could not be written whole.
    private static func write(
        _ content: [UInt8], to file: (descriptor: Int32, path: String)
    ) throws(SystemError) {
        var bytes = content[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(file.descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { try giveUp(file.path) }
            bytes = bytes.dropFirst(max(count, 0))
        }
        if fsync(file.descriptor) != 0 { try giveUp(file.path) }
    }

    private static func giveUp(_ path: String) throws(SystemError) -> Never {
        let code = errno
        unlink(path)
        throw SystemError(code: code)
    }
}

/// An error number of the system.
package struct SystemError: Error, Sendable, Equatable {
    package var code: Int32

    package init(code: Int32) { self.code = code }

    /// In words of the C library.
    package var words: String { String(cString: strerror(code)) }
}
