// The errors that can occur between the chat and its history.

/// Why the store could not do something.
package enum StoreError: Error, Sendable, Equatable, Codable {
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
    /// A new file was to be made where there is one.
    case fileExists(path: String)
    /// Another file is in the place of the open one; what was stored until then is at `kept`. Nothing more is stored
    /// until the next start.
    case replaced(path: String, kept: String)
    /// Anything else that SQLite reports, with its extended result code.
    case failed(code: Int32, reason: String)
}

/// A problem that the store had while it was open, and that has been dealt with.
package enum StoreTrouble: Sendable, Equatable {
    /// Its file was gone, and has been put back with everything in it.
    case putBack(path: String)
}
