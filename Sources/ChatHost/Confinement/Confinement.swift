// Keeps `blipchat serve` to its own folders and to what can be seen (landlock(7), Docs/decisions/0024).

import CLinux
package import ChatCore
package import ChatSettings
import Glibc

package enum Confinement {
    /// The variable by which a `serve` knows that it has restarted itself. Nothing else believes it.
    package static let marker = "BLIPCHAT_KEPT"

    /// Whether this process is confined, by looking and not by remembering: no rule ever lets a confined one list the root.
    static let isInEffect: Bool = {
        let root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root < 0 else {
            close(root)
            return false
        }
        return errno == EACCES
    }()

    /// The version of Landlock that the kernel has; 0: none.
    package static var kernelVersion: Int32 { clinux_landlock_version() }

    /// Whether the file or folder at `path` is kept from this process. access(2) does not know: it has to be opened.
    static func hides(_ path: String) async -> Bool {
        guard isInEffect else { return false }
        return await DiskLane.of(path).value(within: .seconds(10)) { () -> Bool in
            var status = stat()
            guard stat(path, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return false }
            let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            guard descriptor >= 0 else { return errno == EACCES }
            close(descriptor)
            return false
        } ?? false
    }
}

extension ChatError {
    /// In a confined process that is the likeliest reason for a file that may not be opened, and whoever asked can find out.
    package var asConfined: ChatError {
        switch self {
        case .cannotRead(let path, EACCES) where Confinement.isInEffect: .outOfReach(path: path)
        case .cannotWrite(let path, EACCES) where Confinement.isInEffect: .outOfReach(path: path)
        default: self
        }
    }

    /// A copy of the history could not be begun where it was to go.
    var isRefusedCopy: Bool {
        if case .store(.cannotOpen) = self { true } else { false }
    }
}

/// Where a confined chat can put received files: where it could at its start.
package struct DownloadsReach: Sendable {
    /// The downloads folder of the start.
    private let downloads: String
    /// The folders that can be written to; `nil`: all.
    private let folders: [String]?
    private let standard: String

    package init(_ paths: HomePaths, _ settings: Configuration, home: String?, ownConfiguration: Bool) {
        standard = paths.downloads
        downloads = settings.downloads ?? paths.downloads
        folders =
            Confinement.isInEffect
            ? ConfinementRules.ownFolders(
                paths, settings, home: ConfinementRules.resolved(home ?? "/"), ownConfiguration: ownConfiguration) : nil
    }

    /// Leaves the downloads folder as it was where the new one cannot be written to before the next start; in that case
    /// returns the words to append to the report of the change.
    package func limit(_ settings: inout Configuration) -> String? {
        guard let folders else { return nil }
        let wanted = settings.downloads ?? standard
        let real = ConfinementRules.resolved(wanted)
        guard !folders.contains(where: { ConfinementRules.contains($0, real) }) else { return nil }
        settings.downloads = downloads
        return "; files go to \(wanted) from the next start on, since serve confines itself (security.sandbox)"
    }
}
