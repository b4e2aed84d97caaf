// What sort of file something claims to be, in one word.

import ChatCore

enum FileKind {
    private static let archives: Set<String> = ["zip", "gz", "tgz", "zst", "xz", "bz2", "tar", "7z", "rar"]

    /// From the type that the sender gave it, and the end of its name.
    static func word(for transfer: FileTransfer) -> String {
        let type = transfer.contentType.lowercased()
        let suffix = transfer.name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        if archives.contains(suffix) { return "archive" }
        if type.hasPrefix("image/") { return "picture" }
        if type.hasPrefix("audio/") { return "sound" }
        if type.hasPrefix("video/") { return "film" }
        if type.hasPrefix("text/") { return "text" }
        return type == "application/pdf" ? "document" : "file"
    }
}
