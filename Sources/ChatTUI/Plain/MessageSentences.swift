// A message as the sentences of line mode: time, who, what.

import ChatCore
import ChatWords

/// The words for one message and for what becomes of it.
struct MessageSentences {
    let state: AppState
    let message: ChatMessage

    private var words: MessageWords { state.world.words(of: message) }
    private var name: String { words.contact.text }

    /// `21:03 bob: hello`, with further lines of the text below. Own messages say how far they are, and messages of
    /// another chat than the open one say whose it is; words replace what a screen draws beside a message:
    /// `21:04 bob, answering me "the plan is…" (edited; pinned; 👍 from me): yes`. `withDay` for messages that may be
    /// older than today.
    func lines(withDay: Bool) -> [SafeText] {
        var lines: [SafeText] = []
        if let missing = words.missing { lines.append(line("(\(missing))")) }
        var texts = body
        let first = texts.isEmpty ? SafeText.empty : texts.removeFirst()
        lines.append(line("\(time(withDay: withDay)) \(speaker)") + quote + line("\(remarks): ") + first)
        return lines + texts.map { SafeText.blanks(4) + $0 }
    }

    /// `, answering Bob "the plan is…"`
    private var quote: SafeText {
        guard let id = message.replyTo, !message.isRetracted, let chat = state.world.chat(message.contact) else {
            return .empty
        }
        return line(", ") + words.sentence(for: chat.quoted(id))
    }

    /// ` (action; edited; pinned; 👍 from Bob)`
    private var remarks: String {
        var remarks: [String] = []
        if !message.isRetracted {
            if words.isAction { remarks.append("action") }
            if words.isEdited { remarks.append("edited") }
            remarks += words.reactions.map { "\($0.emoji) from \($0.who.text)" }
        }
        if message.pinned != nil { remarks.append("pinned") }
        return remarks.isEmpty ? "" : " (\(remarks.joined(separator: "; ")))"
    }

    private func time(withDay: Bool) -> String {
        let time = message.shownTime
        return withDay && !state.surface.clock.isSameDay(time, state.surface.moment.wall)
            ? state.surface.clock.dayAndTime(time, now: state.surface.moment.wall) : state.surface.clock.time(time)
    }

    private var speaker: String {
        guard message.direction == .outgoing else {
            let author = words.author.text
            if message.contact == state.place.openID { return author }
            return message.sender == nil ? "\(name) (in another chat)" : "\(author) (in \(name))"
        }
        let target = message.contact == state.place.openID ? "me" : "me to \(name)"
        return target + (words.progress.map { ", \($0)" } ?? "")
    }

    private var body: [SafeText] {
        if let removal = words.removal { return [removal] }
        guard let file = words.file else {
            let text = words.text(.bare)
            return noted(text, text.hiddenNote)
        }
        let transfer = file.transfer
        var text = line("\(file.number) ") + file.name + line(", \(file.size), \(file.state)")
        if let folder = folder(of: transfer) {
            text = folder
        } else if let place = transfer.place {
            text += line(", from the folder ") + SafeText(place.path, as: .fileName)
        }
        if transfer.isOpenOffer {
            let number = transfer.number.rawValue
            text += line(" (/accept \(number) or /decline \(number))")
        }
        let note = file.hiddenNote
        guard file.hasCaption else { return [note.map { text + line(" ") + $0 } ?? text] }
        return [text] + noted(file.caption, note)
    }

    /// The lines of a text, with what was hidden in it.
    private func noted(_ text: SafeText, _ note: SafeText?) -> [SafeText] {
        var lines = text.lines()
        let left = lines.count - MessageRows.rowLimit
        if left > 0 {
            lines.removeLast(left)
            lines.append(line("… \(Units.grouped(left)) more lines (blipchat history prints them)"))
        }
        if let note, let last = lines.last { lines[lines.count - 1] = last + line(" ") + note }
        return lines
    }

