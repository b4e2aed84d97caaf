// The user's home folder in paths that people write and read.

enum HomeFolder {
    /// `path` with `home` as `~`; as it is where there is no home folder that would make it shorter.
    static func abbreviated(_ path: String, home: String) -> String {
        guard home.hasPrefix("/"), home != "/" else { return path }
        if path == home { return "~" }
        return path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path
    }

    /// `~` and `~/…` with `home` in full.
    static func expanded(_ path: String, home: String) -> String {
        path == "~" ? home : path.hasPrefix("~/") ? home + path.dropFirst(1) : path
    }
}
