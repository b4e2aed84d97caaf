// A file's place in a folder that was sent as a whole.

/// Each file of a folder is an offer of its own; this is what its offer says of the folder (Docs/files.md).
package struct FolderPlace: Sendable, Equatable, Codable {
    /// The same for all files of one sending, made by the sender.
    package var set: MessageID
    /// The folder and those beneath it down to the file, as the sender calls them: `photos/2024`. From a peer it is
    /// raw: sanitise each component before drawing it or using it.
    package var path: String
    /// How many files the whole folder has, and their bytes together.
    package var files: UInt64
    package var bytes: UInt64

    package init(set: MessageID, path: String, files: UInt64, bytes: UInt64) {
        self.set = set
        self.path = path
        self.files = files
        self.bytes = bytes
    }
}

/// The outcome of sending a folder.
package struct FolderOffer: Sendable, Equatable, Codable {
    /// The offers, in the order of their paths.
    package var messages: [ChatMessage]
    /// Links, devices and the like, which are never sent. Empty folders are not counted.
    package var skipped: Int
    /// The regular files of the folder that are not offered: whoever sends a folder means these, too.
    package var leftOut: [LeftOutFile]

    package init(messages: [ChatMessage], skipped: Int, leftOut: [LeftOutFile] = []) {
        self.messages = messages
        self.skipped = skipped
        self.leftOut = leftOut
    }
}

/// A file of a folder that is not sent with it, or a folder in it that cannot be looked into.
package struct LeftOutFile: Sendable, Equatable, Codable {
    package enum Reason: Sendable, Equatable, Codable {
        /// In more than `limit` folders; no receiver takes such files.
        case tooDeep(limit: Int)
        /// The folders down to it have longer names than `limit` bytes, together.
        case pathTooLong(limit: Int)
        /// Not UTF-8.
        case nameIsNoText
        case unreadable(errno: Int32)
        /// It is our key or a history of ours, which nobody is given.
        case ours

        /// For scripts, as the reasons of transfers are stored: letters and hyphens, and after a blank what belongs to it.
        package var code: String {
            switch self {
            case .tooDeep(let limit): "too-deep \(limit)"
            case .pathTooLong(let limit): "path-too-long \(limit)"
            case .nameIsNoText: "name-not-utf8"
            case .unreadable(let errno): "unreadable \(errno)"
            case .ours: "ours"
            }
        }
    }

    /// The path from the sent folder down: `photos/2024/a.jpg`. Bytes in it that are no text are replaced.
    package var path: String
    package var reason: Reason

    package init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }
}

/// The files to which a limit of the transfer rate applies.
package enum RateScope: Sendable, Hashable, Codable {
    /// All files that go out, or all that come in, together.
    case all(MessageDirection)
    case transfer(TransferNumber)
}
