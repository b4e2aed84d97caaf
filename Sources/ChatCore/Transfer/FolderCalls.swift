// openat2 and renameat2, with which the kernel itself refuses links and overwriting, and what does the same where a
// kernel or a sandbox lacks them (RELIABILITY D11). Used by DownloadFolder only.

import CLinux
import Glibc

/// Calls on one name in an open directory. A name is one component: anything else is refused with EINVAL before the
/// kernel sees it. Like system calls they return -1 and set `errno`.
enum FolderCalls: Sendable {
    /// openat2(2) and renameat2(2); the portable calls where those are refused as unknown.
    case kernel
    /// openat(2) with O_NOFOLLOW, and linkat(2) followed by unlinkat(2).
    case portable

    /// Opens `name` in `directory` unless it is a link.
    func open(_ name: String, in directory: Int32, _ flags: Int32) -> Int32 {
        guard Self.isComponent(name) else { return Self.fail(EINVAL) }
        let all = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        if self == .kernel {
            // The mode must be 0 unless a file may be made (openat2(2)).
            let mode: UInt64 = flags & O_CREAT != 0 ? 0o600 : 0
            let descriptor = clinux_open_beneath(directory, name, UInt64(UInt32(bitPattern: all)), mode)
            // Seccomp filters that do not know a call answer EPERM.
            guard descriptor < 0, errno == ENOSYS || errno == EPERM else { return descriptor }
        }
        return openat(directory, name, all, 0o600)
    }

    /// Renames within `directory`; fails with EEXIST when anything has the new name.
    func rename(_ old: String, to new: String, in directory: Int32) -> Int32 {
        guard Self.isComponent(old), Self.isComponent(new) else { return Self.fail(EINVAL) }
        if self == .kernel {
            let result = clinux_rename_noreplace(directory, old, directory, new)
            // EINVAL: a file system without this kind of renaming, like NFS.
            guard result != 0, errno == ENOSYS || errno == EPERM || errno == EINVAL else { return result }
        }
        // A second name for the same file, which fails like the renaming where the name is taken; then the first goes.
        guard linkat(directory, old, directory, new, 0) == 0 else { return -1 }
        return unlinkat(directory, old, 0)
    }

    /// Whether `name` is a name and not a path, compared by bytes (RELIABILITY 4).
    static func isComponent(_ name: String) -> Bool {
        let bytes = name.utf8
        return !bytes.isEmpty && bytes.count <= 255 && !bytes.contains(UInt8(ascii: "/")) && !bytes.contains(0)
            && !bytes.elementsEqual(".".utf8) && !bytes.elementsEqual("..".utf8)
    }

    private static func fail(_ code: Int32) -> Int32 {
        errno = code
        return -1
    }
}
