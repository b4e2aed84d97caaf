// The two parts of a path, by its text alone: no disk is asked.

/// The folder of a path and its last name. Splits at the last `/`.
package enum PathParts {
    /// The folder that `path` is in: "/" for a name right below it, "." for a path without a slash.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }

    /// The last name of `path`: all of it when there is no slash, and nothing when it ends with one.
    package static func lastName(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }
}
