// Everything that is known of a message: who and when, how far it has come, ids, what it said before, what was hidden.

import ChatCore
import ChatWords

/// The rows of the info page.
struct MessageInfo {
    let state: AppState
    let message: ChatMessage
    let versions: [TextVersion]?
    private var words: MessageWords { state.world.words(of: message) }

    /// Hidden characters that are listed at most.
    private static let codePointLimit = 40
    /// Columns of the names of the facts.
    private static let indent = 11

    func rows(width: Int) -> [StyledLine] {
        var rows: [StyledLine] = []
        rows += fact("from", words.author.text, width: width)
        rows += Self.wrapped(
            "text", MessageWords.quote(of: message).truncated(to: 200), width: width,
            reordering: state.surface.settings.reorders)
        for (name, value) in facts(width: width) { rows += fact(name, value, width: width) }
        rows += history(width: width)
        rows += hidden(width: width)
        return rows
    }

    /// `name` in a column of its own, the value beside it with a hanging indent.
    private static func wrapped(
        _ name: String, _ value: SafeText, width: Int, indent: Int = Self.indent, reordering: Bool = false
    ) -> [StyledLine] {
        let parts = TextWrap.wrap(value, width: max(8, width - indent), reordering: reordering)
        return parts.enumerated().map { index, part in
            var line = StyledLine(SafeText(index == 0 ? name : "", as: .line).padded(to: indent), Theme.quiet)
            line.add(part)
            return line
        }
    }

    private func fact(_ name: String, _ value: String, width: Int) -> [StyledLine] {
        Self.wrapped(name, SafeText(value, as: .line), width: width)
    }

    private func facts(width: Int) -> [(String, String)] {
        var facts: [(String, String)] = [
            ("written", state.surface.exactTime(message.sent) + (message.isTimeOff ? " by their clock" : "")),
            ("stored", state.surface.exactTime(message.stored)),
            ("state", words.stateSentence(isSeen: isSeen)),
        ]
        if let id = message.replyTo { facts.append(("reply to", quoted(id, width: width - Self.indent))) }
        if let edited = message.edited { facts.append(("edited", state.surface.exactTime(edited))) }
        if let pinned = message.pinned { facts.append(("pinned", state.surface.exactTime(pinned))) }
        for (emoji, who) in words.reactions {
            facts.append(("reaction", "\(state.surface.shown(emoji: emoji)) \(who.text)"))
        }
        let whose = message.direction == .outgoing ? "your" : "their"
        // Edits, reactions and deletions are counted with the messages (PROTOCOL 4, `Seq`).
        facts.append(
            ("number", "#\(message.id.short), the \(Units.ordinal(message.sequence)) of \(whose) messages and changes"))
        facts.append(("id", message.id.text))
        if case .file(let old) = message.content {
            let file = state.world.transfers.byID[old.id] ?? old
            facts += folderFacts(file) + fileFacts(file)
        }
        let peer = state.world.chat(message.contact)?.peer
        let key = message.direction == .outgoing ? state.world.identity.peerID : peer?.peerID
        if let key { facts.append(("key", key.text)) }
        if message.direction == .incoming, let peer { facts.append(("trust", Sentences.word(for: peer.trust))) }
        return facts
    }

    /// Of the whole folder, where the message is its line; its own file follows.
    private func folderFacts(_ transfer: FileTransfer) -> [(String, String)] {
        guard let window = state.world.chat(message.contact)?.window, window.isHead(message) else { return [] }
        let group = state.world.folderGroup(of: message, transfer, in: window)
        let words = TransferWords(state: state, group: group)
        var facts = [
            ("folder", "#\(group.number.rawValue) \(words.name.text)"),
            ("all files", "\(Units.size(group.size)), \(words.words)"),
        ]
        if let path = group.path { facts.append(("folder in", path)) }
        return facts
    }

    private func fileFacts(_ transfer: FileTransfer) -> [(String, String)] {
        let file = FileWords(transfer)
        var facts = [
            ("file", "\(file.number) \(file.name.text)"),
            (
                "size",
                "\(Units.grouped(Int(clamping: transfer.size))) \(transfer.size == 1 ? "byte" : "bytes"), "
                    + file.state
            ),
        ]
        if !transfer.caption.isEmpty { facts.append(("caption", transfer.caption)) }
        if let path = transfer.path { facts.append(("path", path)) }
        if let hash = transfer.sha256 { facts.append(("sha256", hash)) }
        return facts
    }

    /// Of the messages of others the conversation knows up to where they were seen.
    private var isSeen: Bool {
        message.state == .read
            || state.world.chat(message.contact)?.conversation.readUpTo.map { message.position <= $0 } ?? false
    }

    private func quoted(_ id: MessageID, width: Int) -> String {
        guard let chat = state.world.chat(message.contact), case .found(let quoted) = chat.quoted(id) else {
            return "#\(id.short)"
        }
        let lead = "#\(id.short) "
        // On one row: wrapped again it would be in no order.
        let words = MessageWords.quote(of: quoted).inDisplayOrder(
            width: max(8, min(60, width - lead.count)), reordering: state.surface.settings.reorders)
        return lead + words.text
    }

    // MARK: Earlier versions

    private func history(width: Int) -> [StyledLine] {
        guard words.isEdited else { return [] }
        guard let versions else { return [StyledLine("reading earlier texts…", Theme.quiet)] }
        var rows = [StyledLine(), StyledLine("earlier texts", Theme.title)]
        for version in versions.dropLast() {
            let time = state.surface.clock.dayAndTime(version.written, now: state.surface.moment.wall)
            rows += Self.wrapped(
                time, MessageWords.text(of: version.text), width: width,
                indent: max(Self.indent, SafeText(time, as: .line).width + 2),
                reordering: state.surface.settings.reorders)
        }
        return rows
    }

    // MARK: Hidden characters

    /// The code points that are not shown as themselves.
    private func hidden(width: Int) -> [StyledLine] {
        guard !message.isRetracted else { return [] }
        let text =
            switch message.content {
            case .text(let text): text
            case .file(let transfer): transfer.name + "\n" + transfer.caption
            }
        var counts: [UInt32: Int] = [:]
        var order: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars where Self.isHidden(scalar) {
            if counts[scalar.value, default: 0] == 0, order.count < Self.codePointLimit { order.append(scalar) }
            counts[scalar.value, default: 0] += 1
        }
        guard !order.isEmpty else { return [] }
        var rows = [StyledLine(), StyledLine("characters hidden or replaced", Theme.title)]
        for scalar in order {
            let name = scalar.properties.name ?? scalar.properties.nameAlias ?? "control character"
            rows += Self.wrapped(
                scalar.codePoint, SafeText("\(name) (\(counts[scalar.value] ?? 0))", as: .line), width: width)
        }
        return rows
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar != "\n" else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .privateUse, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
