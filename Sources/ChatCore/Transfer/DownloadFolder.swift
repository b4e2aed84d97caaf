// The folder where accepted files go. Every name is resolved beneath it: no link, no "..", no overwriting
// (RELIABILITY D11).

import CLinux
import Glibc

/// An open directory. Names given to its methods are single path components. Whatever happens to the path while it is
/// open, the files stay in this directory.
final class DownloadFolder: Sendable {
    /// Absolute.
    let path: String
    private let descriptor: Int32
    private let calls: FolderCalls

    /// Opens the folder without following any link on the way (see `resolved`). With `creating`, what is missing of the
    /// path is made (0700), durably unless the caller synchronises the whole disk later.
    init(
        path: String, creating: Bool = true, durably: Bool = true, calls: FolderCalls = .kernel
    ) throws(FileError) {
        self.path = path
        self.calls = calls
        descriptor = try FolderWalk(path: path, creating: creating, durably: durably).descriptor()
    }

    deinit { close(descriptor) }

    /// The path as it is now without links, for a path that our own user chose: links in it are theirs. The part that
    /// does not exist is kept as it is. When this path is opened, a link that was put there later is refused.
    static func resolved(_ path: String) throws(FileError) -> String { try FolderWalk.resolved(path) }

    /// Makes a new, empty partial file (0600); an older one of the same name is removed first.
    func createPartial(_ name: String) throws(FileError) -> OpenFile {
        try remove(name)
        return try openBeneath(name, O_RDWR | O_CREAT | O_EXCL)
    }

    /// Opens a partial file that an earlier run left; `nil` when it is not there or not ours alone.
    func openPartial(_ name: String) throws(FileError) -> OpenFile? {
        guard let file = try openUnlessMissing(name, O_RDWR) else { return nil }
        let facts = try file.facts()
        return facts.isRegular && facts.linkCount == 1 && facts.owner == geteuid() ? file : nil
    }

    /// Opens a finished file for reading; `nil` when it is not there or a link.
    func openFinished(_ name: String) throws(FileError) -> OpenFile? { try openUnlessMissing(name, O_RDONLY) }

    /// Whether anything has this name, a dangling link included.
    func contains(_ name: String) throws(FileError) -> Bool { try status(of: name) != nil }

    /// Whether `name` still is this very file, and not another one or a link that took its place.
    func holds(_ file: OpenFile, as name: String) throws(FileError) -> Bool {
        guard let status = try status(of: name) else { return false }
        let facts = try file.facts()
        return FileFacts(status).isSameFile(as: facts)
    }

    /// The facts about `name`; `nil` when nothing has this name.
    func facts(of name: String) throws(FileError) -> FileFacts? { try status(of: name).map(FileFacts.init) }

    /// Gives the partial file its final name, unless something has that name: then returns `false`.
    func rename(_ partial: String, to name: String) throws(FileError) -> Bool {
        if calls.rename(partial, to: name, in: descriptor) == 0 { return true }
        if errno == EEXIST { return false }
        throw failure("renameat2", name)
    }

    /// Removes a file; nothing there is fine.
    func remove(_ name: String) throws(FileError) {
        guard FolderCalls.isComponent(name) else { throw FileError(call: "unlinkat", errno: EINVAL, path: name) }
        if unlinkat(descriptor, name, 0) != 0, errno != ENOENT { throw failure("unlinkat", name) }
    }

    /// Removes an empty folder.
    func removeFolder(_ name: String) throws(FileError) {
        guard FolderCalls.isComponent(name) else { throw FileError(call: "unlinkat", errno: EINVAL, path: name) }
        if unlinkat(descriptor, name, AT_REMOVEDIR) != 0 { throw failure("unlinkat", name) }
    }

    /// Makes a new folder in this one (0700), durably; `false` when anything has this name.
    func createFolder(_ name: String) throws(FileError) -> Bool {
        guard FolderCalls.isComponent(name) else { throw FileError(call: "mkdirat", errno: EINVAL, path: name) }
        guard mkdirat(descriptor, name, 0o700) == 0 else {
            if errno == EEXIST { return false }
            throw failure("mkdirat", name)
        }
        try synchronize()
        return true
    }

    /// Returns when the names in the folder are on the disk.
    func synchronize() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw failure("fsync", "") }
    }

    /// Returns when everything on the disk of the folder is there for good: what other programs have written, too, so it is
    /// for many files at once.
    func synchronizeDisk() throws(FileError) {
        guard clinux_synchronize_disk(descriptor) == 0 else { throw failure("syncfs", "") }
    }

    /// The names in the folder, in no order; `nil` for one that is not UTF-8.
    func allNames() throws(FileError) -> [String?] { try list(DirectoryStream.names) }

    /// The same with what is known of each without looking at it.
    func found() throws(FileError) -> [DirectoryStream.Found] { try list(DirectoryStream.found) }

    private func list<Entry>(_ read: (OpaquePointer) -> [Entry]) throws(FileError) -> [Entry] {
        let own = dup(descriptor)
        guard own >= 0, let stream = fdopendir(own) else {
            let error = failure("fdopendir", "")
            if own >= 0 { close(own) }
            throw error
        }
        defer { closedir(stream) }
        rewinddir(stream)
        return read(stream)
    }

    /// Which file system it is on.
    func device() throws(FileError) -> UInt64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("fstat", "") }
        return UInt64(status.st_dev)
    }

    /// Bytes that we may write, and the size of the file system.
    func space() throws(FileError) -> (free: UInt64, total: UInt64) {
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0 else { throw failure("fstatvfs", "") }
        func bytes(_ blocks: fsblkcnt_t) -> UInt64 {
            let (product, overflow) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
            return overflow ? .max : product
        }
        return (bytes(status.f_bavail), bytes(status.f_blocks))
    }

    /// `path/name`.
    func path(of name: String) -> String { path.utf8.last == UInt8(ascii: "/") ? path + name : "\(path)/\(name)" }

    private func status(of name: String) throws(FileError) -> stat? {
        guard FolderCalls.isComponent(name) else { throw FileError(call: "fstatat", errno: EINVAL, path: name) }
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        if errno == ENOENT { return nil }
        throw failure("fstatat", name)
    }

    private func openUnlessMissing(_ name: String, _ flags: Int32) throws(FileError) -> OpenFile? {
        do throws(FileError) {
            return try openBeneath(name, flags)
        } catch {
            if error.errno == ENOENT || error.errno == ELOOP { return nil }
            throw error
        }
    }

    private func openBeneath(_ name: String, _ flags: Int32) throws(FileError) -> OpenFile {
        let descriptor = calls.open(name, in: self.descriptor, flags)
        guard descriptor >= 0 else { throw failure("openat2", name) }
        return OpenFile(descriptor: descriptor, path: path(of: name))
    }

    private func failure(_ call: String, _ name: String) -> FileError {
        let code = errno
        return FileError(call: call, errno: code, path: name.isEmpty ? path : path(of: name))
    }
}
