// How grave a line of a log is, for those who filter by it (the journal, syslog(3)).

import Glibc

package enum LogLevel: Int, Sendable {
    case error = 3
    case warning = 4
    case info = 6

    /// The prefix that the journal takes off the beginning of a line again (sd-daemon(3)).
    package var prefix: String { "<\(rawValue)>" }
}

/// A line without its time and its end.
package struct LogLine: Sendable, Equatable {
    package var level: LogLevel
    package var text: String

    package init(level: LogLevel, text: String) {
        self.level = level
        self.text = text
    }
}

/// The journal of systemd as a place to write to.
package enum Journal {
    /// Whether `descriptor` leads there: JOURNAL_STREAM has the device and the inode of what systemd gave us
    /// (systemd.exec(5)). A caller may have put something else in its place.
    package static func isBehind(_ descriptor: Int32, _ environment: [String: String]) -> Bool {
        guard let stream = environment["JOURNAL_STREAM"] else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && stream == "\(status.st_dev):\(status.st_ino)"
    }
}
