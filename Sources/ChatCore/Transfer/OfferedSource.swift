// What our user offers, as it is on the disk now: we look at an offered file now, read it later, and it must not have changed
// by then.

import CLinux
import Glibc

enum OfferedSource {
    /// The absolute path without links, and what the file is now. Anything but a readable regular file is refused
    /// before it is opened; one of `ours` is refused.
    static func file(
        at path: String, notOf ours: PrivateFiles
    ) async throws(ChatError) -> (path: String, facts: FileFacts) {
        let found = await DiskLane.of(path).value(within: DiskLane.usersPatience) {
            Result { () throws(ChatError) in try fileNow(at: path, notOf: ours) }
        }
        guard let found else { throw .cannotRead(path: path, errno: Task.isCancelled ? ECANCELED : ETIMEDOUT) }
        return try found.get()
    }

    private static func fileNow(
        at path: String, notOf ours: PrivateFiles
    ) throws(ChatError) -> (path: String, facts: FileFacts) {
        let real = try realPath(path)
        var status = stat()
        guard lstat(real, &status) == 0 else { throw .cannotRead(path: path, errno: errno) }
        guard FileFacts(status).isRegular else { throw .notARegularFile(path: path) }
        let facts: FileFacts
        let isWhole: Bool
        do throws(FileError) {
            let file = try OpenFile.forReading(real)
            facts = try file.facts()
            // Files of the kernel (/proc) say 0 and have a content all the same.
            isWhole = facts.size > 0 || !file.hasContent
        } catch {
            throw .cannotRead(path: path, errno: error.errno)
        }
        guard isWhole else { throw .notARegularFile(path: path) }
        guard !ours.present().contains(facts.identity) else { throw .privateFile(path: path) }
        return (real, facts)
    }

    /// A large folder on a slow disk takes its time.
    static func tree(
        at path: String, limit: Int, leaving ours: PrivateFiles
    ) async throws(ChatError) -> FolderTree {
        let found = await DiskLane.of(path).value {
            Result { () throws(ChatError) in try treeNow(at: path, limit: limit, leaving: ours) }
        }
        guard let found else { throw .cannotRead(path: path, errno: ECANCELED) }
        return try found.get()
    }

    private static func treeNow(
        at path: String, limit: Int, leaving ours: PrivateFiles
    ) throws(ChatError) -> FolderTree {
        let real = try realPath(path)
        let found: FolderTree?
        do throws(FileError) {
            found = try FolderTree.read(
                real, named: PathParts.lastName(of: real), limit: limit, leaving: ours.present())
        } catch {
            throw .cannotRead(path: path, errno: error.errno)
        }
        guard let found else { throw .tooManyFiles(path: path, limit: limit) }
        return found
    }

    private static func realPath(_ path: String) throws(ChatError) -> String {
        guard !path.utf8.contains(0) else { throw .cannotRead(path: path, errno: ENOENT) }
        guard let resolved = realpath(path, nil) else { throw .cannotRead(path: path, errno: errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
