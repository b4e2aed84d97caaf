// Where the files of one folder that somebody sends are put, and how much of it our user has agreed to.

import Glibc

/// One sending of a folder, at the receiver. Kept as a setting, so that files that come after a restart land beside
/// the others.
struct FolderSet: Sendable, Equatable {
    /// Absolute: the folder that was made for it beneath the downloads.
    var path: String
    /// The files and bytes that we may still accept without asking, because our user accepted the whole; both 0 when
    /// they did not.
    var filesLeft: UInt64 = 0
    var bytesLeft: UInt64 = 0
    /// Our user wants nothing more of it: what is still to come is declined.
    private(set) var isRefused = false

    init(path: String) { self.path = path }

    static func key(_ set: MessageID, from contact: ContactID) -> String {
        "folder-set.\(contact.rawValue).\(set.text)"
    }

    /// `FILES BYTES PATH`, or `refused 0 PATH`.
    var text: String { "\(isRefused ? Self.refused : String(filesLeft)) \(bytesLeft) \(path)" }
    private static let refused = "refused"

    init?(text: String) {
        let parts = text.split(scalar: " ", maxSplits: 2, omittingEmptySubsequences: false)
        isRefused = parts[0] == Self.refused
        guard parts.count == 3, let files = isRefused ? 0 : UInt64(parts[0]), let bytes = UInt64(parts[1]) else {
            return nil
        }
        path = String(parts[2])
        filesLeft = files
        bytesLeft = bytes
    }

    /// Our user agrees to all of it, as it was offered.
    mutating func agree(to place: FolderPlace) {
        isRefused = false
        filesLeft = place.files
        bytesLeft = place.bytes
    }

    mutating func refuse() {
        isRefused = true
        filesLeft = 0
        bytesLeft = 0
    }

    /// Whether a file of so many bytes is within what was agreed to.
    func covers(_ size: UInt64) -> Bool { filesLeft > 0 && size <= bytesLeft }

    /// Takes a file out of what was agreed to; `false` when it is more than that.
    mutating func take(_ size: UInt64) -> Bool {
        guard covers(size) else { return false }
        filesLeft -= 1
        bytesLeft -= size
        return true
    }

    /// Where a file of it goes: each folder beneath it under its safe name.
    func folder(of place: FolderPlace) -> String {
        ([path] + Self.components(of: place).rest).joined(separator: "/")
    }

    /// The name of the folder itself, and the safe names of those beneath it on the way to a file.
    static func components(of place: FolderPlace) -> (top: String, rest: [String]) {
        let raw = place.path.unicodeScalars.split { $0 == "/" || $0 == "\\" }
            .map { String(String.UnicodeScalarView($0)) }
            .filter { !$0.utf8.elementsEqual(".".utf8) && !$0.utf8.elementsEqual("..".utf8) }
            .prefix(FolderTree.maximumDepth)
        let safe = raw.map { FileNameSanitizer.sanitized($0, otherwise: "folder") }
        return (safe.first ?? "folder", Array(safe.dropFirst()))
    }

    /// The folders that were made for a file of `place` that is in `folder`, from the innermost on; none when our user
    /// has put the file elsewhere.
    static func foldersMade(for place: FolderPlace, downTo folder: String) -> [String] {
        let (top, rest) = components(of: place)
        var parts = folder.split(scalar: "/", omittingEmptySubsequences: false)[...]
        var made: [String] = []
        for name in rest.reversed() {
            guard parts.last.map(String.init) == name else { return [] }
            made.append(parts.joined(separator: "/"))
            parts.removeLast()
        }
        guard let last = parts.last, last == top || last.hasPrefix("\(top) (") else { return [] }
        return made + [parts.joined(separator: "/")]
    }

    /// Makes a new folder for `place` beneath `downloads` (absolute, without links) and returns its path: the name
    /// that was sent, with a number where it is taken.
    static func makeTop(for place: FolderPlace, in downloads: String) throws(FileError) -> String {
        let folder = try DownloadFolder(path: downloads)
        let wanted = components(of: place).top
        var number = 1
        while true {
            let name = FileNameSanitizer.numbered(wanted, number, isFolder: true)
            if try folder.createFolder(name) { return folder.path(of: name) }
            number += 1
        }
    }

    /// Takes back a folder that `makeTop` has made and nobody has used.
    static func removeTop(_ path: String) {
        let outer = try? DownloadFolder(path: PathParts.folder(of: path), creating: false)
        // One that is not empty is somebody's; one that cannot be removed does no harm.
        try? outer?.removeFolder(PathParts.lastName(of: path))
    }
}

extension FileTransfer {
    /// Where the folder is on this disk that the file was sent with; `nil` for a single file, and before it has a place.
    package var pathOfFolder: String? {
        guard let path, let place else { return nil }
        // Some of the folders in between that the sender names may be missing here.
        let depth =
            direction == .incoming
            ? FolderSet.components(of: place).rest.count : place.path.split(scalar: "/").dropFirst().count
        return path.split(scalar: "/", omittingEmptySubsequences: false).dropLast(depth + 1).joined(separator: "/")
    }
}
