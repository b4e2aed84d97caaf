// The output of line mode: the difference that one action has made, in words. Pure: states in, lines out.

import ChatCore
import ChatWords

/// The lines of `--plain`, oldest first. Nothing is ever printed over: a screen reader reads every line once.
struct PlainTranscript {
    let before: AppState
    let after: AppState
    let action: AppAction

    /// Messages that are printed when a chat opens.
    static let recentCount = 10

    var lines: [SafeText] {
        var lines = openingLines + draftLines + eventLines + ownChangeLines
        lines += noticeLines + linkLines + placeLines
        if let status = after.place.status, status != before.place.status, !isSaidOtherwise {
            lines.append(line(status.text))
        }
        return lines + (after.place.overlay?.pane.spoken(after, after: action) ?? [])
    }

    private func line(_ text: String) -> SafeText { SafeText(text, as: .line) }

    /// Line mode has no place for half-typed lines, but says that there is one.
    private var draftLines: [SafeText] {
        guard case .answer(.draft(let contact, let text)) = action, contact == after.place.openID, !text.isEmpty else {
            return []
        }
        return [line("Your draft here: \(text)")]
    }

    // MARK: The open chat

    private var openingLines: [SafeText] {
        guard let chat = after.openChat else {
            return before.place.openID == nil
                ? [] : [line("No chat is open (/query WHO opens one, /contacts lists them)")]
        }
        let old = before.world.chat(chat.id)
        var lines: [SafeText] = []
        if before.place.openID != chat.id {
            // The state of the link follows as soon as it is known.
            var words = RoomWords.standing(of: chat.peer)
            if chat.peer.isBlocked { words += ", blocked" }
            if chat.link != .offline(reason: nil) { words += ", \(Sentences.words(for: chat.link))" }
            let warning = chat.nameWarning.map { line(" (") + $0 + line(")") } ?? .empty
            lines.append(line("Chat with ") + chat.name + warning + line(": \(words)"))
            if chat.conversation.unreadCount > 0 { lines.append(line("\(chat.conversation.unreadCount) new")) }
        }
        let isShownNow = chat.window.isLoaded && (before.place.openID != chat.id || old?.window.isLoaded != true)
        guard isShownNow else { return lines }
        let recent = chat.window.shownMessages.suffix(Self.recentCount)
        return lines + recent.flatMap { MessageSentences(state: after, message: $0).lines(withDay: true) }
    }

    /// At most this many messages follow the one that the user asked for.
    static let stretchCount = 200

    /// The user went to a message: it, and those that follow. Asked for once more, they are printed once more.
    private var stretchLines: [SafeText]? {
        guard let window = after.openChat?.window, let id = window.highlight,
            let first = window.index(of: .message(id))
        else { return nil }
        var isAsked = before.world.chat(after.place.openID)?.window.highlight != id
        if case .line(let line) = action, line.lowercased().hasPrefix("/history") { isAsked = true }
        guard isAsked else { return nil }
        let messages = window.items[first...].filter { !window.isFolded($0) }.compactMap(\.message)
        let lines = messages.prefix(Self.stretchCount).flatMap {
            MessageSentences(state: after, message: $0).lines(withDay: true)
        }
        let isAll = messages.count <= Self.stretchCount && window.reachesNewest
        return isAll ? lines : lines + [line("… and newer ones (/history N with a smaller N, /goto last)")]
    }

    /// The user went to another place of the history: the messages that end there.
    private var placeLines: [SafeText] {
        if let stretchLines { return stretchLines }
        guard let chat = after.openChat, case .at(let key, _) = chat.window.scroll,
            let last = chat.window.index(of: key), before.world.chat(chat.id)?.window.scroll != chat.window.scroll
        else { return [] }
        let items = chat.window.items[...last].filter { !chat.window.isFolded($0) }
        let messages = items.compactMap(\.message).suffix(Self.recentCount)
        return messages.flatMap { MessageSentences(state: after, message: $0).lines(withDay: true) }
    }

    // MARK: News

    private var eventLines: [SafeText] {
        // The people who asked before line mode began.
        if case .answer(.requests(let requests)) = action { return lines(ofNew: requests) }
        guard case .chat(let event) = action else { return [] }
        switch event {
        case .messageAdded(let message):
            guard after.world.chatIndex(message.contact) != nil, !after.world.isBehindFolder(message) else { return [] }
            return MessageSentences(state: after, message: message).lines(withDay: false)
        case .messageChanged(let message):
            return MessageSentences(state: after, message: message).changes(since: old(message))
        case .requestsChanged(let requests):
            return lines(ofNew: requests)
        case .messagesDeleted(let contact):
            return [line("Messages in the chat with \(after.world.name(of: contact)) were deleted")]
        case .historyReplaced, .transferProgress, .conversationsChanged, .linkChanged, .typing, .identityChanged,
            .notice:
            return []
        }
    }

    private func lines(ofNew requests: [ContactRequest]) -> [SafeText] {
        let known = Set(before.world.requests.map(\.id))
        return requests.filter { !known.contains($0.id) }.flatMap { RequestSentences(state: after).lines(of: $0) }
    }

    /// A change that our user has just made to a message that is not in memory; events report those to other messages.
    private var ownChangeLines: [SafeText] {
        guard case .done(let errand, let result) = action, let asked = errand.changed,
            let message: ChatMessage = result.reply(), old(message) == nil
        else { return [] }
        return MessageSentences(state: after, message: message).changes(since: asked)
    }

    /// A message as it was before, as far as it is known.
    private func old(_ message: ChatMessage) -> ChatMessage? {
        guard let chat = before.world.chat(message.contact) else { return nil }
        if let index = chat.window.index(of: .message(message.key)) { return chat.window.items[index].message }
        return chat.conversation.lastMessage?.key == message.key ? chat.conversation.lastMessage : nil
    }

    /// The screen's sentence names a key; line mode has one of its own.
    private var isSaidOtherwise: Bool {
        if case .chat(.requestsChanged) = action { true } else { false }
    }

    /// Notices are numbered, so those of this action are the ones with new numbers.
    private var noticeLines: [SafeText] {
        var notices = after.place.lobby
        for id in Set([before.place.openID, after.place.openID]) {
            for item in after.world.chat(id)?.window.items ?? [] {
                if case .notice(let notice, _) = item { notices.append(notice) }
            }
        }
        var isNew: [Int: LocalNotice] = [:]
        for notice in notices where notice.id > before.place.number { isNew[notice.id] = notice }
        return isNew.values.sorted { $0.id < $1.id }.flatMap { $0.lines.map(line) }
    }

    private static func away(_ link: LinkState) -> String? {
        if case .online(let details) = link { details.away } else { nil }
    }

    /// The contacts that have come or gone, or are away.
    private var linkLines: [SafeText] {
        switch action {
        case .chat(.linkChanged), .answer(.links): break
        default: return []
        }
        return after.world.chats.compactMap { chat in
            guard let old = before.world.chat(chat.id) else { return nil }
            let (away, wasAway) = (Self.away(chat.link), Self.away(old.link))
            guard old.link.isOnline != chat.link.isOnline || away != wasAway else { return nil }
            let reason = away.map { $0.isEmpty ? "" : ": \(SafeText($0, as: .line).text)" }
            let words = reason.map { "away\($0)" } ?? (wasAway != nil && chat.link.isOnline ? "back" : nil)
            return line(
                "\(chat.name.text) is \(words ?? (chat.link.isOnline ? "online" : Sentences.words(for: chat.link)))")
        }
    }
}
