// Opens a folder by its absolute path, one step after the other, without following a link at any of them.

import CLinux
import Glibc

/// The way from the root to a folder. Each step is taken in the directory that the step before has opened, so nobody
/// can lead it elsewhere by exchanging a folder for a link in between.
struct FolderWalk {
    private let path: String
    private let creating: Bool
    /// Whether folders that are made are on the disk before the next step; else the caller sees to that.
    private let isDurable: Bool
    private let steps: [String]

    /// With `creating`, what is missing is made with mode 0700; not `durably` where the caller synchronises the whole disk
    /// later.
    init(path: String, creating: Bool, durably isDurable: Bool = true) throws(FileError) {
        self.path = path
        self.creating = creating
        self.isDurable = isDurable
        steps = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        guard path.utf8.first == UInt8(ascii: "/"), steps.allSatisfy(FolderCalls.isComponent) else {
            throw FileError(call: "open", errno: EINVAL, path: path)
        }
    }

    /// A descriptor of the folder, open for reading its names, or only for reaching what is in it; the caller closes it.
    func descriptor(readable: Bool = true) throws(FileError) -> Int32 {
        let last = readable ? O_RDONLY | O_DIRECTORY | O_CLOEXEC : Self.passing
        var current = open("/", steps.isEmpty ? last : Self.passing)
        guard current >= 0 else { throw FileError(call: "open", errno: errno, path: "/") }
        for (index, step) in steps.enumerated() {
            let parent = current
            defer { close(parent) }
            current = try take(step, in: parent, index == steps.count - 1 ? last : Self.passing, index)
        }
        return current
    }

    /// O_PATH, which glibc declares only with _GNU_SOURCE.
    private static let pathOnly: Int32 = 0o10_000_000
    /// Folders on the way need not be readable.
    private static let passing = pathOnly | O_DIRECTORY | O_CLOEXEC

    private func take(
        _ step: String, in parent: Int32, _ flags: Int32, _ index: Int
    ) throws(FileError) -> Int32 {
        var next = openat(parent, step, flags | O_NOFOLLOW)
        if next < 0, errno == ENOENT, creating {
            guard mkdirat(parent, step, 0o700) == 0 || errno == EEXIST else { throw failure("mkdirat", index) }
            if isDurable { try synchronize(parent, index) }
            next = openat(parent, step, flags | O_NOFOLLOW)
        }
        if next >= 0 { return next }
        var code = errno
        var status = stat()
        // The kernel calls a link where a folder must be "not a directory"; people should read that it is a link.
        if code == ENOTDIR, fstatat(parent, step, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFLNK
        {
            code = ELOOP
        }
        throw FileError(call: "open", errno: code, path: prefix(index))
    }

    /// The name of a folder that was made is on the disk when this returns.
    private func synchronize(_ parent: Int32, _ index: Int) throws(FileError) {
        let readable = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder that may be searched and written but not read cannot be synchronised; the file system does it later.
        guard readable >= 0 else { return }
        defer { close(readable) }
        guard fsync(readable) == 0 else { throw failure("fsync", index) }
    }

    private func failure(_ call: String, _ index: Int) -> FileError {
        let code = errno
        return FileError(call: call, errno: code, path: prefix(index))
    }

    private func prefix(_ index: Int) -> String { "/" + steps[...index].joined(separator: "/") }

    /// See `DownloadFolder.resolved`.
    static func resolved(_ path: String) throws(FileError) -> String {
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw FileError(call: "realpath", errno: EINVAL, path: path)
        }
        var existing = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        var missing: [String] = []
        while true {
            if let real = realpath("/" + existing.joined(separator: "/"), nil) {
                defer { free(real) }
                let prefix = String(cString: real)
                return missing.isEmpty ? prefix : (prefix == "/" ? "" : prefix) + "/" + missing.joined(separator: "/")
            }
            let code = errno
            guard code == ENOENT, let last = existing.popLast() else {
                throw FileError(call: "realpath", errno: code, path: path)
            }
            if last != "." { missing.insert(last, at: 0) }
        }
    }
}
