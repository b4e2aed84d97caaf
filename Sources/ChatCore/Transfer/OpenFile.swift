// An open file descriptor with positioned reads and writes; shared by the link's queue and the transfer's.

import CLinux
import Dispatch
import Glibc

/// The facts from `fstat` that matter here.
struct FileFacts: Sendable, Equatable {
    var size: UInt64
    /// Modification time in milliseconds since 1970, not before it (as it is sent).
    var modified: Timestamp
    /// When something of the file itself was last changed (`st_ctim`): a new name counts, too.
    var changed: Timestamp
    var isRegular: Bool
    var linkCount: UInt64
    var owner: UInt32
    var isFolder: Bool
    var identity: FileIdentity

    init(_ status: stat) {
        size = UInt64(clamping: status.st_size)
        modified = Self.timestamp(status.st_mtim)
        changed = Self.timestamp(status.st_ctim)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        linkCount = UInt64(status.st_nlink)
        owner = status.st_uid
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    private static func timestamp(_ time: timespec) -> Timestamp {
        let (milliseconds, overflow) = Int64(clamping: time.tv_sec).multipliedReportingOverflow(by: 1000)
        let total =
            overflow ? .max : milliseconds.addingReportingOverflow(Int64(time.tv_nsec) / 1_000_000).partialValue
        return Timestamp(milliseconds: max(0, total))
    }

    func isSameFile(as other: FileFacts) -> Bool { identity == other.identity }
}

/// Closes itself when the last user lets go. All access is by position, so threads do not disturb each other.
final class OpenFile: Sendable {
    let descriptor: Int32
    /// For messages only.
    let path: String

    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Opens an existing file for reading, never through a link anywhere in `path` (absolute) and never blocking on a
    /// pipe: a folder that becomes a link after a file was offered must not lead to another file.
    static func forReading(_ path: String) throws(FileError) -> OpenFile {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.utf8.startIndex
        let folder = try FolderWalk(path: "/" + path[..<slash], creating: false).descriptor(readable: false)
        defer { close(folder) }
        let descriptor = FolderCalls.kernel.open(String(path[slash...].dropFirst()), in: folder, O_RDONLY)
        guard descriptor >= 0 else { throw FileError(call: "open", errno: errno, path: path) }
        return OpenFile(descriptor: descriptor, path: path)
    }

    /// Whether a byte can be read, whatever its size is said to be.
    var hasContent: Bool {
        var byte: UInt8 = 0
        return pread(descriptor, &byte, 1, 0) == 1
    }

    func facts() throws(FileError) -> FileFacts {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("fstat") }
        return FileFacts(status)
    }

    /// Reads up to `buffer.count` bytes at `offset`; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileError) -> Int {
        guard let position = off_t(exactly: offset) else { return 0 }
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, position)
            if count >= 0 { return count }
            if errno != EINTR { throw failure("pread") }
        }
    }

    /// Reads the file from its beginning, at most `limit` bytes.
    func contents(upTo limit: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        var done = 0
        while done < limit {
            let count = try bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(FileError) in
                    try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: UInt64(done))
                }
            }.get()
            guard count > 0 else { break }
            done += count
        }
        bytes.removeLast(limit - done)
        return bytes
    }

    /// Writes all of `bytes` at `offset`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileError) {
        var rest = bytes
        var position = offset
        while !rest.isEmpty {
            guard let place = off_t(exactly: position) else {
                throw FileError(call: "pwrite", errno: EFBIG, path: path)
            }
            let count = pwrite(descriptor, rest.baseAddress, rest.count, place)
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("pwrite")
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            position += UInt64(count)
        }
    }

    func truncate(to size: UInt64) throws(FileError) {
        guard let length = off_t(exactly: size), ftruncate(descriptor, length) == 0 else { throw failure("ftruncate") }
    }

    /// Lets the disk begin with a part of the file, on a thread that may wait for it: the sync at the end has less to do
    /// then. Only a hint; an error is met again by the sync.
    func beginWriteback(at offset: UInt64, count: UInt64) {
        Self.writeback.async { [self] in
            _ = clinux_begin_writeback(descriptor, Int64(clamping: offset), Int64(clamping: count))
        }
    }

    private static let writeback = DispatchQueue(label: "blipchat.writeback")

    /// Returns when the content is on the disk.
    func synchronize() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw failure("fsync") }
    }

    private func failure(_ call: String) -> FileError { FileError(call: call, errno: errno, path: path) }
}
