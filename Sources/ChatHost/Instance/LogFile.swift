// The log of a running instance: what happened, without what was said. Five files of 4 MiB at most.

import ChatCore
import ChatSettings
import ChatWords
import Glibc
import Synchronization

/// Appends lines to `blipchat.log` in the log folder, on a thread of its own: a disk that hangs holds nobody up. A line that
/// cannot be written has nowhere to be reported.
final class LogFile: Sendable {
    static let maximumBytes = 4 << 20
    static let maximumFiles = 5

    private let lines: LineQueue

    init(folder: String, maximumBytes: Int = LogFile.maximumBytes) {
        let files = RotatingFiles(path: folder + "/blipchat.log", maximumBytes: maximumBytes)
        lines = LineQueue(label: "blipchat.log") { count in
            Self.line("\(count.counted("line")) lost: the disk could not take them", at: .now)
        } write: {
            files.append($0)
        }
    }

    /// One line: everything in it passes the filter for text from outside. Returns before it is written.
    func write(_ text: String, at time: Timestamp = .now) { lines.post(Self.line(text, at: time)) }

    /// Returns when all lines are in the file, or when that takes longer than `patience`.
    func flush(within patience: Duration) async { _ = await lines.flush(within: patience) }

    private static func line(_ text: String, at time: Timestamp) -> [UInt8] {
        Array("\(RFC3339.text(time)) \(SafeText(text, as: .line).terminalString())\n".utf8)
    }
}

/// A file that gives its name to the next one when it is full.
private final class RotatingFiles: Sendable {
    private struct State {
        var descriptor: Int32 = -1
        var size = 0
    }

    private let path: String
    private let maximumBytes: Int
    private let state = Mutex(State())

    init(path: String, maximumBytes: Int) {
        self.path = path
        self.maximumBytes = maximumBytes
    }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    func append(_ line: [UInt8]) {
        state.withLock { state in
            if state.descriptor < 0 { open(&state) }
            if state.size + line.count > maximumBytes { rotate(&state) }
            guard state.descriptor >= 0, Glibc.write(state.descriptor, line, line.count) == line.count else { return }
            state.size += line.count
        }
    }

    private func open(_ state: inout State) {
        state.descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        state.size = Int(clamping: SmallFile.size(path) ?? 0)
    }

    /// `blipchat.log` becomes `blipchat.log.1`, and so on; the oldest goes.
    private func rotate(_ state: inout State) {
        if state.descriptor >= 0 { close(state.descriptor) }
        for number in (1..<LogFile.maximumFiles - 1).reversed() { rename("\(path).\(number)", "\(path).\(number + 1)") }
        rename(path, "\(path).1")
        open(&state)
    }
}
