// The lines that were entered, kept for the next runs: `input_history` of the profile, one line of the file for each.

import CLinux
import ChatWords
import Glibc

/// A file of entered lines, 0600. Several programs may append to it at the same time.
package struct InputHistoryFile: Sendable {
    /// The most that is read, from the end; older lines are forgotten.
    private static let maxBytes = 8 << 20

    let path: String

    package init(path: String) {
        self.path = path
    }

    /// The last `limit` lines, oldest first; none when there is no file. A file with many more is made shorter; one of
    /// which nothing is wanted is deleted.
    func read(limit: Int) -> [String] {
        guard limit > 0 else {
            forget()
            return []
        }
        guard let bytes = contents() else { return [] }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { Self.line(in: $0) }
        if lines.count > 2 * limit { replace(with: lines.suffix(limit)) }
        return Array(lines.suffix(limit))
    }

    /// Adds one line in one write, so that lines of two programs never mix. A line that cannot be kept is lost quietly:
    /// a full disk must not keep anybody from writing.
    package func append(_ line: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        var bytes = Self.bytes(of: line)
        _ = bytes.withUnsafeMutableBytes { write(file, $0.baseAddress, $0.count) }
    }

    /// Deletes the file: who keeps no lines has none on the disk.
    func forget() { unlink(path) }

    // MARK: The file

    private func contents() -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        guard size > 0 else { return nil }
        let start = max(0, size - off_t(Self.maxBytes))
        guard lseek(file, start, SEEK_SET) == start else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(size - start))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress?.advanced(by: filled), $0.count - filled)
            }
            guard count > 0 else { break }
            filled += count
        }
        bytes.removeLast(bytes.count - filled)
        // A line that was cut off by the limit is none.
        if start > 0, let end = bytes.firstIndex(of: UInt8(ascii: "\n")) { bytes.removeFirst(end + 1) }
        return bytes
    }

    private func replace(with lines: ArraySlice<String>) {
        // Two programs may begin at the same time.
        let new = "\(path).new\(getpid())"
        let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        var bytes: [UInt8] = []
        for line in lines { bytes += Self.bytes(of: line) }
        let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
        if written == bytes.count { rename(new, path) } else { unlink(new) }
    }

    // MARK: Lines

    /// A newline is written as `\n` and a backslash as two, so that each entered line is one of the file.
    private static func bytes(of line: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in line.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\\"): bytes += [byte, byte]
            default: bytes.append(byte)
            }
        }
        return bytes + [UInt8(ascii: "\n")]
    }

    private static func line(in bytes: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                text.append(byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
