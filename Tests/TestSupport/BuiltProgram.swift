// Where the programs are that were built together with the tests.

import Glibc

package enum BuiltProgram {
    /// What the environment `variable` says, else the program of this name beside the running test bundle.
    package static func path(_ name: String, variable: String) -> String? {
        if let given = getenv(variable) { return String(cString: given) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { readlink("/proc/self/exe", $0, 4096) } ?? -1
        }
        let runner = count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
        for start in [CommandLine.arguments.first ?? "", runner] {
            var folder = Substring(start)
            while let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")), slash > folder.startIndex {
                folder = folder[..<slash]
                let candidate = "\(folder)/\(name)"
                if access(candidate, X_OK) == 0, TestFile.size(candidate + "/.") == nil { return candidate }
            }
        }
        return nil
    }
}
