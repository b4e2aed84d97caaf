// Reads a file line by line, however long it is.

import CLinux
import ChatSettings
import Glibc

struct LineReader: ~Copyable {
    /// A message of 64 KiB takes six times that when every byte is escaped.
    static let longestLine = 1 << 20

    private let descriptor: Int32
    private let path: String
    private var buffer = LineBuffer()
    private var isAtEnd = false
    private(set) var number = 0
    private let size: Int64
    private var bytesRead: Int64 = 0
    /// How much of the file has been read, from 0 to 1.
    var share: Double { size > 0 ? min(1, Double(bytesRead) / Double(size)) : 1 }

    init(path: String) throws(CommandError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(path, "cannot be read", errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw CommandError(.usage, path, "not a regular file", advice: "give a file that blipchat export wrote")
        }
        self.descriptor = descriptor
        self.path = path
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// The next line without its end; `nil` after the last.
    mutating func next() throws(CommandError) -> [UInt8]? {
        while true {
            if let line = buffer.next() {
                number += 1
                return line
            }
            guard !isAtEnd else {
                let rest = buffer.takeRest()
                if rest != nil { number += 1 }
                return rest
            }
            guard buffer.count <= Self.longestLine else {
                throw CommandError(.usage, "\(path):\(number + 1)", "the line is too long for a blipchat export")
            }
            try fill()
        }
    }

    private mutating func fill() throws(CommandError) {
        var part = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(path, "cannot be read", errno) }
            bytesRead += Int64(count)
            if count == 0 { isAtEnd = true } else { buffer.append(part[..<count]) }
            return
        }
    }
}
