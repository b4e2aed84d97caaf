// How far files are, on standard error, in the form that --progress asks for.

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI
import ChatWords
import Glibc
import Synchronization

/// The form that `--progress` asks for.
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

/// Follows the files of one command as they change, and their progress.
final class FileProgress: Sendable {
    private struct File {
        var name: String
        var size: UInt64
        var shown: ContinuousClock.Instant?
    }

    private let streams: StandardStreams
    private let form: ProgressForm
    private let files = Mutex<[MessageID: File]>([:])

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
    func note(_ transfer: FileTransfer) {
        clear()
        let name = FileWords(transfer).name.terminalString()
        files.withLock { $0[transfer.id] = File(name: name, size: transfer.size) }
    }

    func show(_ progress: ChatCore.TransferProgress) {
        switch form {
        case .auto, .none: break
        case .json: streams.noteJSON(Records.progress(progress))
        case .bar: streams.progress(line(progress, withBar: true))
        case .plain: if isDue(progress.id) { streams.note(line(progress, withBar: false)) }
        }
    }

    /// What `send-file` prints: the id of each offer, what becomes of each file, and how far they are.
    func printSent(_ report: ChatReport) throws(CommandError) {
        switch report {
        case .message, .transfer: if let transfer = report.file?.transfer { try printSent(transfer) }
        case .folder(let path, let offer): printSent(offer, path)
        case .leftOut(let file):
            clear()
            streams.warn("\(file.path): not sent: \(Sentences.reason(for: file.reason))")
        case .progress(let progress): show(progress)
        case .event: break
        }
    }

    private func printSent(_ transfer: FileTransfer) throws(CommandError) {
        note(transfer)
        guard transfer.state != .offered else { return try streams.line(transfer.id.text) }
        // A user who wants to hear nothing of files on their way still hears of those that do not arrive.
        if isUnwanted, ![.failed, .declined, .cancelled].contains(transfer.state) { return }
        let words = FileWords(transfer)
        let digest = transfer.sha256.map { " sha256 \($0)" } ?? ""
        let reason = transfer.reason.map { " (\($0.words))" } ?? ""
        streams.note(
            "\(words.name.terminalString()): \(transfer.state.rawValue)\(reason), \(transfer.size) bytes\(digest)")
    }

    private func printSent(_ offer: FolderOffer, _ path: String) {
        if isUnwanted, offer.skipped == 0 { return }
        let kinds = offer.skipped == 1 ? "link or device" : "links and devices"
        let left = offer.skipped > 0 ? ", \(offer.skipped) \(kinds) left out" : ""
        streams.note("\(path): \(offer.messages.count.counted("file"))\(left)")
    }

    private func isDue(_ id: MessageID) -> Bool {
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
    private func line(_ progress: ChatCore.TransferProgress, withBar: Bool) -> String {
        let file = files.withLock { $0[progress.id] }
        let done = progress.transferred
        let rate = ", " + Units.rate(progress.rate.rounded())
        guard let file, file.size > 0 else { return Units.size(done) + rate }
        let share = min(1, Double(done) / Double(file.size))
        let filled = Int(share * 20)
        let bar =
            withBar
            ? " [" + String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled) + "]" : ""
        return "\(file.name)\(bar) \(Int(share * 100)) % of \(Units.size(file.size))\(rate)"
    }
}
