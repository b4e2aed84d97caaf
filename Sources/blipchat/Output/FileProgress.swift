// How far files are, on standard error, in the form that --progress asks for.

import ChatTUI
import ChatWords
import Glibc
import Synchronization

/// What `--progress` asks for.
enum ProgressForm: String, Sendable, CaseIterable {
    /// A bar where a person looks at it, else nothing.
    case auto
    /// One line that is written again and again.
    case bar
    /// A line for each file, at most once a second.
    case plain
    /// The records, as the control socket has them.
    case json
    case none
}

/// Follows the records of one command: files that change, and their progress.
final class FileProgress: Sendable {
    private struct File {
        var name: String
        var size: UInt64
        var shown: ContinuousClock.Instant?
    }

    private let streams: StandardStreams
    private let form: ProgressForm
    private let files = Mutex<[String: File]>([:])

    /// `isAsked`: progress is what the command is for, and is written as lines where no person looks.
    init(streams: StandardStreams, isAsked: Bool = false) {
        self.streams = streams
        let isTerminal = isatty(streams.diagnostics) == 1
        form = streams.progressForm == .auto ? (isTerminal ? .bar : isAsked ? .plain : .none) : streams.progressForm
    }

    /// `--progress none`: `auto` says nothing of the way, either, but how it has ended.
    private var isUnwanted: Bool { streams.progressForm == .none }

    /// Takes away what is shown in place.
    func clear() { if form == .bar { streams.progress("") } }

    /// A file has changed: its name and size are known from now on.
    func note(_ record: JSONValue) {
        clear()
        guard let id = record["id"]?.stringValue else { return }
        let name = SafeText(record["name"]?.stringValue ?? "", as: .fileName).terminalString()
        let size = UInt64(clamping: record["size"]?.integerValue ?? 0)
        files.withLock { $0[id] = File(name: name, size: size) }
    }

    /// Shows a progress record.
    func show(_ record: JSONValue) {
        switch form {
        case .auto, .none: break
        case .json: streams.noteJSON(record)
        case .bar: streams.progress(line(record, withBar: true))
        case .plain: if isDue(record["id"]?.stringValue ?? "") { streams.note(line(record, withBar: false)) }
        }
    }

    /// What `send-file` prints: the id of each offer, what becomes of each file, and how far they are.
    func printSent(_ record: JSONValue) throws(CommandError) {
        switch (record["type"]?.stringValue, record["state"]?.stringValue) {
        case ("file", "offered"):
            note(record)
            try streams.line(record["id"]?.stringValue ?? "")
        case ("file", let state?):
            note(record)
            // Who wants to hear nothing of files on their way hears of those that do not arrive.
            if isUnwanted, !["failed", "declined", "cancelled"].contains(state) { return }
            let digest = record["sha256"]?.stringValue.map { " sha256 \($0)" } ?? ""
            let size = record["size"]?.integerValue ?? 0
            let name = SafeText(record["name"]?.stringValue ?? "", as: .fileName).terminalString()
            let reason = record["reason"]?.stringValue.map { " (\($0))" } ?? ""
            streams.note("\(name): \(state)\(reason), \(size) bytes\(digest)")
        case ("folder", _):
            if isUnwanted, record["skipped"]?.integerValue ?? 0 == 0 { return }
            let skipped = record["skipped"]?.integerValue ?? 0
            let kinds = skipped == 1 ? "link or device" : "links and devices"
            let left = skipped > 0 ? ", \(skipped) \(kinds) left out" : ""
            let files = Int(clamping: record["files"]?.integerValue ?? 0)
            streams.note("\(record["path"]?.stringValue ?? ""): \(files.counted("file"))\(left)")
        case ("left-out", _):
            clear()
            let path = record["path"]?.stringValue ?? ""
            streams.warn("\(path): not sent: \(record["reason"]?.stringValue ?? "")")
        case ("progress", _): show(record)
        default: break
        }
    }

    private func isDue(_ id: String) -> Bool {
        files.withLock { files in
            let now = ContinuousClock.now
            var file = files[id] ?? File(name: "", size: 0)
            guard file.shown.map({ now - $0 >= .seconds(1) }) ?? true else { return false }
            file.shown = now
            files[id] = file
            return true
        }
    }

    /// `photo.jpg [#####-----]  52 % of 3.1 MB, 1.2 MB/s`
    private func line(_ record: JSONValue, withBar: Bool) -> String {
        let file = files.withLock { $0[record["id"]?.stringValue ?? ""] }
        let done = UInt64(clamping: record["transferred"]?.integerValue ?? 0)
        let rate = ", " + Units.rate(record["rate"]?.doubleValue ?? 0)
        guard let file, file.size > 0 else { return Units.size(done) + rate }
        let share = min(1, Double(done) / Double(file.size))
        let filled = Int(share * 20)
        let bar =
            withBar
            ? " [" + String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled) + "]" : ""
        return "\(file.name)\(bar) \(Int(share * 100)) % of \(Units.size(file.size))\(rate)"
    }
}
