// Whether a file is the one that a record tells of.

import BLIPNet
import Glibc

enum FileDigest {
    /// Whether a regular file of `size` bytes with this SHA-256 (hexadecimal digits) is there. A link is none.
    static func isFile(_ path: String, size: UInt64, sha256: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            UInt64(clamping: status.st_size) == size
        else { return false }
        let digest = SHA256Digest()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count == 0 { return digest.finish().hex == sha256.lowercased() }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}
