// The output of `blipchat receive` about the files that come, and its questions about them.

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatWords
import Dispatch
import Glibc
import Synchronization

/// The offers and files of one `receive`.
final class ReceivedFiles: Sendable {
    private let context: CommandContext
    private let order: ReceiveOrder
    /// Print where each file is; else only the last path is kept.
    let showsPaths: Bool
    private let last = Mutex<String?>(nil)
    private let progress: FileProgress

    init(context: CommandContext, order: ReceiveOrder, showsPaths: Bool) {
        self.context = context
        self.order = order
        self.showsPaths = showsPaths
        progress = FileProgress(streams: context.streams)
    }

    /// The last file that is complete.
    var path: String? { last.withLock { $0 } }

    @Sendable func print(_ report: ChatReport) throws(CommandError) {
        let streams = context.streams
        if case .progress(let news) = report { return progress.show(news) }
        guard let file = report.file else { return }
        let transfer = file.transfer
        progress.note(transfer)
        switch transfer.state {
        case .complete:
            last.withLock { $0 = transfer.path }
            if showsPaths { try streams.line(SafeText.line(transfer.path ?? "")) }
        case .offered where isOfRefusedFolder(transfer):
            streams.note("\(file.offer): part of a folder, left alone (-o FOLDER accepts it)")
        case .offered where order.limit != nil:
            streams.note("\(file.offer): larger than --accept, left alone")
        case .paused, .failed, .cancelled:
            let reason = transfer.reason?.words ?? ""
            let saysState = transfer.reason?.names(transfer.state) == true
            streams.note("\(file.offer): " + (saysState ? reason : "\(transfer.state.rawValue) \(reason)"))
        case .offered, .accepted, .running, .declined: break
        }
    }

    private func isOfRefusedFolder(_ transfer: FileTransfer) -> Bool {
        !order.takesFolders && transfer.place != nil
    }

    /// Takes away what shows how far a file is.
    func clear() { progress.clear() }

    /// An offer that nobody has decided: the person at the terminal does.
    func ask(about report: ChatReport, in chat: CommandChat) async {
        guard order.limit == nil, let file = report.file, file.transfer.state == .offered,
            !isOfRefusedFolder(file.transfer)
        else { return }
        let transfer = file.transfer.number
        guard let answer = await answer(to: "Accept \(file.offer)? [y/N]") else {
            // Nobody has said no: it can still be taken.
            return context.streams.note(
                "\(file.offer): left undecided (blipchat transfers accept \(transfer.rawValue))")
        }
        let call: ChatCall<NoReply> =
            Confirmation.isYes(answer) ? .acceptTransfer(transfer, into: order.folder) : .declineTransfer(transfer)
        do throws(CommandError) { try await chat.ask(call, about: "#\(transfer.rawValue)") } catch {
            context.streams.report(error)
        }
    }

    /// The line typed after the question; one typed before it answers nothing. `nil` at the end of the input. Read on a
    /// thread of its own: while somebody thinks, other files come.
    private func answer(to question: String) async -> String? {
        let streams = context.streams
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "blipchat.answer").async {
                tcflush(STDIN_FILENO, TCIFLUSH)
                streams.ask(question)
                var lines = DescriptorLines(descriptor: STDIN_FILENO, limit: 1024)
                continuation.resume(returning: lines.next())
            }
        }
    }
}
