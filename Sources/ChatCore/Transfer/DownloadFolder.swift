// The folder where accepted files go. Every name is resolved beneath it by the kernel: no link, no "..", no overwriting
// (RELIABILITY D11).

import CLinux
import Glibc

/// An open directory. Names given to its methods are single path components.
final class DownloadFolder: Sendable {
    /// Absolute.
    let path: String
    private let descriptor: Int32

    /// Opens the folder, making it and what is missing above it (0700).
    init(path: String) throws(FileError) {
        self.path = path
        try Self.makeFolders(path)
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(call: "open", errno: errno, path: path) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Makes a new, empty partial file (0600); an older one of the same name is removed first.
    func createPartial(_ name: String) throws(FileError) -> OpenFile {
        try remove(name)
        return try openBeneath(name, O_RDWR | O_CREAT | O_EXCL)
    }

    /// Opens a partial file that an earlier run left; `nil` when it is not there or not ours alone.
    func openPartial(_ name: String) throws(FileError) -> OpenFile? {
        let file: OpenFile
        do throws(FileError) {
            file = try openBeneath(name, O_RDWR)
        } catch {
            if error.errno == ENOENT || error.errno == ELOOP { return nil }
            throw error
        }
        let facts = try file.facts()
        return facts.isRegular && facts.linkCount == 1 && facts.owner == geteuid() ? file : nil
    }

    /// Opens a finished file for reading; `nil` when it is not there.
    func openFinished(_ name: String) throws(FileError) -> OpenFile? {
        do throws(FileError) {
            return try openBeneath(name, O_RDONLY)
        } catch {
            if error.errno == ENOENT || error.errno == ELOOP { return nil }
            throw error
        }
    }

    /// Whether anything has this name, a dangling link included.
    func contains(_ name: String) throws(FileError) -> Bool {
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
        if errno == ENOENT { return false }
        throw failure("fstatat", name)
    }

    /// Gives the partial file its final name, unless something has that name: then returns `false`.
    func rename(_ partial: String, to name: String) throws(FileError) -> Bool {
        if clinux_rename_noreplace(descriptor, partial, descriptor, name) == 0 { return true }
        if errno == EEXIST { return false }
        throw failure("renameat2", name)
    }

    /// Removes a file; nothing there is fine.
    func remove(_ name: String) throws(FileError) {
        if unlinkat(descriptor, name, 0) != 0, errno != ENOENT { throw failure("unlinkat", name) }
    }

    /// Returns when the names in the folder are on the disk.
    func synchronize() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw failure("fsync", "") }
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

    private func openBeneath(_ name: String, _ flags: Int32) throws(FileError) -> OpenFile {
        let all = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        // The mode must be 0 unless a file may be made (openat2(2)).
        let mode: UInt64 = flags & O_CREAT != 0 ? 0o600 : 0
        let descriptor = clinux_open_beneath(self.descriptor, name, UInt64(UInt32(bitPattern: all)), mode)
        guard descriptor >= 0 else { throw failure("openat2", name) }
        return OpenFile(descriptor: descriptor, path: path(of: name))
    }

    private func failure(_ call: String, _ name: String) -> FileError {
        let code = errno
        return FileError(call: call, errno: code, path: name.isEmpty ? path : path(of: name))
    }

    /// `mkdir -p` with mode 0700.
    private static func makeFolders(_ path: String) throws(FileError) {
        var part: [UInt8] = []
        for component in path.utf8.split(separator: UInt8(ascii: "/")) {
            part.append(UInt8(ascii: "/"))
            part += component
            let prefix = String(decoding: part, as: UTF8.self)
            if mkdir(prefix, 0o700) != 0, errno != EEXIST {
                let code = errno
                // A folder above that we may not write is fine as long as it is there.
                var status = stat()
                guard stat(prefix, &status) == 0 else { throw FileError(call: "mkdir", errno: code, path: prefix) }
            }
        }
    }
}
