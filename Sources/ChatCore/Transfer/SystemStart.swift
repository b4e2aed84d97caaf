// Identifies the current start of the system: bytes that a program wrote before it may be lost, although a record lists them.

import BLIPNet
import Glibc

enum SystemStart {
    /// Bytes of the mark of a start.
    static let byteCount = 16

    /// The mark of this start (random(4), boot_id), shortened; `nil` where the kernel does not say it.
    static let mark: [UInt8]? = {
        let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(file, &text, text.count)
        return count > 0 ? Array(SHA256Digest.hash(Array(text[..<count])).prefix(byteCount)) : nil
    }()
}
