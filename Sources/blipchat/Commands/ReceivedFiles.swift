// What `blipchat receive` shows of the files that come, and how it asks about them.

import ChatCore
import ChatTUI
import ChatWords
import Dispatch
import Glibc
import Synchronization

/// The offers and files of one `receive`.
final class ReceivedFiles: Sendable {
    private let runner: CommandRunner
    private let order: ReceiveOrder
    /// Print where each file is; else only the last path is kept.
    let showsPaths: Bool
    private let last = Mutex<String?>(nil)
    private let progress: FileProgress

    init(runner: CommandRunner, order: ReceiveOrder, showsPaths: Bool) {
        self.runner = runner
        self.order = order
        self.showsPaths = showsPaths
        progress = FileProgress(streams: runner.streams)
    }

    /// The last file that is complete.
    var path: String? { last.withLock { $0 } }

    @Sendable func print(_ record: JSONValue) throws(CommandError) {
        let streams = runner.streams
        guard record["type"]?.stringValue == "file" else {
            return progress.show(record)
        }
        progress.note(record)
        let path = record["path"]?.stringValue
        switch record["state"]?.stringValue {
        case "complete":
            last.withLock { $0 = path }
            if showsPaths { try streams.line(SafeText(path ?? "", as: .line).terminalString()) }
        case "offered" where isOfRefusedFolder(record):
            streams.note("\(Self.words(record)): part of a folder, left alone (-o FOLDER accepts it)")
        case "offered" where order.limit != nil:
            streams.note("\(Self.words(record)): larger than --accept, left alone")
        case "paused", "failed", "cancelled":
            let (state, reason) = (record["state"]?.stringValue ?? "", record["reason"]?.stringValue ?? "")
            streams.note("\(Self.words(record)): " + (reason.hasPrefix(state) ? reason : "\(state) \(reason)"))
        default: break
        }
    }

    private func isOfRefusedFolder(_ record: JSONValue) -> Bool {
        !order.takesFolders && record["folder"]?.stringValue != nil
    }

    /// Takes away what shows how far a file is.
    func clear() { progress.clear() }

    /// An offer that nobody has decided: the person at the terminal does. `instance`: ours, else the running one.
    func ask(about record: JSONValue, through instance: ChatInstance?) async {
        guard order.limit == nil, record["type"]?.stringValue == "file", record["state"]?.stringValue == "offered",
            !isOfRefusedFolder(record), let number = record["number"]?.integerValue
        else { return }
        guard let answer = await answer(to: "Accept \(Self.words(record))? [y/N]") else {
            // Nobody has said no: it can still be taken.
            return runner.streams.note("\(Self.words(record)): left undecided (blipchat transfers accept \(number))")
        }
        let change: TransferChange = Confirmation.isYes(answer) ? .accept : .decline
        let operation = ControlOperation.changeTransfer(number, change, folder: change == .accept ? order.folder : nil)
        var result: ControlResult?
        if let instance {
            result = await instance.runner.perform(operation) { _ in }
        } else if let paths = try? runner.paths(), let client = try? ControlClient(path: paths.socket) {
            result = await client.perform(operation, patience: .seconds(60)) { _ in }
        }
        if case .failed(let error)? = result { runner.streams.report(error) }
    }

    /// What is typed behind the question; what was typed before it answers nothing. `nil` at the end of the input. Read on a
    /// thread of its own: while somebody thinks, other files come.
    private func answer(to question: String) async -> String? {
        let streams = runner.streams
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "blipchat.answer").async {
                tcflush(STDIN_FILENO, TCIFLUSH)
                streams.ask(question)
                var lines = DescriptorLines(descriptor: STDIN_FILENO, limit: 1024)
                continuation.resume(returning: lines.next())
            }
        }
    }

    /// `photo.jpg (3.1 MB) from alice`
    private static func words(_ record: JSONValue) -> String {
        let name = SafeText(record["name"]?.stringValue ?? "", as: .fileName).terminalString()
        let who = SafeText(record["conversation"]?.stringValue ?? "", as: .name).terminalString()
        return "\(name) (\(Units.size(UInt64(clamping: record["size"]?.integerValue ?? 0)))) from \(who)"
    }
}
