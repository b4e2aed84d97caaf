// Where a program of the system is, for what has to name it before it runs: the sandbox, and whoever says that it is missing.

import ChatSettings
import Glibc

enum InstalledProgram {
    /// Found by PATH, and where Debian puts what PATH of an ordinary user lacks; `nil`: it is not installed.
    static func path(of name: String) -> String? {
        let places = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init)
        return (places + ["/usr/local/sbin", "/usr/sbin", "/usr/bin"]).map { "\($0)/\(name)" }.first {
            access($0, X_OK) == 0 && !SmallFile.isFolder($0)
        }
    }
}
