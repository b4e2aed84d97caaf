// Computes what a confined `serve` may still use: from the paths of its home, the settings and what is there at its start.

import CLinux
import ChatCore
package import ChatSettings
import Glibc

/// Places with what may be done there. A folder means everything in it, also files that come later.
package struct ConfinementRules {
    enum Reach {
        /// Read, write, make and remove everything but devices.
        case own
        /// Read and write what is there.
        case devices
        case read
        /// Only the names.
        case list
        /// Run, and read.
        case run
    }

    /// All paths are without links; a link that has come into the way of one by now grants nothing.
    private(set) var places: [(path: String, reach: Reach)] = []

    /// `ownConfiguration`: the folder of config.toml is made for it; a file that the command line names may be anywhere.
    /// `offered`: files that transfers have still to send.
    package init(
        _ paths: HomePaths, _ settings: Configuration, home: String?, ownConfiguration: Bool, offered: [String]
    ) {
        let home = home.map(Self.resolved) ?? "/nonexistent"
        for path in Self.visible(besides: home) {
            places.append((path, path == "/dev" ? .devices : .read))
        }
        for path in paths.privateFiles.profiles + paths.privateFiles.folders {
            places.append((Self.resolved(path), .list))
        }
        for path in offered + Self.loaded() { places.append((path, .read)) }
        for path in Self.ownFolders(paths, settings, home: home, ownConfiguration: ownConfiguration) {
            places.append((path, .own))
        }
        if !ownConfiguration { places.append((Self.resolved(paths.configuration), .own)) }
        if settings.startsTor, let program = TorProgram.path { places.append((Self.resolved(program), .run)) }
        if settings.runsUpnpc, let program = Upnpc.path { places.append((Self.resolved(program), .run)) }
        if let interpreter = clinux_interpreter() { places.append((Self.resolved(String(cString: interpreter)), .run)) }
    }

    /// The folders that are written to.
    static func ownFolders(
        _ paths: HomePaths, _ settings: Configuration, home: String, ownConfiguration: Bool
    ) -> [String] {
        var folders = [
            paths.data, HomePaths.parent(of: paths.log), HomePaths.parent(of: paths.socket),
            settings.downloads ?? paths.downloads,
        ].map(resolved)
        guard ownConfiguration else { return folders }
        // config.toml may be a link to where somebody keeps the settings of all programs.
        for folder in [
            resolved(HomePaths.parent(of: paths.configuration)), HomePaths.parent(of: resolved(paths.configuration)),
        ] where !Self.contains(folder, home) { folders.append(folder) }
        return folders
    }

    /// Whether `path` is in `folder`, or is it.
    static func contains(_ folder: String, _ path: String) -> Bool {
        folder == "/" || path == folder || path.utf8.starts(with: (folder + "/").utf8)
    }

    /// Everything of the system and of other users, and of our user's own folder what is not hidden: keys, passwords and
    /// what programs remember are in hidden places. The folders on the way to it are not among them, since they hold it.
    static func visible(besides home: String) -> [String] {
        var found: [String] = []
        var folder = ""
        for step in home.split(separator: "/").map(String.init) {
            for name in names(in: folder) where name != step { found.append("\(folder)/\(name)") }
            folder += "/" + step
        }
        for name in names(in: folder) where !name.hasPrefix(".") { found.append("\(folder)/\(name)") }
        return found
    }

    private static func names(in folder: String) -> [String] {
        SmallFile.names(in: folder.isEmpty ? "/" : folder).filter { $0 != "." && $0 != ".." }
    }

    /// The files that this program is made of, wherever its libraries are: it loads them again.
    private static func loaded() -> [String] {
        let maps = SmallFile.read("/proc/self/maps", limit: 1 << 20) ?? ""
        return Set(
            maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
        )
        .sorted()
    }

    /// `path` without links, as far as it is there.
    static func resolved(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        guard path != "/", let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        let parent = resolved(HomePaths.parent(of: path))
        return (parent == "/" ? "" : parent) + path[slash...]
    }

    // MARK: For the kernel

    /// The rules as the kernel takes them: a descriptor, which the caller closes.
    package func ruleset() throws(SystemError) -> Int32 {
        let version = Confinement.kernelVersion
        let all = clinux_landlock_file_rights(version)
        // Scopes: no signals to processes that are not confined as we are.
        let ruleset = clinux_landlock_create(
            clinux_landlock(file_rights: all, network_rights: 0, scopes: version >= 6 ? 2 : 0), version)
        guard ruleset >= 0 else { throw SystemError(code: errno) }
        do throws(SystemError) {
            let program = clinux_open_linked_place("/proc/self/exe")
            guard program >= 0 else { throw SystemError(code: errno) }
            defer { close(program) }
            try Self.allow(.run, program, ruleset, all)
            for (path, reach) in places {
                let place = clinux_open_place(path)
                // A place that has gone meanwhile, or may not be reached, needs no rule.
                guard place >= 0 else { continue }
                defer { close(place) }
                try Self.allow(reach, place, ruleset, all)
            }
        } catch {
            close(ruleset)
            throw error
        }
        return ruleset
    }

    private static func allow(_ reach: Reach, _ place: Int32, _ ruleset: Int32, _ all: UInt64) throws(SystemError) {
        var status = stat()
        guard fstat(place, &status) == 0 else { throw SystemError(code: errno) }
        let kind = status.st_mode & S_IFMT
        // The target of a link has rules of its own, or none.
        guard kind != S_IFLNK else { return }
        let devices = [CLINUX_MAY_MAKE_CHARACTER_DEVICES, CLINUX_MAY_MAKE_BLOCK_DEVICES, CLINUX_MAY_CONTROL_DEVICES]
        var rights =
            switch reach {
            case .own: devices.reduce(all & ~bit(CLINUX_MAY_RUN)) { $0 & ~bit($1) }
            case .devices: bit(CLINUX_MAY_READ) | bit(CLINUX_MAY_LIST) | bit(CLINUX_MAY_WRITE)
            case .read: bit(CLINUX_MAY_READ) | bit(CLINUX_MAY_LIST)
            case .list: bit(CLINUX_MAY_LIST)
            case .run: bit(CLINUX_MAY_RUN) | bit(CLINUX_MAY_READ)
            }
        if kind != S_IFDIR {
            // The others are about what is in a folder, and refused for a file.
            rights &= [CLINUX_MAY_RUN, CLINUX_MAY_READ, CLINUX_MAY_WRITE, CLINUX_MAY_TRUNCATE].reduce(0) {
                $0 | bit($1)
            }
        }
        rights &= all
        guard rights != 0 else { return }
        // EBADFD: a file system of the kernel's own, to which no path leads.
        guard clinux_landlock_allow(ruleset, place, rights) != 0, errno != EBADFD else { return }
        throw SystemError(code: errno)
    }

    private static func bit(_ right: Int) -> UInt64 { UInt64(right) }
}
