// Whose a home is. A file that root makes in somebody's home (sudo keeps HOME) locks its owner out, and a folder that others
// own or may change lets them put another key or socket there.

import CLinux
import Glibc

/// Looks at the folders of a home before anything in them is made, read or asked.
package enum HomeOwnership {
    /// The facts that stat(2) gives about a folder.
    struct Facts: Sendable, Equatable {
        var user: uid_t
        var mode: mode_t
    }

    enum Problem: Sendable, Equatable {
        /// It belongs to another user.
        case owner(uid_t)
        /// Others may change what is in it; its permission bits.
        case writable(mode_t)
    }

    /// The problem with a folder of ours, as `user` sees it.
    static func problem(of folder: Facts, for user: uid_t) -> Problem? {
        guard folder.user == user else { return .owner(folder.user) }
        return folder.mode & 0o022 == 0 ? nil : .writable(folder.mode & 0o7777)
    }

    /// The problem with making a folder in this one: it is another person's. In those of the system, and where
    /// everybody keeps what is theirs (/tmp), anybody may have one.
    static func problem(ofParent folder: Facts, for user: uid_t) -> Problem? {
        folder.user == user || folder.user == 0 || folder.mode & sticky != 0 ? nil : .owner(folder.user)
    }

    /// S_ISVTX (inode(7)): only its owner removes what is there.
    private static let sticky: mode_t = 0o1000

    /// Throws code 7 unless the folders of `paths` belong to our user alone, or can be made by them. `isOwnConfiguration`:
    /// nobody has named a file of settings that is elsewhere. `onlyOwner`: the rights of others are somebody else's matter.
    package static func check(
        _ paths: HomePaths, isOwnConfiguration: Bool = true, onlyOwner: Bool = false
    ) throws(CommandError) {
        let user = geteuid()
        for folder in [paths.data, HomePaths.parent(of: paths.socket), paths.log] {
            try check(folder, for: user, onlyOwner: onlyOwner)
        }
        if isOwnConfiguration { try check(HomePaths.parent(of: paths.configuration), for: user, onlyOwner: true) }
    }

    private static func check(_ folder: String, for user: uid_t, onlyOwner: Bool) throws(CommandError) {
        var place = folder
        while true {
            var status = stat()
            if stat(place, &status) == 0 {
                let facts = Facts(user: status.st_uid, mode: status.st_mode)
                switch place == folder ? problem(of: facts, for: user) : problem(ofParent: facts, for: user) {
                case .owner(let owner)?: throw .foreignFolder(place, owner: owner, user: user)
                case .writable(let mode)? where !onlyOwner: throw .writableFolder(place, mode: mode)
                case .writable?, nil: return
                }
            }
            // The code that opens it reports any other error.
            guard errno == ENOENT, place != "/" else { return }
            place = HomePaths.parent(of: place)
        }
    }
}

extension CommandError {
    fileprivate static func foreignFolder(_ path: String, owner: uid_t, user: uid_t) -> CommandError {
        CommandError(
            .localIO, path,
            "belongs to \(name(of: owner)) and you are \(name(of: user)): files of yours there would lock them out",
            advice: user == 0 ? "run blipchat without sudo, or choose another --data-dir" : "choose another --data-dir")
    }

    fileprivate static func writableFolder(_ path: String, mode: mode_t) -> CommandError {
        CommandError(
            .localIO, path, "others can change what is in it (mode \(String(mode, radix: 8)))",
            advice: "stop them: chmod go-w, or blipchat doctor --fix")
    }

    /// By name where the system knows one.
    private static func name(of user: uid_t) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var room = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(user, &entry, &room, room.count, &found) == 0, let found, let name = found.pointee.pw_name
        else { return "user \(user)" }
        return String(cString: name)
    }
}
