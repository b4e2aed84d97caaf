// Copies bytes from one buffer to another, around a trap of the C library.

extension UnsafeMutableRawPointer {
    /// Copies `count` bytes; the two places must not overlap.
    ///
    /// memcpy of glibc before 2.39 falls from 50 to 2 GB/s on AMD processors when the target is 1 to 15 bytes after the
    /// source, counted modulo the size of a page (sourceware bug 30994; measured). Payloads after frame headers are
    /// placed just so, again and again. Short pieces are copied in another way, which this does not affect.
    @inline(__always)
    func copyBytes(from source: UnsafeRawPointer, count: Int) {
        let distance = (UInt(bitPattern: self) &- UInt(bitPattern: source)) & 0xFFF
        if count <= 1024 || distance == 0 || distance > 63 {
            copyMemory(from: source, byteCount: count)
        } else {
            copyInPieces(from: source, count: count)
        }
    }

    @inline(never)
    private func copyInPieces(from source: UnsafeRawPointer, count: Int) {
        var done = 0
        while done < count {
            let piece = min(1024, count - done)
            (self + done).copyMemory(from: source + done, byteCount: piece)
            done += piece
        }
    }
}
