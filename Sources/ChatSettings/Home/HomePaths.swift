// Where everything of one profile is kept (PRODUCT, "Files"): from the environment and --data-dir.

import CLinux
package import ChatCore
import Glibc

/// The files and folders of one profile. All absolute.
package struct HomePaths: Sendable, Equatable {
    package var configuration: String
    /// Holds history.sqlite and identity.key.
    package var data: String
    package var downloads: String
    package var socket: String
    package var lock: String
    package var log: String
    /// The lines that were typed, for Up and Ctrl-r.
    package var inputHistory: String
    /// The profile, where its settings are in the file of all profiles: below the XDG folders. `nil` where they are its own.
    var sharedProfile: String?

    /// The profile of those who name none.
    private static let defaultProfile = "default"

    /// The credential with the passphrase of the key, as systemd hands it over (systemd.exec(5), LoadCredential=).
    package static let passphraseCredential = "blipchat.passphrase"

    /// Holds what is sent from standard input until it has been sent.
    package var spool: String { data + "/spool" }
    /// Where files of rooms wait to be accepted.
    package var roomFiles: String { data + "/rooms" }
    /// The user's own themes.
    package var themes: String { Self.parent(of: configuration) + "/themes" }
    /// Holds pasted texts that were sent as files.
    package var pasted: String { data + "/pasted" }
    /// Holds the files of our tor, and the sockets between it and us.
    package var tor: String { data + "/tor" }
    package var history: String { data + "/history.sqlite" }
    package var identity: String { data + "/identity.key" }
    /// How wide terminals draw what they disagree about.
    package var terminals: String { Self.parent(of: log) + "/terminals" }

    /// The folders that have the data of one profile each, and those that have many such folders.
    private var dataFolders: [String]
    private var profileFolders: [String]

    /// The keys and histories of all profiles, and the lines that were typed.
    package var privateFiles: PrivateFiles {
        PrivateFiles(
            folders: dataFolders, profiles: profileFolders, prefixes: ["identity.key", "history.sqlite"],
            files: [inputHistory])
    }

    /// Records which notices the user has seen that are shown only once.
    package var told: String { Self.parent(of: log) + "/told" }

    /// Everything under one folder.
    package init(home: String) {
        self.init(home: home, in: home)
    }

    /// `whole`: the folder in which the profiles are, or the default one's home.
    private init(home: String, in whole: String) {
        dataFolders = home == whole ? [home] : [home, whole]
        profileFolders = [whole + "/profiles"]
        configuration = home + "/config.toml"
        data = home
        downloads = home + "/downloads"
        socket = home + "/blipchat.sock"
        lock = home + "/blipchat.lock"
        log = home + "/log"
        inputHistory = home + "/input_history"
    }

    /// By `--data-dir`, else `BLIPCHAT_HOME`, else the XDG folders. A profile other than "default" lies beside them.
    package init(environment: [String: String], dataFolder: String?, profile: String?) throws(CommandError) {
        let profile = profile ?? Self.defaultProfile
        guard Self.isProfileName(profile) else {
            throw .badValue("--profile", profile, "a name of letters, digits, - and _")
        }
        if let folder = dataFolder ?? environment["BLIPCHAT_HOME"], !folder.isEmpty {
            let home = try Self.absolute(folder)
            self.init(home: profile == Self.defaultProfile ? home : "\(home)/profiles/\(profile)", in: home)
            return
        }
        guard dataFolder == nil else { throw .badValue("--data-dir", "", "a folder") }
        guard let user = environment["HOME"], user.utf8.first == UInt8(ascii: "/") else {
            throw CommandError(.usage, "HOME", "not set", advice: "set HOME or BLIPCHAT_HOME, or give --data-dir DIR")
        }
        self.init(environment: environment, user: user, profile: profile)
    }

    /// By the XDG folders, below the user's own folder where they are not set.
    private init(environment: [String: String], user: String, profile: String) {
        func folder(_ variable: String) -> String? {
            environment[variable].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        }
        sharedProfile = profile
        let config = folder("XDG_CONFIG_HOME") ?? user + "/.config"
        let state = (folder("XDG_STATE_HOME") ?? user + "/.local/state") + "/blipchat/\(profile)"
        // Without a runtime folder (no login session) the state folder serves: it is ours alone, too.
        let socketFolder = folder("XDG_RUNTIME_DIR").map { $0 + "/blipchat" } ?? state
        configuration = config + "/blipchat/config.toml"
        let all = (folder("XDG_DATA_HOME") ?? user + "/.local/share") + "/blipchat"
        dataFolders = []
        profileFolders = [all]
        data = "\(all)/\(profile)"
        log = state + "/log"
        inputHistory = state + "/input_history"
        socket = "\(socketFolder)/\(profile).sock"
        lock = "\(socketFolder)/\(profile).lock"
        downloads = XDGUserFolders.downloads(configurationFolder: config, home: user)
    }

    /// Makes the folders of the profile, 0700 each. The downloads folder is made when the first file comes.
    package func createFolders() throws(CommandError) {
        for folder in [data, Self.parent(of: configuration), Self.parent(of: socket), log] {
            try Self.createFolder(folder)
        }
    }

    /// The key of config.toml that has our name in this profile.
    package var nameSetting: SettingPath {
        guard let sharedProfile, sharedProfile != Self.defaultProfile else {
            return SettingPath(section: "", contact: nil, name: "name")
        }
        return SettingPath(section: "names", contact: nil, name: sharedProfile)
    }

    /// Other profiles have been used that read the same config.toml.
    package var sharesConfiguration: Bool {
        guard let sharedProfile else { return false }
        let profiles = Self.parent(of: data)
        return SmallFile.names(in: profiles).contains { name in
            name != sharedProfile && SmallFile.exists("\(profiles)/\(name)/history.sqlite")
        }
    }

    /// Whether this profile has been used: there is a key.
    package var hasIdentity: Bool { SmallFile.exists(identity) }

    // MARK: Paths

    package static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// `path` from the root, seen from the working folder.
    package static func absolute(_ path: String) throws(CommandError) -> String {
        // Mostly a variable of a script that is not set. The working folder is ".", and nobody means it by saying nothing.
        guard !path.isEmpty else {
            throw CommandError(.usage, "path", "empty", advice: "name a file or a folder; . is the current folder")
        }
        guard !path.utf8.contains(0) else { throw CommandError(.usage, path, "not a path") }
        var clean = path
        while clean.utf8.count > 1, clean.utf8.last == UInt8(ascii: "/") { clean = String(clean.dropLast()) }
        if clean.utf8.first == UInt8(ascii: "/") { return clean }
        guard let current = getcwd(nil, 0) else { throw .system("current folder", "cannot be found", errno) }
        defer { free(current) }
        return String(cString: current) + "/" + clean
    }

    /// The path of an operand that must be a file with a name.
    package static func absoluteFile(_ path: String) throws(CommandError) -> String {
        guard path != "-" else {
            throw CommandError(
                .usage, "-", "cannot be standard input or output here", advice: "name a file; ./- is one")
        }
        return try absolute(path)
    }

    package static func createFolder(_ path: String) throws(CommandError) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw CommandError(.localIO, path, "not a folder", advice: "move it away or choose another folder")
            }
            return
        }
        if path != "/" { try createFolder(parent(of: path)) }
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw .system(path, "cannot create this folder", errno) }
    }

    static func isProfileName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }
}

extension CommandError {
    /// A call to the system failed with `code`: local I/O.
    package static func system(_ subject: String, _ what: String, _ code: Int32, advice: String? = nil) -> CommandError
    {
        var error = CommandError(
            .localIO, subject, "\(what): \(String(cString: strerror(code)))", advice: advice ?? usualAdvice(code))
        error.code = code
        return error
    }

    /// Advice about an error number of the system; `nil` where nothing can be said.
    private static func usualAdvice(_ code: Int32) -> String? {
        switch code {
        case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP: "check the path"
        case EACCES, EPERM: "check the permissions"
        case EISDIR: "name a file in it"
        case EBADF: "open it first"
        case ENOSPC, EDQUOT: "make room"
        case EROFS: "choose another place"
        case EMFILE, ENFILE: "close something, or raise the limit on open files"
        default: nil
        }
    }
}
