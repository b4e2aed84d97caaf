// Which file is at a path: while a file is open, its name can be given to another one.

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
