// openat2 and renameat2, with which the kernel itself refuses links and overwriting, and what does the same where a
// kernel, a sandbox or a file system lacks them (RELIABILITY D11).

import CLinux
import Glibc

/// Calls on one name in an open directory. A name is one component: anything else is refused with EINVAL before the
/// kernel sees it. Like system calls they return -1 and set `errno`.
enum FolderCalls: Sendable {
    /// openat2(2) and renameat2(2); the portable calls where those are refused as unknown.
    case kernel
    /// openat(2) with O_NOFOLLOW, and linkat(2) followed by unlinkat(2).
    case portable
    /// The same for file systems that know no hard links either, as those of many sticks, shares and FUSE: the new name is
    /// taken by an empty file first.
    case plain

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
        if self != .plain {
            // A second name for the same file, which fails like the renaming where the name is taken; then the first goes.
            if linkat(directory, old, directory, new, 0) == 0 { return unlinkat(directory, old, 0) }
            guard Self.knowsNoLinks(errno) else { return -1 }
        }
        return replaceReserved(old, new, in: directory)
    }

    /// What linkat(2) says on file systems without hard links: EPERM by the manual, the others by FUSE and SMB. EMLINK: on
    /// some each file has only one name.
    private static func knowsNoLinks(_ code: Int32) -> Bool {
        [EPERM, EOPNOTSUPP, ENOSYS, EINVAL, EMLINK].contains(code)
    }

    /// Takes the new name with an empty file that nobody else can have made, and lets the old one take its place. A crash
    /// in between leaves the empty file, and nothing is lost.
    private func replaceReserved(_ old: String, _ new: String, in directory: Int32) -> Int32 {
        let reserved = openat(directory, new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard reserved >= 0 else { return -1 }
        var status = stat()
        let isKnown = fstat(reserved, &status) == 0
        close(reserved)
        // Somebody may have put something else there in this moment: that stays.
        guard isKnown, Self.isEmptyFile(new, in: directory, as: status) else { return Self.fail(EEXIST) }
        guard renameat(directory, old, directory, new) != 0 else { return 0 }
        let code = errno
        if Self.isEmptyFile(new, in: directory, as: status) { unlinkat(directory, new, 0) }
        return Self.fail(code)
    }

    private static func isEmptyFile(_ name: String, in directory: Int32, as reserved: stat) -> Bool {
        var status = stat()
        return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_size == 0
            && status.st_ino == reserved.st_ino && status.st_dev == reserved.st_dev
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
