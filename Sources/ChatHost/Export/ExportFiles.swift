// The files that belong to an export: copied into a folder beside it, under names that are safe everywhere.

import BLIPNet
import CLinux
import ChatCore
package import ChatSettings
import ChatWords
import Glibc

/// Copies to `EXPORT.files/NUMBER-NAME`.
package struct ExportFiles {
    /// Absolute.
    private let folder: String
    /// The folder's own name, by which the export refers to it.
    private let folderName: String
    private let note: (String) -> Void

    /// `export` is the path of the export file.
    package init(besides export: String, note: @escaping (String) -> Void) throws(CommandError) {
        folder = export + ".files"
        folderName = folder.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? "files"
        self.note = note
        try HomePaths.createFolder(folder)
    }

    /// A copy that belongs to an export.
    struct Copy: Sendable, Equatable {
        /// Relative to the export's folder.
        var path: String
        /// Of its content, in hexadecimal digits.
        var sha256: String
    }

    /// `nil` when there is nothing to copy, or it could not be copied.
    ///
    /// A copy of the same content is used again; any other file keeps its name, and the copy gets another.
    func copy(_ transfer: FileTransfer) -> Copy? {
        guard let path = transfer.path, transfer.direction == .outgoing || transfer.state == .complete else {
            return nil
        }
        let name = "\(transfer.number.rawValue)-\(Self.safeName(transfer.name))"
        if let sha256 = transfer.sha256, FileDigest.isFile("\(folder)/\(name)", size: transfer.size, sha256: sha256) {
            return Copy(path: "\(folderName)/\(name)", sha256: sha256)
        }
        do throws(Problem) {
            return try copy(transfer, from: path, as: name)
        } catch {
            note("#\(transfer.number.rawValue) \(path): not copied: \(error.words)")
            return nil
        }
    }

    /// ASCII letters, digits, `-`, `_` and single dots; everything else becomes `_`. No file begins with a dot here
    /// anyway: the number is in front.
    static func safeName(_ name: String) -> String {
        var safe: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): safe.append(byte)
            case UInt8(ascii: ".") where safe.last != UInt8(ascii: "."): safe.append(byte)
            default: if safe.last != UInt8(ascii: "_") { safe.append(UInt8(ascii: "_")) }
            }
        }
        return String(decoding: safe.suffix(100), as: UTF8.self)
    }

    private struct Problem: Error {
        var words: String

        init(_ words: String) { self.words = words }
        init(errno code: Int32) { words = Sentences.words(forErrno: code) }
    }

    /// A link is not followed, and what has another size or digest is another file.
    private func copy(_ transfer: FileTransfer, from path: String, as name: String) throws(Problem) -> Copy {
        let source = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard source >= 0 else { throw Problem(errno: errno) }
        defer { close(source) }
        var status = stat()
        guard fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Problem("not a regular file")
        }
        guard UInt64(clamping: status.st_size) == transfer.size else { throw Problem("its size has changed") }
        let part: (descriptor: Int32, path: String)
        do throws(SystemError) {
            part = try SmallFile.createBeside("\(folder)/\(name)")
        } catch {
            throw Problem(errno: error.code)
        }
        var isKept = false
        defer {
            close(part.descriptor)
            if !isKept { unlink(part.path) }
        }
        let content = SHA256Digest()
        do throws(CommandError) {
            try ByteCopy.copy(from: source, named: path, to: part.descriptor, named: part.path) { content.update($0) }
        } catch {
            throw Problem(error.reason)
        }
        let digest = content.finish().hex
        guard transfer.sha256.map({ $0 == digest }) ?? true else { throw Problem("its content has changed") }
        guard fsync(part.descriptor) == 0 else { throw Problem(errno: errno) }
        for number in 1...100 {
            let free = number == 1 ? name : "\(name)-\(number)"
            let target = "\(folder)/\(free)"
            let copy = Copy(path: "\(folderName)/\(free)", sha256: digest)
            if link(part.path, target) == 0 { return copy }
            guard errno == EEXIST else {
                // Some file systems have no second names.
                isKept = !SmallFile.exists(target) && rename(part.path, target) == 0
                guard isKept else { throw Problem(errno: errno) }
                return copy
            }
            if FileDigest.isFile(target, size: transfer.size, sha256: digest) { return copy }
        }
        throw Problem(errno: EEXIST)
    }
}
