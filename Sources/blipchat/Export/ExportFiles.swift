// The files that belong to an export: copied into a folder beside it, under names that are safe everywhere.

import CLinux
import ChatCore
import ChatTUI
import Glibc

/// Copies to `EXPORT.files/NUMBER-NAME`.
struct ExportFiles {
    /// Absolute.
    private let folder: String
    /// The folder's own name, by which the export refers to it.
    private let folderName: String
    private let note: (String) -> Void

    /// `export` is the path of the export file.
    init(besides export: String, note: @escaping (String) -> Void) throws(CommandError) {
        folder = export + ".files"
        folderName = folder.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? "files"
        self.note = note
        try HomePaths.createFolder(folder)
    }

    /// Returns the path relative to the export; `nil` when there is nothing to copy, or it could not be copied.
    func copy(_ transfer: FileTransfer) -> String? {
        guard let path = transfer.path, transfer.direction == .outgoing || transfer.state == .complete else {
            return nil
        }
        let name = "\(transfer.number.rawValue)-\(Self.safeName(transfer.name))"
        let target = "\(folder)/\(name)"
        let size = Int64(clamping: transfer.size)
        if SmallFile.size(target) == size { return "\(folderName)/\(name)" }
        guard let problem = Self.copy(path, size: size, to: target) else { return "\(folderName)/\(name)" }
        note("#\(transfer.number.rawValue) \(path): not copied: \(problem)")
        return nil
    }

    /// ASCII letters, digits, `-`, `_` and single dots; everything else becomes `_`. No file begins with a dot here
    /// anyway: the number stands in front.
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

    /// `nil` when it is done, else why not. A link is not followed, and what has another size is another file.
    private static func copy(_ path: String, size: Int64, to target: String) -> String? {
        func words() -> String { Sentences.words(forErrno: errno) }
        let source = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard source >= 0 else { return words() }
        defer { close(source) }
        var status = stat()
        guard fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return "not a regular file" }
        guard Int64(status.st_size) == size else { return "it has another size by now" }
        let part = target + ".part"
        let copy = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard copy >= 0 else { return words() }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var problem: String?
        while problem == nil {
            let count = read(source, &buffer, buffer.count)
            if count == 0 { break }
            if count < 0 || write(copy, buffer, count) != count { problem = words() }
        }
        if problem == nil, fsync(copy) != 0 { problem = words() }
        close(copy)
        if problem == nil, rename(part, target) != 0 { problem = words() }
        if problem != nil { unlink(part) }
        return problem
    }
}
