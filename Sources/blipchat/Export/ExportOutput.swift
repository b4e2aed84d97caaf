// Where an export goes: standard output, or a file that is there only when it is complete.

import Glibc

/// Collects text and writes it in large pieces.
final class ExportOutput {
    private let path: String?
    private let streams: StandardStreams
    private var descriptor: Int32 = -1
    private var waiting: [UInt8] = []

    /// `path`: `nil` for standard output.
    init(path: String?, streams: StandardStreams) throws(CommandError) {
        self.path = path
        self.streams = streams
        guard let path else { return }
        descriptor = open(path + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(path, "cannot be written", errno) }
    }

    deinit {
        guard descriptor >= 0, let path else { return }
        close(descriptor)
        unlink(path + ".part")
    }

    func write(_ text: String) throws(CommandError) {
        waiting += text.utf8
        if waiting.count >= 1 << 18 { try flush() }
    }

    private func flush() throws(CommandError) {
        guard !waiting.isEmpty else { return }
        defer { waiting.removeAll(keepingCapacity: true) }
        guard let path else { return try streams.write(String(decoding: waiting, as: UTF8.self)) }
        var rest = waiting[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(path, "cannot be written", errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Gives the file its name when everything is on the disk.
    func finish() throws(CommandError) {
        try flush()
        guard let path else { return }
        guard fsync(descriptor) == 0 else { throw .system(path, "cannot be written", errno) }
        guard rename(path + ".part", path) == 0 else { throw .system(path, "cannot be written", errno) }
        close(descriptor)
        descriptor = -1
    }
}
