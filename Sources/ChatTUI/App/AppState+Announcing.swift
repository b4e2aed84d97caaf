// Telling the user of what comes while they look elsewhere: bell, desktop notification, a command. Never with text
// unless they want that.

import ChatCore
import ChatWords

extension AppState {
    /// Rings and tells of a message that has just come; called before it is added to its chat.
    mutating func announce(_ message: ChatMessage, _ effects: inout [AppEffect]) {
        guard message.direction == .incoming, !message.isRetracted, let chat = chat(message.contact), !isQuitting,
            // What was missing and has come late is no news.
            !chat.peer.isMuted(at: moment.wall), !chat.wasMissing(message),
            !isLooking(at: message.contact), !isQuiet, !isOfKnownFolder(message)
        else { return }
        let level = settings.notifyByName[ContactNames.folded(chat.peer.name)]
        let isMention = mentionsMe(message)
        if Self.passes(level ?? settings.bell, isMention), announcements.takeRing(at: moment.uptime) {
            effects.append(.bell)
        }
        guard Self.passes(level ?? .all, isMention), settings.desktop != .off,
            announcements.takeMessage(of: message.contact, at: moment.uptime)
        else { return }
        tell(chat.name + SafeText(": " + words(for: message, isMention: isMention), as: .line), &effects)
    }

    /// Tells of what came in too quick a row, unless it has been read meanwhile.
    mutating func announceDue(_ effects: inout [AppEffect]) {
        for (contact, count) in announcements.takeDue(at: moment.uptime) {
            guard let chat = chat(contact), chat.isUnread, !isLooking(at: contact), !isQuiet, !chat.peer.isBlocked,
                !chat.peer.isMuted(at: moment.wall), settings.notifyByName[ContactNames.folded(chat.peer.name)] != .off
            else { continue }
            tell(chat.name + SafeText(": \(count) more new message\(count == 1 ? "" : "s")", as: .line), &effects)
        }
    }

    /// Somebody asks to be a contact.
    mutating func announceRequest(_ effects: inout [AppEffect]) {
        guard settings.desktop != .off, !isQuiet, !isSomebodyThere else { return }
        tell(SafeText(literal: "somebody wants to be your contact"), &effects)
    }

    /// Shows what a notification looks like here.
    mutating func announceTest(_ effects: inout [AppEffect]) {
        let isMute = settings.desktop == .command && settings.notifyCommand.isEmpty
        var lines: [String]
        switch settings.desktop {
        case .command where isLineMode && !isMute: lines = ["Line mode never rings; it runs notify.command"]
        case _ where isLineMode:
            lines = ["Line mode never rings or notifies the desktop, except with notify.desktop = \"command\""]
        case .off: lines = ["Rings, but does not notify the desktop (/notify desktop auto)"]
        case .command where isMute:
            lines = ["Rings, but cannot notify the desktop: /set notify.command to a command"]
        case .command: lines = ["Rings and runs notify.command"]
        case .auto, .osc9, .osc777, .osc99:
            lines = ["Rings and notifies the desktop by \(settings.desktop.rawValue), if the terminal can do that"]
        }
        if let multiplexer = terminal.multiplexer { lines += multiplexer.advice }
        if settings.bell == .off { lines.append("Messages do not ring: notify.bell is off (/notify all)") }
        if isQuiet { lines.append("Quiet hours now: messages neither ring nor notify the desktop") }
        note(lines, isError: isMute)
        effects.append(.bell)
        tell(SafeText(literal: "this is a test"), &effects)
    }

    // MARK: Private

    private func tell(_ body: SafeText, _ effects: inout [AppEffect]) {
        let title = SafeText(literal: "blipchat")
        switch settings.desktop {
        case .off: break
        case .command:
            guard let words = CommandLine.words(of: settings.notifyCommand), !words.isEmpty else { return }
            // A name that begins with a dash is no option of that command.
            effects.append(.spawn(words + [title.text, body.text.hasPrefix("-") ? " " + body.text : body.text]))
        case .auto, .osc9, .osc777, .osc99:
            effects.append(.terminal(.notify(title: title, body: body, settings.desktop)))
        }
    }

    private func words(for message: ChatMessage, isMention: Bool) -> String {
        switch message.content {
        case .file(let transfer):
            let group = TransferGroup(transfer)
            guard settings.notifyShowsText else { return group.isFolder ? "offers a folder" : "offers a file" }
            return "offers " + TransferWords(state: self, group: group).name(width: 60).text
        case .text(let text):
            guard settings.notifyShowsText else { return isMention ? "mentions you" : "new message" }
            return SafeText(ActionText.starred(text), as: .line).truncated(to: 100).text
        }
    }

    /// The first file tells of the whole folder.
    private func isOfKnownFolder(_ message: ChatMessage) -> Bool {
        ChatWindow.folder(of: message).map(transfers.knows) ?? false
    }

    /// Whether the newest messages of a chat are before the user's eyes.
    private func isLooking(at contact: ContactID) -> Bool {
        contact == openID && isSomebodyThere && overlay == nil && (openChat?.window.isAtBottom ?? false)
    }

    private var isSomebodyThere: Bool { isFocused && !attention.hasFaded(at: moment.uptime) }

    private var isQuiet: Bool {
        guard let hours = settings.quietHours else { return false }
        let now = clock.civil(moment.wall)
        return hours.contains(minute: now.hour * 60 + now.minute)
    }

    private static func passes(_ level: ScreenSettings.Bell, _ isMention: Bool) -> Bool {
        switch level {
        case .off: false
        case .mention: isMention
        case .all: true
        }
    }
}
