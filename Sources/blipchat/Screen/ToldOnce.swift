// What is said only once in a home: a small file with one word for each thing that was said.

import ChatTUI
import Glibc

/// Remembers what blipchat has told the user. When the file cannot be read or written, it says that again.
struct ToldOnce {
    let path: String

    private static let mostBytes = 4_096

    /// The advice for a screen in tmux or GNU screen, the first time that there is one.
    func advice(in multiplexer: Multiplexer?) -> [String] {
        guard let multiplexer, isNew(multiplexer.rawValue) else { return [] }
        return multiplexer.advice + ["This is shown only once; /notify test shows it again"]
    }

    /// Whether `word` was not told before; from now on it was.
    func isNew(_ word: String) -> Bool {
        let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 else { return true }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        let count = max(0, read(file, &bytes, bytes.count))
        let words = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
        guard !words.contains(Substring(word)) else { return false }
        let line = word + "\n"
        // The file of somebody who fills it does not grow here.
        if count < Self.mostBytes { _ = line.withCString { write(file, $0, strlen($0)) } }
        return true
    }
}
