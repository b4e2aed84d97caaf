// A file that we offered, while the peer pulls it.

import BLIPNet
import Glibc

/// Why a range or digest of an offered file cannot be given.
enum OutgoingFileError: Error, Sendable, Equatable {
    /// The file is no longer there (or no longer a regular file, or not readable).
    case gone(errno: Int32)
    /// Size or modification time differ from the offer.
    case changed
    /// Offset and length do not lie within the file.
    case badRange
    /// A digest that nobody waits for any more.
    case stopped
    /// Too many ranges of it are open at once.
    case tooManyRanges
}

/// A range that is open and has not begun to go.
struct ReadyRange: Sendable {
    let request: FileGetRequest
    fileprivate let source: FileBodySource
    fileprivate let reply: FileGetReply

    /// The response with the first `count` bytes, or with all of them.
    func response(upTo count: UInt64) -> BLIPResponse {
        var reply = reply
        if count < request.length {
            source.shorten(to: count)
            reply.length = count
        }
        return reply.encoded(body: .source(source))
    }
}

/// An open source file. It is opened at the first request and closed when the link or the transfer ends.
final class OutgoingFile: Sendable {
    let size: UInt64
    let modified: Timestamp
    private let file: OpenFile
    private let digest: PrefixDigest
    private let served = ServedRanges()
    private let rangeLimit: Int

    /// Opens `path`; it must be what was offered, and none of `ours`, whatever a history says that was offered.
    init(
        path: String, size: UInt64, modified: Timestamp, rangeLimit: Int, notOf ours: Set<FileIdentity> = []
    ) throws(OutgoingFileError) {
        self.size = size
        self.modified = modified
        self.rangeLimit = rangeLimit
        do throws(FileError) {
            let opened = try OpenFile.forReading(path)
            guard try !ours.contains(opened.facts().identity) else {
                throw FileError(call: "open", errno: EACCES, path: path)
            }
            file = opened
        } catch {
            throw .gone(errno: error.errno)
        }
        digest = PrefixDigest(file: file)
        try checkUnchanged()
    }

    /// Bytes from the start that the link has taken.
    var transferred: UInt64 { served.contiguous }

    /// Where the receiver has begun to pull; `nil` before it has asked for a range.
    var begin: UInt64? { served.begin }

    /// A range of it is on its way.
    var isActive: Bool { served.isActive }

    /// What `file-get` asks for.
    func range(_ request: FileGetRequest) throws(OutgoingFileError) -> ReadyRange {
        guard request.offset <= size, request.length <= size - request.offset else { throw .badRange }
        try checkUnchanged()
        let range = FileRange(offset: request.offset, length: request.length)
        guard let number = served.open(range, limit: rangeLimit) else { throw .tooManyRanges }
        // Read what has been served again now, while it is in the page cache: that, and nothing else that a receiver names.
        digest.advanceLater(to: min(request.offset, served.contiguous), after: served.begin ?? request.offset)
        let source = FileBodySource(file: file, range: range, number: number, progress: served)
        return ReadyRange(
            request: request, source: source, reply: FileGetReply(size: size, modified: modified))
    }

    /// Hex of the SHA-256 of the first `length` bytes, as fast as `permission` lets them be read.
    func digest(
        of length: UInt64, permission: PrefixDigest.Permission? = nil
    ) async throws(OutgoingFileError) -> String {
        guard length <= size else { throw .badRange }
        try checkUnchanged()
        let hex: String?
        do throws(FileError) {
            hex = try await digest.hex(of: length, permission: permission)
        } catch {
            throw error.errno == ECANCELED ? .stopped : .gone(errno: error.errno)
        }
        // It may have changed while it was read.
        try checkUnchanged()
        guard let hex else { throw .changed }
        return hex
    }

    private func checkUnchanged() throws(OutgoingFileError) {
        let facts: FileFacts
        do throws(FileError) {
            facts = try file.facts()
        } catch {
            throw .gone(errno: error.errno)
        }
        guard facts.isRegular, facts.size == size, facts.modified == modified, !served.isShort else { throw .changed }
    }
}
