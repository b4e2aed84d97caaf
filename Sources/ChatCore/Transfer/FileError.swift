// What the system said when a file could not be used; becomes a ChatError or a transfer's reason.

/// A system call on a file failed.
struct FileError: Error, Sendable, Equatable {
    /// The call, for logs: "open", "pread" ...
    var call: String
    var errno: Int32
    /// The path or name that it was about.
    var path: String
}
