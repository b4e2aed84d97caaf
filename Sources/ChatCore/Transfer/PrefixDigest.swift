// The SHA-256 of a file's first bytes, computed while the file streams, so that the end of a transfer is quick.

import BLIPNet
import Glibc

/// Reads behind the transfer on a queue of its own: the bytes are still in the page cache. Both sides use it.
actor PrefixDigest {
    private let file: OpenFile
    private let queue = DispatchQueueExecutor(label: "blipchat.digest", isBackground: true)
    /// The state after the first `position` bytes.
    private var digest = SHA256Digest()
    private var position: UInt64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(file: OpenFile) { self.file = file }

    /// Hex of the first `length` bytes; `nil` when the file is shorter. Quick when `advance` has come close.
    func hex(of length: UInt64) throws(FileError) -> String? {
        if length >= position {
            guard try advance(to: length) else { return nil }
            return digest.copy().finish().hex
        }
        // Asked for less than has been read: begin anew, beside the rolling state.
        let fresh = SHA256Digest()
        guard try feed(fresh, from: 0, to: length) == length else { return nil }
        return fresh.finish().hex
    }

    /// Reads on to `offset`, because everything before it is there; `false` when the file is shorter.
    @discardableResult func advance(to offset: UInt64) throws(FileError) -> Bool {
        guard offset > position else { return true }
        do throws(FileError) {
            position = try feed(digest, from: position, to: offset)
        } catch {
            // A part may have been fed: none must be fed twice when the next read succeeds.
            digest = SHA256Digest()
            position = 0
            throw error
        }
        return position == offset
    }

    /// What the file is now.
    func facts() throws(FileError) -> FileFacts { try file.facts() }

    /// Like `advance`, without waiting. A read error shows again, and is reported, when the digest is asked for.
    nonisolated func advanceLater(to offset: UInt64) {
        Task { _ = try? await self.advance(to: offset) }
    }

    private func feed(_ digest: SHA256Digest, from start: UInt64, to end: UInt64) throws(FileError) -> UInt64 {
        var position = start
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)
        defer { buffer.deallocate() }
        while position < end {
            let wanted = Int(min(UInt64(buffer.count), end - position))
            let count = try file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(wanted)), at: position)
            if count == 0 { break }
            digest.update(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
            position += UInt64(count)
            // Whoever wants to run next to this waits for the next tick of the clock otherwise, and so do keys.
            sched_yield()
        }
        return position
    }
}
