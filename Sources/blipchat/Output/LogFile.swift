// The log of a running instance: what happened, without what was said. Five files of 4 MiB at most.

import BLIPNet
import ChatCore
import ChatTUI
import Glibc

/// Appends lines to `blipchat.log` in the log folder. A line that cannot be written has nowhere to be reported. On a thread
/// of its own: its disk may be slow.
actor LogFile {
    static let maximumBytes = 4 << 20
    static let maximumFiles = 5

    private let path: String
    private let maximumBytes: Int
    private var descriptor: Int32 = -1
    private var size = 0
    private let executor = DispatchQueueExecutor(label: "blipchat.log", isBackground: true)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(folder: String, maximumBytes: Int = LogFile.maximumBytes) {
        path = folder + "/blipchat.log"
        self.maximumBytes = maximumBytes
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// One line: everything in it passes the filter for text from outside.
    func write(_ text: String, at time: Timestamp = .now) {
        let line = Array("\(RFC3339.text(time)) \(SafeText(text, as: .line).terminalString())\n".utf8)
        if descriptor < 0 { open() }
        if size + line.count > maximumBytes { rotate() }
        guard descriptor >= 0, Glibc.write(descriptor, line, line.count) == line.count else { return }
        size += line.count
    }

    private func open() {
        descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        size = Int(clamping: SmallFile.size(path) ?? 0)
    }

    /// `blipchat.log` becomes `blipchat.log.1`, and so on; the oldest goes.
    private func rotate() {
        if descriptor >= 0 { close(descriptor) }
        for number in (1..<Self.maximumFiles - 1).reversed() { rename("\(path).\(number)", "\(path).\(number + 1)") }
        rename(path, "\(path).1")
        open()
    }
}