    /// `#8 photos/ (31 files), 48 MB, offered` for the message that represents its folder.
    private func folder(of transfer: FileTransfer) -> SafeText? {
        guard transfer.place != nil, !state.world.isBehindFolder(message),
            let window = state.world.chat(message.contact)?.window
        else { return nil }
        let group = state.world.folderGroup(of: message, transfer, in: window)
        return line("#\(group.number.rawValue) ") + TransferWords(state: state, group: group).name
            + line(", \(Units.size(group.size)), \(Sentences.word(for: group.state))")
    }

    // MARK: Changes

    /// The changes since `old` that are worth a line; the status line reports files that have ended.
    func changes(since old: ChatMessage?) -> [SafeText] {
        guard let old else { return [] }
        var lines: [SafeText] = []
        let author = words.author.text
        if message.isRetracted, !old.isRetracted { lines.append(line("\(author) deleted: ") + beginning(of: old)) }
        if message.edited != old.edited, !message.isRetracted {
            // The new text is the news: all of it.
            let texts = body
            lines.append(
                line("\(author) changed \"") + beginning(of: old) + line("\" to: ") + (texts.first ?? .empty))
            lines += texts.dropFirst().map { SafeText.blanks(4) + $0 }
        }
        if !message.isRetracted { lines += reactionChanges(since: old) }
        if (message.pinned == nil) != (old.pinned == nil) {
            lines.append(line(message.pinned == nil ? "no longer pinned: " : "pinned: ") + beginning(of: message))
        }
        if message.direction == .outgoing, message.state != old.state {
            switch message.state {
            // A file is only on offer then.
            case .delivered:
                lines.append(
                    line("\(words.file == nil ? "delivered" : "offered") to \(name): ") + beginning(of: message))
            // It was no longer meant to go out.
            case .failed where message.isRetracted || message.state == .sentAgain: break
            case .failed(let reason):
                lines.append(line("FAILED (\(reason.words); /retry sends it again): ") + beginning(of: message))
            case .pending, .sent, .read: break
            }
        }
        return lines
    }

    private func reactionChanges(since old: ChatMessage) -> [SafeText] {
        [MessageDirection.outgoing, .incoming].compactMap { direction in
            let before = old.reactions.first { $0.direction == direction }?.emoji
            let now = message.reactions.first { $0.direction == direction }?.emoji
            guard before != now else { return nil }
            let words =
                switch (before, now) {
                case (let before?, nil): "took \(before) back from: "
                case (let before?, let now?): "reacted \(now) instead of \(before) to: "
                case (nil, let now): "reacted \(now ?? "") to: "
                }
            return line("\(self.words.name(of: direction).text) \(words)") + beginning(of: message)
        }
    }

    private func beginning(of message: ChatMessage) -> SafeText { MessageWords.beginning(of: message) }

    private func line(_ text: String) -> SafeText { SafeText(text, as: .line) }
}

/// The words for contact requests.
struct RequestSentences {
    let state: AppState

    /// The person who asks, the warnings about them, and the commands that answer.
    func lines(of request: ContactRequest) -> [SafeText] {
        about(request) + [SafeText("    /approve \(request.id) or /reject \(request.id)", as: .line)]
    }

    func about(_ request: ContactRequest) -> [SafeText] {
        var lines = [
            SafeText("CONTACT REQUEST \(request.id) from ", as: .line) + SafeText(request.name, as: .name)
                + SafeText(
                    " (a name they chose), called from \(request.origin), "
                        + "\(state.surface.clock.dayAndTime(request.received, now: state.surface.moment.wall))",
                    as: .line)
        ]
        if let address = request.address {
            lines.append(SafeText("    listens at \(address.host):\(address.port)", as: .line))
        }
        if let warning = NameLikeness.warning(of: request, among: state.world.chats.map(\.peer)) {
            lines.append(SafeText(literal: "    ") + warning)
        }
        if let owner = state.world.chats.first(where: { $0.peer.newPeerID == request.peerID })?.name {
            lines.append(
                SafeText(literal: "    THE NEW KEY OF ") + owner + SafeText(literal: ": /verify ") + owner
                    + SafeText(literal: " to decide"))
        }
        lines.append(SafeText("    key \(request.peerID.text)", as: .line))
        return lines
    }
}
