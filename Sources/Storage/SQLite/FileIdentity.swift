// Which file stands at a path: names can be given to others while a file is open.

internal import Glibc

/// A file, whatever it is called (stat(2): the device and the number on it).
struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64

    /// `nil` when nothing is there.
    init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }
}
