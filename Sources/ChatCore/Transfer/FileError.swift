// The system's error when a file could not be used; becomes a ChatError or a transfer's reason.

/// A system call on a file failed.
struct FileError: Error, Sendable, Equatable {
    struct Space: Sendable, Equatable {
        var needed: UInt64
        var free: UInt64
    }

    /// The call, for logs: "open", "pread" ...
    var call: String
    var errno: Int32
    /// The path or name that it was about.
    var path: String
    /// Not a call but our own limit: so many bytes must fit, and so many are free.
    var space: Space?
}

extension ChatError {
    /// The error as a user reads it.
    init(_ error: FileError) {
        if let space = error.space {
            self = .notEnoughSpace(needed: space.needed, free: space.free, folder: error.path)
        } else {
            self = .cannotWrite(path: error.path, errno: error.errno)
        }
    }
}
