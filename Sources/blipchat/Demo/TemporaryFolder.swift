// A folder that is gone, with everything in it, when the demo ends.

import CLinux
import ChatSettings
import Glibc

enum TemporaryFolder {
    /// Makes a folder (0700) under TMPDIR or /tmp.
    static func make(environment: [String: String]) throws(CommandError) -> String {
        let parent = environment["TMPDIR"].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(parent)/blipchat-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system(parent, "cannot create a folder for the demo", errno) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes a file, or a folder with all that is in it. Links are removed, never followed.
    static func remove(_ path: String) {
        guard unlink(path) != 0, let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { remove("\(path)/\(name)") }
        }
        closedir(folder)
        rmdir(path)
    }
}
