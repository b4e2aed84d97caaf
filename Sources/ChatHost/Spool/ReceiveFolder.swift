// Where a file is between its arrival and standard output, for `blipchat receive -o -`.

package import ChatSettings
import Glibc

/// A folder of one `receive`. It goes with the command, unless the command was killed or could not write the file out.
package enum ReceiveFolder {
    private static let prefix = "receive-"

    /// Makes one (0700) in `folder`.
    package static func make(in folder: String) throws(CommandError) -> String {
        var template = Array("\(folder)/\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system(folder, "cannot create a folder here", errno) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Those that are in `folder`.
    static func found(in folder: String) -> [String] {
        SmallFile.names(in: folder).filter { $0.hasPrefix(prefix) && $0.utf8.count == prefix.utf8.count + 6 }
            .sorted().map { "\(folder)/\($0)" }
    }

    /// The files in one of them that are complete.
    static func files(in folder: String) -> [String] {
        SmallFile.names(in: folder).filter { $0 != "." && $0 != ".." && !$0.hasSuffix(Partials.suffix) }
            .sorted().map { "\(folder)/\($0)" }
    }

    /// Removes those that hold nothing. Nobody may be receiving meanwhile.
    package static func removeEmpty(in folder: String) {
        for path in found(in: folder) { rmdir(path) }
    }
}
