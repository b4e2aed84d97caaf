// A pasted text that goes out as a file: kept below the profile, because the file is read when the transfer runs.

import ChatCore
import Glibc

/// Writes pasted texts into files.
package enum PastedFile {
    /// How the names of such files begin: what is called so in the folder is removed when it has been sent.
    package static let prefix = "paste-"

    /// Writes `text` into a new file in `folder` (made 0700 when it is missing), 0600, and returns its path. A number is
    /// added to `name` where that is taken.
    static func write(_ text: String, name: String, in folder: String?) async throws(ChatError) -> String {
        guard let folder else { throw .cannotWrite(path: name, errno: ENOENT) }
        let written = await DiskLane.of(folder).value {
            Result { () throws(ChatError) in try writeNow(text, name: name, in: folder) }
        }
        guard let written else { throw .cannotWrite(path: folder, errno: ECANCELED) }
        return try written.get()
    }

    private static func writeNow(_ text: String, name: String, in folder: String) throws(ChatError) -> String {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .cannotWrite(path: folder, errno: errno) }
        let (path, file) = try create(name, in: folder)
        var text = text
        let written = text.withUTF8 { Glibc.write(file, $0.baseAddress, $0.count) }
        let code = errno
        close(file)
        guard written == text.utf8.count else {
            unlink(path)
            throw .cannotWrite(path: path, errno: written < 0 ? code : ENOSPC)
        }
        return path
    }

    private static func create(_ name: String, in folder: String) throws(ChatError) -> (path: String, file: Int32) {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        for number in 1...1000 {
            let path = "\(folder)/\(name[..<dot])\(number == 1 ? "" : "-\(number)")\(name[dot...])"
            let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if file >= 0 { return (path, file) }
            guard errno == EEXIST else { throw .cannotWrite(path: path, errno: errno) }
        }
        throw .cannotWrite(path: "\(folder)/\(name)", errno: EEXIST)
    }
}
