// Where an export goes: standard output, a device or pipe, or a file that is there only when it is complete.

import ChatSettings
import ChatWords
import Glibc

/// Collects text and writes it in large pieces.
final class ExportOutput {
    private enum Place {
        case standardOutput
        /// Written to as it is: a device or a pipe.
        case stream(path: String)
        /// Gets its name at the end; until then its content is in `part`.
        case file(path: String, part: String)
    }

    private let place: Place
    private let streams: StandardStreams
    private let spelling: Spelling
    private var descriptor: Int32 = -1
    private var waiting: [UInt8] = []

    /// `path`: `nil` for standard output. A link is followed; `asFile`: what is no file is refused.
    init(
        path: String?, asFile: Bool = false, spelling: Spelling = .glyphs, streams: StandardStreams
    ) throws(CommandError) {
        self.streams = streams
        self.spelling = spelling
        guard let path, asFile || !["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path) else {
            place = .standardOutput
            return
        }
        var status = stat()
        let isThere = stat(path, &status) == 0
        guard isThere || errno == ENOENT else { throw .system(path, "cannot be written", errno) }
        let isStream = isThere && status.st_mode & S_IFMT != S_IFREG
        guard !isStream || !asFile else {
            throw CommandError(.localIO, path, "not a file", advice: "give another name")
        }
        if isStream {
            descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else { throw .system(path, "cannot be written", errno) }
            place = .stream(path: path)
            return
        }
        do throws(SystemError) {
            let target = try SmallFile.followed(path)
            guard !isThere || access(target, W_OK) == 0 else { throw SystemError(code: errno) }
            let made = try SmallFile.createBeside(target)
            descriptor = made.descriptor
            place = .file(path: target, part: made.path)
        } catch {
            throw .system(path, "cannot be written", error.code)
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if case .file(_, let part) = place { unlink(part) }
    }

    func write(_ text: String) throws(CommandError) {
        waiting += text.utf8
        if waiting.count >= 1 << 18 { try flush() }
    }

    private func flush() throws(CommandError) {
        guard !waiting.isEmpty else { return }
        defer { waiting.removeAll(keepingCapacity: true) }
        let path: String
        switch place {
        case .standardOutput: return try streams.write(String(decoding: waiting, as: UTF8.self), spelling: spelling)
        case .stream(let place), .file(let place, _): path = place
        }
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
        guard case .file(let path, let part) = place else { return }
        guard fsync(descriptor) == 0, rename(part, path) == 0 else { throw .system(path, "cannot be written", errno) }
        close(descriptor)
        descriptor = -1
    }
}
