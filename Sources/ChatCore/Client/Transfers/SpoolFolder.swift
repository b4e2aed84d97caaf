// Folders of files that exist only to be sent: standard input, pasted texts. What is in them is removed when it is not
// needed any more, and nothing else ever.

import BLIPNet
import Glibc

/// A folder in which the program makes files that it offers.
package struct SpoolFolder: Sendable, Equatable {
    /// Absolute.
    package var path: String
    /// How the names of its files begin; what is called otherwise is not ours.
    package var prefix: String
    /// A file that no transfer refers to is left over when nothing was written to it for so long.
    package var grace: Duration
    /// Its files are second names of the user's own: their age is that of the name, and not of what was written last.
    package var holdsLinks: Bool

    package init(path: String, prefix: String, grace: Duration, holdsLinks: Bool = false) {
        self.path = path
        self.prefix = prefix
        self.grace = grace
        self.holdsLinks = holdsLinks
    }

    /// Whether the file at `source` (without links in its way) was made here.
    func holds(_ source: String) -> Bool {
        guard let resolved = realpath(path, nil) else { return false }
        defer { free(resolved) }
        let folder = String(cString: resolved) + "/"
        guard source.utf8.starts(with: folder.utf8) else { return false }
        return isOurs(String(source.dropFirst(folder.count)))
    }

    func isOurs(_ name: String) -> Bool { name.hasPrefix(prefix) && !name.utf8.contains(UInt8(ascii: "/")) }

    // MARK: Cleaning

    /// Removes the source of a transfer that has ended, when it was made in one of `spools` and is not `needed` by another
    /// (`nil`: nobody knows).
    static func removeSource(
        of transfer: FileTransfer, from spools: [SpoolFolder], unless needed: () async -> Set<String>?
    ) async {
        guard transfer.direction == .outgoing, let path = transfer.path, !spools.isEmpty,
            await DiskLane.of(spools[0].path).value(within: .seconds(2), { spools.contains { $0.holds(path) } })
                == true,
            let needed = await needed(), !needed.contains(path)
        else { return }
        await DiskLane.of(path).clear { unlink(path) }
    }

    /// Removes what was left over when the program or the machine stopped between making a file and offering it.
    func clean(except needed: Set<String>, now: Timestamp) async {
        let limit = now.milliseconds - grace.components.seconds * 1000
        await DiskLane.of(path).clear {
            guard let path = try? DownloadFolder.resolved(path),
                let folder = try? DownloadFolder(path: path, creating: false), let names = try? folder.allNames()
            else { return }
            for name in names.compactMap({ $0 }) where isOurs(name) && !needed.contains(folder.path(of: name)) {
                guard let facts = try? folder.facts(of: name), facts.isRegular,
                    (holdsLinks ? facts.changed : facts.modified).milliseconds < limit
                else { continue }
                // If this fails, the next day's cleaning tries again.
                try? folder.remove(name)
            }
        }
    }
}
