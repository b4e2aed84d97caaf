// A file in the history: one line that lives as long as the transfer, or the box of an offer (PRODUCT, rule 5).

import ChatCore
import ChatWords

/// The rows of a file message.
struct FileRows {
    let message: MessageRows
    let transfer: FileTransfer

    private var state: AppState { message.state }
    private var file: FileWords { FileWords(transfer) }

    var rows: [StyledLine] {
        let isOffer = transfer.isOpenOffer && !message.chat.peer.isBlocked
        // The files of a folder have one box together, in its line: FolderRows.
        let rows = isOffer && transfer.place == nil ? offerRows : lineRows
        return transfer.place != nil ? rows : rows + captionRows
    }

    /// The text beside the file, and how much of it or of the name is not shown as it is.
    var captionRows: [StyledLine] {
        var rows: [StyledLine] = []
        if file.hasCaption {
            let caption = TextWrap.wrap(
                file.caption, width: max(10, message.width - indent - 1), reordering: message.reorders)
            rows = caption.prefix(20).map { line in
                var row = StyledLine(.blanks(indent))
                row.add(line)
                return row
            }
        }
        if let note = file.hiddenNote {
            var row = StyledLine(.blanks(indent))
            row.add(note, Theme.quiet)
            rows.append(row)
        }
        return rows
    }

    private var indent: Int {
        state.surface.isPlain ? 0 : message.isNarrow ? 2 : SafeText(message.time, as: .line).width + 6
    }

    // MARK: The line

    var lineRows: [StyledLine] { rows(of: text, style: transfer.state == .failed ? Theme.error : .plain) }

    /// A line about the file or its folder, after time, mark and arrow.
    func rows(of text: SafeText, style: Style, target: HitTarget? = nil) -> [StyledLine] {
        var lead = StyledLine()
        if state.surface.isPlain {
            lead = message.narrowLead
        } else if !message.isNarrow {
            lead.add(message.time, Theme.time)
            lead.add(" ")
            lead.add(SafeText(message.mark, as: .line).padded(to: 2), message.markStyle)
            lead.add(" ")
        }
        lead.add(file.arrow + " ")
        let width = max(8, message.width - indent - (message.isNarrow ? 0 : 1))
        // Further rows begin where the lead ends, or, without indentation, have more room.
        let isHanging = lead.width == indent
        let wrapped = TextWrap.wrap(isHanging ? text : .blanks(lead.width) + text, width: width)
        return wrapped.enumerated().map { index, line in
            var row = index == 0 ? lead : StyledLine(.blanks(indent))
            row.add(index == 0 && !isHanging ? line.dropping(width: lead.width) : line, style, target: target)
            return row
        }
    }

    private var text: SafeText {
        if message.isNarrow, transfer.state == .running {
            return file.name + SafeText(" " + motion(showingETA: false), as: .line)
        }
        let head = file.name + SafeText(" \(file.size) ", as: .line)
        return head + SafeText("\(words)  \(file.number)", as: .line)
    }

    private var words: String {
        switch transfer.state {
        case .offered where message.chat.peer.isBlocked: "· offered, \(message.chat.name.text) is blocked (/unblock)"
        case .offered where transfer.direction == .incoming: "· offered, comes with its folder"
        case .offered: "· " + OfferWords.words(offering: transfer, state)
        case .accepted: waiting
        case .running: motion(showingETA: true)
        case .paused: motion(showingETA: false) + " paused" + (transfer.reason.map { ": \($0.words)" } ?? "")
        case .declined, .cancelled, .failed: "· " + Sentences.words(for: transfer.state, transfer.reason)
        case .complete: "· done" + ending
        }
    }

    private var waiting: String {
        TransferWords.waiting(
            transfer.transferred,
            OfferWords.whatHolds(transfer.contact, transfer.direction, else: transfer.reason, state),
            bar: ProgressBar.text(transfer.transferred, of: transfer.size, width: 10),
            percent: TransferPace(transfer: transfer, progress: nil).percent)
    }

    /// Bar, percent, rate and remaining time.
    private func motion(showingETA: Bool) -> String {
        let pace = TransferPace(transfer: transfer, progress: state.world.transfers.progress[transfer.id])
        var parts = [ProgressBar.text(transfer.transferred, of: transfer.size, width: 10), pace.percent]
        if transfer.state == .running, pace.isStalled, let rate = pace.rate { return "\(rate) \(pace.percent)" }
        if transfer.state == .running, let rate = pace.rate { parts.append(rate) }
        if showingETA, let remaining = pace.remaining { parts.append(remaining) }
        return parts.joined(separator: " ")
    }

