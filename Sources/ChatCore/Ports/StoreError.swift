// What can go wrong between the chat and its history.

/// Why the store could not do something.
public enum StoreError: Error, Sendable, Equatable, Codable {
    /// The name as the other contact has it.
    case nameTaken(String)
    case notFound
    /// The disk is full; nothing was changed.
    case diskFull
    /// Another process holds the database.
    case locked
    /// The file is not a database or fails its integrity check; says which and how.
    case damaged(path: String, reason: String)
    /// Written by a newer version of blipchat; left untouched.
    case newerVersion(path: String, found: Int, supported: Int)
    /// The file cannot be opened or written.
    case cannotOpen(path: String, reason: String)
    /// Anything else that SQLite reports, with its extended result code.
    case failed(code: Int32, reason: String)

    /// The reason of `cannotOpen` for a new file where there is one.
    public static let fileExists = "there is a file already"
}
