// A message as the sentences of line mode: time, who, what.

import ChatCore

/// The words for one message and for what becomes of it.
struct MessageSentences {
    let state: AppState
    let message: ChatMessage

    private var name: String { state.name(of: message.contact) }
    private var number: String { transfer.map { "#\($0.number.rawValue)" } ?? "" }
    private var transfer: FileTransfer? { if case .file(let transfer) = message.content { transfer } else { nil } }

    /// `21:03 bob: hello`, with further lines of the text below. Own messages say how far they are, and messages of
    /// another chat than the open one say whose it is. `withDay` for what may be older than today.
    func lines(withDay: Bool) -> [SafeText] {
        var lines: [SafeText] = []
        if message.missingBefore > 0 { lines.append(line("(\(Sentences.missing(message.missingBefore)))")) }
        var texts = body
        let first = texts.isEmpty ? SafeText.empty : texts.removeFirst()
        var tail = message.edited != nil && !message.isRetracted ? " (edited)" : ""
        for reaction in message.reactions {
            let who = reaction.direction == .outgoing ? "me" : name
            tail += " [\(reaction.emoji) \(who)]"
        }
        lines.append(line("\(time(withDay: withDay)) \(speaker): ") + first + line(tail))
        return lines + texts.map { SafeText.blanks(4) + $0 }
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
        case .delivered: return "\(target), delivered"
        case .read: return "\(target), read"
        case .failed(let reason): return "\(target), FAILED (\(reason))"
        }
    }

    private var body: [SafeText] {
        if message.isRetracted { return [line("(deleted)")] }
        switch message.content {
        case .text(let text):
            let safe = SafeText(text, as: .multiline)
            var lines = safe.lines()
            if let note = safe.hiddenNote, let last = lines.last { lines[lines.count - 1] = last + line(" ") + note }
            return lines
        case .file(let transfer):
            var text = SafeText("\(number) ", as: .line) + SafeText(transfer.name, as: .fileName)
            text += line(", \(Units.size(transfer.size)), \(Sentences.word(for: transfer.state))")
            if let place = transfer.place { text += line(", of the folder ") + SafeText(place.path, as: .fileName) }
            if transfer.direction == .incoming, transfer.state == .offered {
                let number = transfer.number.rawValue
                text += line(" (/accept \(number) or /decline \(number))")
            }
            return [text] + (transfer.caption.isEmpty ? [] : SafeText(transfer.caption, as: .multiline).lines())
        }
    }

    // MARK: Changes

    /// What is worth a line of what has changed since `old`; files at their end are told by the status line.
    func changes(since old: ChatMessage?) -> [SafeText] {
        guard let old else { return [] }
        var lines: [SafeText] = []
        let who = message.direction == .outgoing ? "me" : name
        if message.isRetracted, !old.isRetracted { lines.append(line("\(who) deleted: ") + beginning(of: old)) }
        if message.edited != old.edited, !message.isRetracted {
            lines.append(line("\(who) changed \"") + beginning(of: old) + line("\" to: ") + beginning(of: message))
        }
        for reaction in message.reactions where !old.reactions.contains(reaction) {
            let reactor = reaction.direction == .outgoing ? "me" : name
            lines.append(line("\(reactor) reacted \(reaction.emoji) to: ") + beginning(of: message))
        }
        if message.direction == .outgoing, message.state != old.state {
            switch message.state {
            case .delivered: lines.append(line("delivered to \(name): ") + beginning(of: message))
            case .failed(let reason):
                lines.append(line("FAILED (\(reason); /retry sends it again): ") + beginning(of: message))
            case .pending, .sent, .read: break
            }
        }
        return lines
    }

    private func beginning(of message: ChatMessage) -> SafeText {
        switch message.content {
        case .text(let text): SafeText(text, as: .line).truncated(to: 60)
        case .file(let transfer): SafeText(transfer.name, as: .fileName)
        }
    }

    private func line(_ text: String) -> SafeText { SafeText(text, as: .line) }
}

/// The words for contact requests.
struct RequestSentences {
    let state: AppState

    func lines(of request: ContactRequest) -> [SafeText] {
        var lines = [
            SafeText("CONTACT REQUEST \(request.id) from ", as: .line) + SafeText(request.name, as: .name)
                + SafeText(
                    " (a name that they chose), called from \(request.origin), "
                        + "\(state.clock.dayAndTime(request.received, now: state.moment.wall))", as: .line)
        ]
        if let address = request.address {
            lines.append(SafeText("    calls back at \(address.host):\(address.port)", as: .line))
        }
        lines.append(SafeText("    key \(request.peerID.text)", as: .line))
        lines.append(SafeText("    /approve \(request.id) or /reject \(request.id)", as: .line))
        return lines
    }
}