    /// Path, hash and duration of a finished file.
    private var ending: String {
        var parts = [""]
        if transfer.direction == .incoming, let path = transfer.path {
            parts.append(state.surface.abbreviated(path))
        } else if transfer.direction == .outgoing {
            parts.append("on their disk")
        }
        if let hash = file.hash { parts.append(hash) }
        if let started = transfer.started, let finished = transfer.finished, finished >= started {
            parts.append(Units.duration((finished.milliseconds - started.milliseconds) / 1000))
        }
        return parts.joined(separator: " · ")
    }

    // MARK: The offer

    /// The fewest columns for the name of an offered file: `in….exe (program)`.
    private static let minNameWidth = 17

    /// The three-line box. Only the offer that the chords answer names them.
    var offerRows: [StyledLine] {
        let size = transfer.place?.bytes ?? transfer.size
        let number = SafeText(literal: "┌ ") + SafeText("\(file.number) ", as: .line)
        let rest = SafeText("  \(Units.size(size))  \(kind)", as: .line)
        var place = ""
        if let downloads = state.world.downloads {
            let room = size > downloads.freeBytes ? " free: NOT ENOUGH" : " free"
            place += "\(state.surface.abbreviated(downloads.folder)) · \(Units.size(downloads.freeBytes))\(room) · "
        }
        place += "id \(shortID)"
        let lead = message.isNarrow ? "" : message.time + "    "
        let head = state.surface.isPlain ? [message.narrowLead] : []
        let room = max(4, message.width - lead.count)
        var rows = [StyledLine(lead, Theme.time)] + (0..<2).map { _ in StyledLine(.blanks(lead.count)) }
        // The kind that the file claims to be gives way to its name.
        let nameRoom = max(room - number.width - rest.width, min(room - number.width, Self.minNameWidth))
        rows[0].add((number + offeredName(width: nameRoom) + rest).truncated(to: room), Theme.unread)
        rows[1].add((SafeText(literal: "│ ") + SafeText(place, as: .line)).truncated(to: room))
        rows[2].add(answers(room: room))
        return head + rows
    }

    /// The keys or commands that answer the offer; what does not fit is left out from the right. Keys can be clicked.
    private func answers(room: Int) -> StyledLine {
        let number = transfer.number.rawValue
        let isShown = state.place.shownOffer?.number == transfer.number
        // The key answers all offers that wait from this contact.
        let all = isShown ? state.place.shownOffer.map { state.world.offers(of: $0).count } ?? 1 : 1
        var line = StyledLine(SafeText(literal: "└"))
        func add(_ words: String, _ target: HitTarget) {
            let text = SafeText(words, as: .line)
            guard line.width + (line.width > 1 ? 2 : 1) + text.width <= room else { return }
            line.add(.blanks(line.width > 1 ? 2 : 1))
            line.add(text, target: target)
        }
        if isShown {
            let what = all > 1 ? " all \(all)" : ""
            add("\(state.surface.keymap.label(of: .acceptOffer)) accept\(what)", .command(.acceptOffer))
            add("\(state.surface.keymap.label(of: .declineOffer)) decline\(what)", .command(.declineOffer))
        } else {
            add("/accept \(number)", .slash("/accept \(number)"))
            add("/decline \(number)", .slash("/decline \(number)"))
        }
        add("\(state.surface.keymap.label(of: .transfers)) more", .command(.transfers))
        return line
    }

    /// The end of the transfer's id: its beginning is only the time.
    private var shortID: String {
        let digits = transfer.id.text.suffix(8)
        return "\(digits.prefix(4)) \(digits.suffix(4))"
    }

    /// The name of the file, or of the whole folder, that accepting takes.
    private func offeredName(width: Int) -> SafeText {
        guard let place = transfer.place else { return .fileName(transfer.name, width: width) }
        let top = place.path.split(separator: "/").first.map(String.init) ?? ""
        return .fileName(top, end: SafeText(literal: "/"), width: width)
    }

    /// The kind that the file claims to be, or how many files a folder has.
    private var kind: String {
        transfer.place.map { "folder of \(Units.files(Int(clamping: $0.files)))" } ?? FileKind.word(for: transfer)
    }
}
