// The words about a file or a folder on its way, for the transfers pane: one row that says what happens to it.

import ChatCore
import ChatWords

/// The words about one group.
struct TransferWords {
    let state: AppState
    let group: TransferGroup

    private var contact: String { state.world.chat(group.contact)?.name.text ?? "?" }

    var pace: TransferPace {
        TransferPace(
            transferred: group.transferred, size: group.size,
            progress: state.world.transfers.progress(of: group, at: state.surface.moment.uptime))
    }

    /// The state of its files as a whole.
    var shownState: FileTransfer.State { state.world.transfers.shownState(of: group, at: state.surface.moment.uptime) }

    /// `release.tar.zst`, or `photos/ (31 files)`.
    var name: SafeText { name(width: .max) }

    /// The same in at most `width` columns: `release….zst`, `phot…/ (31 files)`.
    func name(width: Int) -> SafeText {
        group.isFolder
            ? FileWords.title(ofFolder: group.name, files: group.fileCount, width: width)
            : .fileName(group.name, width: width)
    }

    /// `direct` or `relay`.
    private var way: String {
        guard case .online(let details) = state.world.chat(group.contact)?.link else { return "direct" }
        return Sentences.way(of: details)
    }

    /// The present state, in one row of `width` columns.
    func row(width: Int) -> String {
        switch shownState {
        case .running:
            return [
                bar(width), pace.percent, Units.size(group.transferred), pace.rate ?? "",
                pace.remaining.map { "ETA \($0)" } ?? "", way, limitWords ?? "",
            ].filter { !$0.isEmpty }.joined(separator: "  ")
        case .paused:
            return [
                bar(width), pace.percent, Units.size(group.transferred),
                "  paused" + (group.reason.map { ": \($0.words)" } ?? ""),
            ].joined(separator: "  ")
        case .accepted where group.transferred > 0:
            let rest = [pace.percent, Units.size(group.transferred), words].joined(separator: "  ")
            return "\(bar(width, beside: rest.count + 2))  \(rest)"
        // The end of a path says more than its beginning.
        case .complete where done().count > width: return done(inFolder: false)
        default: return words
        }
    }

    /// The same without the bar.
    var words: String {
        switch shownState {
        case .running:
            let parts = [pace.rate ?? "", pace.remaining.map { "ETA \($0)" } ?? "", limitWords ?? ""]
            return (["running, \(pace.percent)"] + parts.filter { !$0.isEmpty }).joined(separator: ", ")
        case .paused: return "paused at \(pace.percent)" + (group.reason.map { ": \($0.words)" } ?? "")
        case .offered where group.direction == .incoming:
            return "offered: a accepts, n declines" + (group.reason.map { " (\($0.words))" } ?? "")
        case .offered: return OfferWords.words(offering: group.lead, state)
        case .accepted:
            if let held = OfferWords.whatHolds(group.contact, state) { return "queued: \(held)" }
            // These words say by themselves that nothing is queued.
            if let reason = group.reason, reason.isPauseOfReceiver { return reason.words }
            if let held = OfferWords.whatHolds(group.contact, group.direction, else: group.reason, state) {
                return "queued: \(held)"
            }
            let isOnline = state.world.chat(group.contact)?.link.isOnline ?? false
            return isOnline ? "queued: starts soon" : "queued: \(contact) is offline, it starts when they connect"
        case .complete: return done()
        case .failed:
            let reason = group.reason.map { Sentences.words("stopped", $0) } ?? "stopped: no reason given"
            guard group.isFolder else { return reason }
            return "\(group.count(.failed)) of \(Units.files(Int(clamping: group.fileCount))) \(reason)"
        case .declined, .cancelled:
            return group.partlyDone ?? Sentences.words(for: group.state, group.reason)
        }
    }

    /// The same in the history: with a bar when some of it is there.
    static func waiting(_ transferred: UInt64, _ reason: String?, bar: String, percent: String) -> String {
        guard transferred > 0 else { return "· accepted" + (reason.map { ", \($0)" } ?? "") }
        return "\(bar) \(percent) " + (reason.map { "· \($0)" } ?? "waiting")
    }

    private var limitWords: String? {
        state.world.transfers.limits[group.number].map { "at most \(Units.rate(Double($0)))" }
    }

    /// The words after it take about 42 columns, or more.
    private func bar(_ width: Int, beside words: Int = 0) -> String {
        let room = width - max(42, words) - (limitWords.map { $0.count + 2 } ?? 0)
        return ProgressBar.text(group.transferred, of: group.size, width: max(4, room))
    }

    private func done(inFolder: Bool = true) -> String {
        var parts = ["done" + (group.finished.map { " " + state.surface.minuteText($0) } ?? "")]
        if !group.isFolder, let hash = group.lead.sha256 { parts.append("sha256 ok \(FileWords.short(hash: hash))") }
        if group.direction == .outgoing {
            parts.append("delivered to disk")
        } else if let path = group.path {
            let name = PathParts.lastName(of: path)
            parts.append(inFolder ? state.surface.abbreviated(path) : "…/\(name)")
        }
        return parts.joined(separator: " · ")
    }
}

/// Why a file waits.
enum OfferWords {
    /// Why nothing goes to or comes from a contact before our user has decided something.
    static func whatHolds(_ contact: ContactID, _ state: AppState) -> String? {
        guard let chat = state.world.chat(contact) else { return nil }
        if chat.peer.isBlocked { return Sentences.blocked(chat.name.text) }
        if state.surface.waitsForVerification(chat.peer) {
            return "unverified, waits until you compare (/verify)"
        }
        return chat.peer.trust == .keyChanged ? "KEY CHANGED, waits until you decide (/verify)" : nil
    }

    /// The same of an accepted file, which has a reason of its own otherwise. A contact that is not there fetches nothing.
    static func whatHolds(
        _ contact: ContactID, _ direction: MessageDirection, else reason: TransferReason?, _ state: AppState
    ) -> String? {
        if let held = whatHolds(contact, state) { return held }
        guard direction == .outgoing, let reason, !reason.isPauseOfReceiver,
            state.world.chat(contact)?.link.isOnline == false
        else {
            return reason?.words
        }
        return "\(state.world.name(of: contact)) is offline, it resumes when they connect"
    }

    /// The state of an offer of ours, by the mark of its message.
    static func words(offering transfer: FileTransfer, _ state: AppState) -> String {
        let name = state.world.name(of: transfer.contact)
        switch state.world.mark(of: transfer) {
        case .pending?, .sent?:
            if let reason = whatHolds(transfer.contact, state) { return "queued: \(reason)" }
            return switch state.world.chat(transfer.contact)?.link {
            case .online?: "queued: on its way to \(name)"
            case .awaitingApproval?: "queued: offered when \(name) accepts you"
            default: "queued: \(name) is offline, offered when they connect"
            }
        case .failed?: return "not sent (/retry)"
        case .delivered?, .read?: return "offered, \(name) has not decided yet"
        case nil: return "offered, no answer from \(name) yet"
        }
    }
}
