// The kind of file that something claims to be, in one word.

import ChatCore
import ChatWords

enum FileKind {
    private static let archives: Set<String> = ["zip", "gz", "tgz", "zst", "xz", "bz2", "tar", "7z", "rar"]
    /// The kinds of files that senders often call no more than bytes.
    private static let words: [(word: String, suffixes: Set<String>)] = [
        ("picture", ["png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "tif", "tiff", "heic"]),
        ("sound", ["mp3", "ogg", "oga", "opus", "flac", "wav", "m4a"]),
        ("film", ["mp4", "mkv", "webm", "mov", "avi"]),
        ("text", ["txt", "md", "log", "csv"]),
        ("document", ["pdf", "odt", "ods", "odp", "doc", "docx", "xls", "xlsx", "ppt", "pptx"]),
    ]

    /// From the type that the sender gave it, and the end of its name.
    static func word(for transfer: FileTransfer) -> String {
        let type = transfer.contentType.lowercased()
        let suffix = transfer.name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        if archives.contains(suffix) { return "archive" }
        if type.hasPrefix("image/") { return "picture" }
        if type.hasPrefix("audio/") { return "sound" }
        if type.hasPrefix("video/") { return "film" }
        if type.hasPrefix("text/") { return "text" }
        if type == "application/pdf" { return "document" }
        return words.first { $0.suffixes.contains(suffix) }?.word ?? "file"
    }
}
