// Removes a received file with its message, when the user wants that.

import Glibc

enum FileRemoval {
    /// Removes the regular file at `path` if it is as large as it was when it came: another one is the user's.
    static func remove(_ path: String, ofSize size: UInt64) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, UInt64(clamping: status.st_size) == size
        else { return }
        unlink(path)
    }
}
