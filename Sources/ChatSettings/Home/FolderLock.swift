// Changes of files in a folder, one process after the other: by a lock that leaves no traces.

import Glibc

/// Held on a folder while a file in it is read, changed and written back. The system takes it away when the process ends,
/// however it ends.
package struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// Waits for others, at most `patience`; throws `EWOULDBLOCK` when that is over.
    ///
    /// A folder that cannot be opened (the code that writes there says why), and one on a file system that has no locks
    /// for folders (NFS), are not held; `hold` says so.
    package init(_ folder: String, patience: Duration) throws(SystemError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let clock = ContinuousClock()
        let end = clock.now + patience
        var code: Int32 = descriptor < 0 ? errno : EWOULDBLOCK
        while code == EWOULDBLOCK || code == EINTR {
            code = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
            if code == EWOULDBLOCK {
                guard clock.now < end else { break }
                usleep(2_000)
            }
        }
        if code != 0, descriptor >= 0 { close(descriptor) }
        if code == EWOULDBLOCK { throw SystemError(code: code) }
        self.descriptor = code == 0 ? descriptor : -1
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Does something with the lock; `isHeld`: nobody else does the like now.
    package borrowing func hold<Result, Failure>(_ body: (_ isHeld: Bool) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try body(descriptor >= 0)
    }
}
