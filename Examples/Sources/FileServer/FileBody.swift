// A file as the body of a BLIP message.

import BLIPNet
import Glibc

/// The bytes of a regular file from its beginning to its end.
final class FileBody: BodySource {
    struct ReadFailure: Error {
        let errno: Int32
    }

    /// When it was opened, in bytes.
    let size: Int
    private let descriptor: Int32

    /// Fails when there is no regular file at `path` that we may read. A symbolic link is no file here, because it could
    /// lead anywhere, and a named pipe would block.
    init?(path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0 else { return nil }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            Glibc.close(descriptor)
            return nil
        }
        size = status.st_size
    }

    deinit { Glibc.close(descriptor) }

    /// BLIPNet calls this when the connection has room for another frame; 0 ends the body.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw ReadFailure(errno: errno) }
        return count
    }
}
