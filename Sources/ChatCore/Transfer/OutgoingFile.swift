// A file that we offered, while the peer pulls it.

import BLIPNet
import Glibc
import Synchronization

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
    /// The first fault that a check has found since the file was opened.
    private let trouble = Mutex<OutgoingFileError?>(nil)

    /// Opens `path`; it must be the file that was offered, and not one of `ours`, whatever a history says was offered.
    /// Blocks as long as its disk does.
    init(
        path: String, size: UInt64, modified: Timestamp, rangeLimit: Int, notOf ours: Set<FileIdentity> = []
    ) throws(OutgoingFileError) {
        self.size = size
        self.modified = modified
        self.rangeLimit = rangeLimit
        let facts: FileFacts
        do throws(FileError) {
            let opened = try OpenFile.forReading(path)
            facts = try opened.facts()
            guard !ours.contains(facts.identity) else {
                throw FileError(call: "open", errno: EACCES, path: path)
            }
            file = opened
        } catch {
            throw .gone(errno: error.errno)
        }
        digest = PrefixDigest(file: file)
        try check(facts)
    }

    /// Opens what a transfer offers, in the lane of its disk; `nil` when that does not answer.
    static func open(
        _ transfer: FileTransfer, rangeLimit: Int, notOf ours: PrivateFiles
    ) async -> Result<OutgoingFile, OutgoingFileError>? {
        let path = transfer.path ?? ""
        return await DiskLane.of(path).value(within: DiskLane.usersPatience) {
            Result { () throws(OutgoingFileError) in
                try OutgoingFile(
                    path: path, size: transfer.size, modified: transfer.modified, rangeLimit: rangeLimit,
                    notOf: ours.present())
            }
        }
    }

    /// All of a small file that a transfer offers, if it still is what was offered. Blocks as long as its disk does.
    static func whole(
        _ transfer: FileTransfer, notOf ours: Set<FileIdentity>
    ) throws(OutgoingFileError) -> FileBundleReply.File {
        let path = transfer.path ?? ""
        let before: FileFacts
        let bytes: [UInt8]
        let after: FileFacts
        do throws(FileError) {
            let file = try OpenFile.forReading(path)
            before = try file.facts()
            guard !ours.contains(before.identity) else { throw FileError(call: "open", errno: EACCES, path: path) }
            // Its size is checked below: what has grown since must not fill the memory.
            bytes = try file.contents(upTo: Int(clamping: transfer.size))
            after = try file.facts()
        } catch {
            throw .gone(errno: error.errno)
        }
        for facts in [before, after] {
            guard facts.isRegular, facts.size == transfer.size, facts.modified == transfer.modified,
                UInt64(bytes.count) == transfer.size
            else { throw .changed }
        }
        return FileBundleReply.File(
            modified: transfer.modified, sha256: SHA256Digest.hash(bytes).hex, bytes: bytes[...])
    }

    /// Bytes from the start that the link has taken.
    var transferred: UInt64 { served.contiguous }

    /// Where the receiver has begun to pull; `nil` before it has asked for a range.
    var begin: UInt64? { served.begin }

    /// A range of it is on its way.
    var isActive: Bool { served.isActive }

    /// The range that a `file-get` asks for. Waits for no disk: a task beside checks whether the file has changed, and its
    /// verdict counts for later ranges and for the digest.
    func range(_ request: FileGetRequest, overLane: Bool = false) throws(OutgoingFileError) -> ReadyRange {
        guard request.offset <= size, request.length <= size - request.offset else { throw .badRange }
        if let trouble = trouble.withLock({ $0 }) { throw trouble }
        let range = FileRange(offset: request.offset, length: request.length)
        guard let number = served.open(range, present: request.present, overLane: overLane, limit: rangeLimit) else {
            throw .tooManyRanges
        }
        // Only what has been served is read again, and nothing else that a receiver names.
        let end = min(request.offset, served.contiguous)
        let begin = served.begin ?? request.offset
        Task { [weak self] in await self?.follow(to: end, after: begin) }
        let source = FileBodySource(file: file, range: range, number: number, progress: served)
        return ReadyRange(
            request: request, source: source, reply: FileGetReply(size: size, modified: modified))
    }

    /// Hex of the SHA-256 of the first `length` bytes, as fast as `permission` lets them be read.
    func digest(
        of length: UInt64, permission: PrefixDigest.Permission? = nil
    ) async throws(OutgoingFileError) -> String {
        guard length <= size else { throw .badRange }
        try await checkUnchanged()
        let hex: String?
        do throws(FileError) {
            hex = try await digest.hex(of: length, permission: permission)
        } catch {
            throw error.errno == ECANCELED ? .stopped : .gone(errno: error.errno)
        }
        // It may have changed while it was read.
        try await checkUnchanged()
        guard let hex else { throw .changed }
        return hex
    }

    /// Checks the file, then reads the served bytes before `end` again for the digest while they are in the page cache,
    /// unless the digest has not reached `begin` yet.
    private func follow(to end: UInt64, after begin: UInt64) async {
        do throws(OutgoingFileError) {
            try await checkUnchanged()
        } catch {
            return trouble.withLock { $0 = $0 ?? error }
        }
        // A read error shows again, and is reported, when somebody asks for the digest.
        try? await digest.advance(to: end, after: begin)
    }

    private func checkUnchanged() async throws(OutgoingFileError) {
        let facts: FileFacts
        do throws(FileError) {
            facts = try await digest.facts()
        } catch {
            throw .gone(errno: error.errno)
        }
        try check(facts)
    }

    private func check(_ facts: FileFacts) throws(OutgoingFileError) {
        guard facts.isRegular, facts.size == size, facts.modified == modified, !served.isShort else { throw .changed }
    }
}
