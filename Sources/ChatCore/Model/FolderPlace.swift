// A file's place in a folder that was sent as a whole.

/// Each file of a folder is an offer of its own; this is what its offer says of the folder (Docs/files.md).
public struct FolderPlace: Sendable, Equatable, Codable {
    /// The same for all files of one sending, made by the sender.
    public var set: MessageID
    /// The folder and those beneath it down to the file, as the sender calls them: `photos/2024`. From a peer it is
    /// raw: sanitise each component before drawing it or using it.
    public var path: String
    /// How many files the whole folder has, and their bytes together.
    public var files: UInt64
    public var bytes: UInt64

    public init(set: MessageID, path: String, files: UInt64, bytes: UInt64) {
        self.set = set
        self.path = path
        self.files = files
        self.bytes = bytes
    }
}

/// What became of sending a folder.
public struct FolderOffer: Sendable, Equatable, Codable {
    /// The offers, in the order of their paths.
    public var messages: [ChatMessage]
    /// What is not sent: links, devices, what cannot be read, names that are not text. Empty folders are not counted.
    public var skipped: Int
    /// Files that are not sent because they are our key or a history of ours.
    public var withheld: Int

    public init(messages: [ChatMessage], skipped: Int, withheld: Int = 0) {
        self.messages = messages
        self.skipped = skipped
        self.withheld = withheld
    }
}

/// What a limit of the transfer rate applies to.
public enum RateScope: Sendable, Hashable, Codable {
    /// All files that go out, or all that come in, together.
    case all(MessageDirection)
    case transfer(TransferNumber)
}
