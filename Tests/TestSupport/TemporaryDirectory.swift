// A folder of one test, removed with everything in it when the test is over.

import CLinux
import Glibc

package final class TemporaryDirectory: Sendable {
    /// Absolute.
    package let path: String

    /// `parent`: where it is made; else where the environment says.
    package init(in parent: String? = nil) throws {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/blipchat-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// A folder of the system whose files are in memory; `nil` where there is none. For what is made thousands of times.
    package static var memory: String? { access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil }

    /// The path of something in the folder.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a folder in the folder and returns its path.
    package func makeFolder(_ name: String, mode: UInt32 = 0o700) throws -> String {
        guard mkdir(file(name), mode) == 0 else { throw SystemFailure("mkdir \(name)") }
        return file(name)
    }

    /// Removes a file or a folder with all that is in it; links are removed, not followed.
    private static func remove(_ path: String) {
        guard unlink(path) != 0 else { return }
        chmod(path, 0o700)
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}

/// A system call of a test itself failed.
package struct SystemFailure: Error, CustomStringConvertible {
    package let description: String

    /// Takes the reason from `errno`.
    package init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }

    package init(_ call: String, code: Int32) { description = "\(call): \(String(cString: strerror(code)))" }
}
