// A message as the sentences of line mode: time, who, what.

import ChatCore
import ChatWords

/// The words for one message and for what becomes of it.
struct MessageSentences {
    let state: AppState
    let message: ChatMessage

    private var name: String { state.name(of: message.contact) }
    private var number: String { transfer.map { "#\($0.number.rawValue)" } ?? "" }
    private var transfer: FileTransfer? { if case .file(let transfer) = message.content { transfer } else { nil } }

    /// `21:03 bob: hello`, with further lines of the text below. Own messages say how far they are, and messages of
    /// another chat than the open one say whose it is; what a screen draws beside a message stands there as words:
    /// `21:04 bob, answering me "the plan is…" (edited; pinned; 👍 from me): yes`. `withDay` for what may be older than
    /// today.
    func lines(withDay: Bool) -> [SafeText] {
        var lines: [SafeText] = []
        if message.missingBefore > 0 { lines.append(line("(\(Sentences.missing(message.missingBefore)))")) }
        var texts = body
        let first = texts.isEmpty ? SafeText.empty : texts.removeFirst()
        lines.append(line("\(time(withDay: withDay)) \(speaker)") + quote + line("\(remarks): ") + first)
        return lines + texts.map { SafeText.blanks(4) + $0 }
    }

    /// `, answering Bob "the plan is…"`
    private var quote: SafeText {
        guard let id = message.replyTo, !message.isRetracted, let chat = state.chat(message.contact) else {
            return .empty
        }
        switch chat.quoted(id) {
        case .found(let quoted):
            let whom = quoted.direction == .outgoing ? "me" : name
            let words = quoted.isRetracted ? line("a deleted message") : line("\"") + beginning(of: quoted) + line("\"")
            return line(", replying to \(whom) ") + words
        case .missing: return line(", replying to a message that is not here")
        case .asked: return line(", replying to an earlier message")
        }
    }

    /// ` (action; edited; pinned; 👍 from Bob)`
    private var remarks: String {
        var remarks: [String] = []
        if !message.isRetracted {
            if action != nil { remarks.append("action") }
            if message.edited != nil { remarks.append("edited") }
            remarks += message.reactions.map { "\($0.emoji) from \(who($0.direction))" }
        }
        if message.pinned != nil { remarks.append("pinned") }
        return remarks.isEmpty ? "" : " (\(remarks.joined(separator: "; ")))"
    }

    private func who(_ direction: MessageDirection) -> String { direction == .outgoing ? "me" : name }

    /// What somebody does who has written `/me waves`.
    private var action: String? {
        if case .text(let text) = message.content { ActionText.deed(in: text).map(String.init) } else { nil }
    }

    private func time(withDay: Bool) -> String {
        let time = message.shownTime
        return withDay && !state.clock.isSameDay(time, state.moment.wall)
            ? state.clock.dayAndTime(time, now: state.moment.wall) : state.clock.time(time)
    }

    private var speaker: String {
        guard message.direction == .outgoing else {
            return message.contact == state.openID ? name : "\(name) (in another chat)"
        }
        let target = message.contact == state.openID ? "me" : "me to \(name)"
        switch message.state {
        case .pending, .sent: return "\(target), waiting"
        // Of a file it is the offer that they have; how far the file is stands behind it.
        case .delivered: return transfer == nil ? "\(target), delivered" : target
        case .read: return transfer == nil ? "\(target), read" : target
        // It was to go out no more.
        case .failed where message.isRetracted: return target
        case .failed(let reason): return "\(target), FAILED (\(reason.words))"
        }
    }

    private var body: [SafeText] {
        if message.isRetracted { return [line("(deleted)")] }
        switch message.content {
        case .text(let text):
            let safe = SafeText(action ?? text, as: .multiline)
            return noted(safe, safe.hiddenNote)
        case .file(let transfer):
            var text = SafeText("\(number) ", as: .line) + SafeText(transfer.name, as: .fileName)
            text += line(", \(Units.size(transfer.size)), \(Sentences.word(for: transfer.state))")
            if let folder {
                text = folder
            } else if let place = transfer.place {
                text += line(", from the folder ") + SafeText(place.path, as: .fileName)
            }
            if transfer.direction == .incoming, transfer.state == .offered {
                let number = transfer.number.rawValue
                text += line(" (/accept \(number) or /decline \(number))")
            }
            let caption = SafeText(transfer.caption, as: .multiline)
            let note = (SafeText(transfer.name, as: .fileName) + caption).hiddenNote
            guard !transfer.caption.isEmpty else { return [note.map { text + line(" ") + $0 } ?? text] }
            return [text] + noted(caption, note)
        }
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

    /// `#8 photos/ (31 files), 48 MB, offered` for the message that stands for its folder.
    private var folder: SafeText? {
        guard let transfer, transfer.place != nil, !state.isBehindFolder(message),
            let window = state.chat(message.contact)?.window
        else { return nil }
        let group = state.folderGroup(of: message, transfer, in: window)
        return line("#\(group.number.rawValue) ") + TransferWords(state: state, group: group).name
            + line(", \(Units.size(group.size)), \(Sentences.word(for: group.state))")
    }

    // MARK: Changes

    /// What is worth a line of what has changed since `old`; files at their end are told by the status line.
    func changes(since old: ChatMessage?) -> [SafeText] {
        guard let old else { return [] }
        var lines: [SafeText] = []
        let author = who(message.direction)
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
                lines.append(line("\(transfer == nil ? "delivered" : "offered") to \(name): ") + beginning(of: message))
            // It was to go out no more.
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
            return line("\(who(direction)) \(words)") + beginning(of: message)
        }
    }

    private func beginning(of message: ChatMessage) -> SafeText {
        if message.isRetracted { return SafeText(literal: "(deleted)") }
        return switch message.content {
        case .text(let text): SafeText(ActionText.deed(in: text).map(String.init) ?? text, as: .line).truncated(to: 60)
        case .file: MessageSummary.quote(of: message)
        }
    }

    private func line(_ text: String) -> SafeText { SafeText(text, as: .line) }
}

/// The words for contact requests.
struct RequestSentences {
    let state: AppState

    /// Who it is, what is to be said of them, and the commands that answer.
    func lines(of request: ContactRequest) -> [SafeText] {
        about(request) + [SafeText("    /approve \(request.id) or /reject \(request.id)", as: .line)]
    }

    func about(_ request: ContactRequest) -> [SafeText] {
        var lines = [
            SafeText("CONTACT REQUEST \(request.id) from ", as: .line) + SafeText(request.name, as: .name)
                + SafeText(
                    " (a name they chose), called from \(request.origin), "
                        + "\(state.clock.dayAndTime(request.received, now: state.moment.wall))", as: .line)
        ]
        if let address = request.address {
            lines.append(SafeText("    listens at \(address.host):\(address.port)", as: .line))
        }
        if let warning = NameLikeness.warning(of: request, among: state.chats.map(\.peer)) {
            lines.append(SafeText(literal: "    ") + warning)
        }
        if let owner = state.chats.first(where: { $0.peer.newPeerID == request.peerID })?.name {
            lines.append(
                SafeText(literal: "    THE NEW KEY OF ") + owner + SafeText(literal: ": /verify ") + owner
                    + SafeText(literal: " to decide"))
        }
        lines.append(SafeText("    key \(request.peerID.text)", as: .line))
        return lines
    }
}
