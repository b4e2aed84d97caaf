// The process that decodes a picture: blipchat itself, started by PictureReader with a word that nobody types. A file from
// elsewhere meets code that is known for its faults here, where it can do no more than fail.

import CLinux
import ChatWords
import Glibc

/// `blipchat picture-child WIDTH HEIGHT`: the file on standard input, the picture on standard output, and nothing else.
///
/// It answers with one byte, 0 or what PictureError says. After a 0 come width and height (two bytes each, the lower
/// one first) and three bytes for each pixel.
package enum PictureChild {
    static let word = "picture-child"
    /// The most processor time and memory.
    private static let seconds: UInt64 = 2
    private static let memory: UInt64 = 384 << 20

    /// Whether the words of the command line ask for this. The caller checks first of all: no other thread may run.
    package static func isMeant(_ words: [String]) -> Bool { words.count == 4 && words[1] == word }

    /// Decodes, answers, and ends the process.
    package static func run(_ words: [String]) -> Never {
        let limit = (width: Int(words[2]) ?? 0, height: Int(words[3]) ?? 0)
        do throws(PictureError) {
            let image = try picture(toFit: limit)
            let size = [image.width, image.height].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8 & 0xFF)] }
            answer([0] + size + image.bytes)
        } catch {
            answer([error.rawValue])
        }
    }

    private static func picture(toFit limit: (width: Int, height: Int)) throws(PictureError) -> PixelImage {
        guard (1...4096).contains(limit.width), (1...4096).contains(limit.height) else { throw .unreadable }
        // Standard error, too: complaints would appear on the screen. On older kernels the inherited descriptors stay open.
        _ = clinux_close_from(2)
        guard clinux_forbid_dumps() == 0, clinux_limit(Int32(CLINUX_LIMIT_SECONDS), seconds) == 0,
            clinux_limit(Int32(CLINUX_LIMIT_FILE_SIZE), 0) == 0
        else { throw .unreadable }
        let bytes = try contents()
        guard let kind = PictureKind(start: bytes.prefix(8)) else { throw .unknownKind }
        guard let library = PictureLibrary() else { throw .noLibrary }
        guard library.prepare(for: kind) else { throw .unreadable }
        try giveUpEverything()
        return try library.picture(kind, in: bytes, toFit: limit)
    }

    /// All of standard input, which is a regular file.
    private static func contents() throws(PictureError) -> [UInt8] {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .unreadable }
        guard status.st_size <= PictureLibrary.maxFileBytes else { throw .tooLarge }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                read(STDIN_FILENO, $0.baseAddress?.advanced(by: filled), $0.count - filled)
            }
            guard count > 0 else { break }
            filled += count
        }
        return Array(bytes[..<filled])
    }

    /// Everything needed is loaded; from here on there are no files, no network, no programs, and little memory.
    private static func giveUpEverything() throws(PictureError) {
        // A kernel without Landlock has the filter alone, which lets nothing be opened either.
        guard clinux_limit(Int32(CLINUX_LIMIT_MEMORY), memory) == 0,
            clinux_renounce_privileges() == 0,
            clinux_give_up_paths() == 0 || errno == ENOSYS || errno == EOPNOTSUPP,
            clinux_limit(Int32(CLINUX_LIMIT_DESCRIPTORS), 2) == 0,
            clinux_keep_to_computing() == 0
        else { throw .unreadable }
    }

    private static func answer(_ bytes: [UInt8]) -> Never {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { _exit(1) }
            rest = rest.dropFirst(count)
        }
        _exit(0)
    }
}
