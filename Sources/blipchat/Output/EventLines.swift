// What happens, as lines for people: `blipchat watch`.

import BLIPNet
import ChatCore
import ChatHost
import ChatTUI
import ChatWords

struct EventLines {
    var usesColor = false

    /// No line for what is only for programs.
    func lines(of report: ChatReport) -> [String] {
        switch report {
        case .message(let message, let records, let news): lines(of: message, records, news)
        case .event(let event, let records): lines(of: event, records.contacts)
        case .transfer, .progress, .folder, .leftOut: []
        }
    }

    private func lines(of event: ChatEvent, _ contacts: ContactDirectory) -> [String] {
        switch event {
        case .linkChanged(let contact, let state):
            return [
                now + SafeText.name(contacts.name(of: contact)) + " is "
                    + TextColor.good.paint(Records.word(state), if: usesColor && state.isOnline)
            ]
        case .requestsChanged(let requests):
            return requests.map { request in
                let warning = NameLikeness.warning(of: request, among: contacts.peers)
                return now + "contact request \(request.id) from "
                    + "\(SafeText.name(request.name)) at \(SafeText.line(request.origin)) "
                    + "(blipchat requests)" + (warning.map { "  " + $0.terminalString() } ?? "")
            }
        case .notice(let notice):
            let sentence = SafeText.line(Sentences.sentence(for: notice, name: contacts.name(of:)))
            return [now + TextColor.error.paint(sentence, if: usesColor)]
        case .messagesDeleted(let contact):
            return [now + "messages with \(SafeText.name(contacts.name(of: contact))) were deleted"]
        case .messageAdded, .messageChanged, .transferProgress, .typing, .historyReplaced, .conversationsChanged,
            .identityChanged:
            return []
        }
    }

    private func lines(of message: ChatMessage, _ records: Records, _ news: MessageNews.Event?) -> [String] {
        let words = records.words(of: message)
        let head = head(words)
        switch message.content {
        case .file(let transfer):
            return [head + file(FileWords(transfer))]
                + MessageLines.lines(ofCaption: transfer.caption, of: transfer.name).map { "    " + $0 }
        case .text(let text):
            if let removal = words.removal { return [head + removal.text] }
            let parts = MessageLines.lines(ofText: text)
            let edited = words.isEdited ? "  " + MessageWords.edited.text : ""
            // Reactions and their authors: only where a reaction is what has happened.
            let reactions = news == .reaction ? "  " + reactions(words) : ""
            return [head + (parts.first ?? "") + edited + reactions] + parts.dropFirst().map { "    " + $0 }
        }
    }

    private func reactions(_ words: MessageWords) -> String {
        let all = words.reactions.map { "[\(SafeText.line($0.emoji)) \($0.who.terminalString())]" }
        return all.isEmpty ? "(reaction removed)" : all.joined(separator: " ")
    }

    private func file(_ words: FileWords) -> String {
        let transfer = words.transfer
        var line = "\(words.number) \(words.name.terminalString())  \(words.size)  \(transfer.state.rawValue)"
        if let reason = transfer.reason { line += " (\(SafeText.line(reason.words)))" }
        if transfer.state == .complete, let path = transfer.path { line += "  \(SafeText.line(path))" }
        return line
    }

    /// Time, conversation, who, and how far an own message is.
    private func head(_ words: MessageWords) -> String {
        let message = words.message
        let isOwn = message.direction == .outgoing
        let name = words.contact.terminalString()
        let state = words.file == nil ? " \(Records.word(message.state))" : ""
        // In a room somebody is said to have written it.
        let sender = message.sender == nil ? "" : ", \(words.author.terminalString())"
        let who = isOwn ? TextColor.own.paint("me to \(name)\(state)", if: usesColor) : name + sender
        return TextColor.dim.paint(LocalTime.text(isOwn ? message.sent : message.stored), if: usesColor) + "  \(who)  "
    }

    private var now: String { TextColor.dim.paint(LocalTime.text(.now), if: usesColor) + "  " }
}
