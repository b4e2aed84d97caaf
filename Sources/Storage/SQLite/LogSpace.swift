// Room in the write-ahead log before it is needed, so that a commit's sync has the bytes to write and nothing else.

internal import CSQLite
internal import Glibc

/// Keeps the log of a writing connection longer than what is in it, and folds it into the database when it is full.
///
/// Bytes beyond the end of a file make its sync record the new length as well: a second write to the disk, which
/// moreover waits for what other programs have written (on ext4 230 us instead of 130 us for the pages of a send, and
/// milliseconds beside a busy neighbour). So the log grows by a mebibyte of zeros at a time. SQLite does not take bytes
/// without a checksum for a frame (https://www.sqlite.org/fileformat2.html#walformat), and keeps the file when it
/// begins again at its start.
final class LogSpace {
    /// Frames, a page each, after which the log is folded into the database (16 MiB; SQLite's own habit is 4).
    static let frameLimit = 4000
    private static let frameSize = 24 + 4096
    private static let step = 1 << 20
    /// Frames that need no room ahead of them: a process that only stores a message would write a mebibyte in vain.
    private static let firstFrames = 64

    private let path: String
    private var descriptor: Int32 = -1
    /// The log that is written to, as far as is known.
    private var file: FileIdentity?

    /// `path`: of the log, which need not be there yet.
    init(path: String) {
        self.path = path
        file = FileIdentity(at: path)
    }

    /// Another file is at the path of the log, or none: SQLite keeps writing to one that nobody finds again.
    var hasMoved: Bool { file.map { $0 != FileIdentity(at: path) } ?? false }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// To be called after each commit (https://www.sqlite.org/c3ref/wal_hook.html); `frames` are in the log now.
    func committed(_ frames: Int, on database: OpaquePointer?, _ name: UnsafePointer<CChar>?) {
        if file == nil { file = FileIdentity(at: path) }
        guard frames < Self.frameLimit else {
            // A connection that is reading now holds it up; the next commit tries again.
            sqlite3_wal_checkpoint_v2(database, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
            return
        }
        if frames >= Self.firstFrames { makeRoom(behind: 32 + frames * Self.frameSize) }
    }

    /// An error is none: without room the log grows as it always did.
    private func makeRoom(behind used: Int) {
        if descriptor < 0 { descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW) }
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return }
        let size = Int(status.st_size)
        let missing = 32 + Self.frameLimit * Self.frameSize - size
        guard size - used < Self.step / 4, missing > 0 else { return }
        // At the end, wherever that is by now: another process may be writing, and its frames are not to be touched.
        let zeros = [UInt8](repeating: 0, count: min(Self.step, missing))
        _ = zeros.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
