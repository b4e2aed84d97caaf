// Where the user's downloads go, as the desktop has it: user-dirs.dirs of the XDG user directories.

enum XDGUserFolders {
    /// The folder that `xdg-user-dir DOWNLOAD` prints; `~/Downloads` when nothing is set.
    static func downloads(configurationFolder: String, home: String) -> String {
        let standard = home + "/Downloads"
        guard let text = SmallFile.read(configurationFolder + "/user-dirs.dirs", limit: 65_536) else { return standard }
        return downloads(inUserDirs: text, home: home) ?? standard
    }

    /// The value of `XDG_DOWNLOAD_DIR="$HOME/..."` or `="/..."`, which are the only two forms.
    static func downloads(inUserDirs text: String, home: String) -> String? {
        var found: String?
        for line in text.split(separator: "\n") {
            guard line.utf8.starts(with: "XDG_DOWNLOAD_DIR=\"".utf8), line.utf8.last == UInt8(ascii: "\"") else {
                continue
            }
            let value = line.dropFirst("XDG_DOWNLOAD_DIR=\"".count).dropLast()
            if value.utf8.starts(with: "$HOME/".utf8) {
                found = home + value.dropFirst("$HOME".count)
            } else if value.utf8.first == UInt8(ascii: "/") {
                found = String(value)
            }
        }
        return found
    }
}
