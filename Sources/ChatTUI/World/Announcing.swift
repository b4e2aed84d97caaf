// Telling the user of messages that come while they look elsewhere: bell, desktop notification, a command. Never with
// text unless they want that.

import ChatCore
import ChatWords

/// Tells the user of messages by the bell and by notifications of the desktop.
enum Announcing {
    /// Rings and tells of a message that has just come; called before it is added to its chat.
    static func announce(_ message: ChatMessage, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard message.direction == .incoming, !message.isRetracted, let chat = state.world.chat(message.contact),
            !state.ending.isQuitting,
            // A message that was missing and has come late is no news.
            !chat.peer.isMuted(at: state.surface.moment.wall), !chat.wasMissing(message),
            !isLooking(at: message.contact, state), !state.surface.isQuiet, !state.world.knowsFolder(message)
        else { return }
        let level = state.surface.settings.notifyByName[ContactNames.folded(chat.peer.name)]
        let isMention = state.world.mentionsMe(message)
        if Self.passes(level ?? state.surface.settings.bell, isMention),
            state.world.announcements.takeRing(at: state.surface.moment.uptime)
        {
            effects.append(.bell)
        }
        guard Self.passes(level ?? .all, isMention), state.surface.settings.desktop != .off,
            state.world.announcements.takeMessage(of: message.contact, at: state.surface.moment.uptime)
        else { return }
        let news = state.world.words(of: message).announcement(
            showsText: state.surface.settings.notifyShowsText, isMention: isMention)
        let who =
            message.sender == nil
            ? chat.name : chat.name + SafeText(literal: ", ") + state.world.words(of: message).author
        tell(who + SafeText(": \(news)", as: .line), state.surface, &effects)
    }

    /// Tells of messages that came in too quick succession, unless the user has read them meanwhile.
    static func announceDue(_ state: inout AppState, _ effects: inout [AppEffect]) {
        for (contact, count) in state.world.announcements.takeDue(at: state.surface.moment.uptime) {
            guard let chat = state.world.chat(contact), chat.isUnread, !isLooking(at: contact, state),
                !state.surface.isQuiet, !chat.peer.isBlocked,
                !chat.peer.isMuted(at: state.surface.moment.wall),
                state.surface.settings.notifyByName[ContactNames.folded(chat.peer.name)] != .off
            else { continue }
            tell(
                chat.name + SafeText(": \(count) more new message\(count == 1 ? "" : "s")", as: .line), state.surface,
                &effects)
        }
    }

    /// Somebody asks to be a contact.
    static func announceRequest(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard state.surface.settings.desktop != .off, !state.surface.isQuiet, !state.surface.isSomebodyThere else {
            return
        }
        tell(SafeText(literal: "somebody wants to be your contact"), state.surface, &effects)
    }

    /// Shows what a notification looks like here.
    static func announceTest(_ state: inout AppState, _ effects: inout [AppEffect]) {
        let isMute = state.surface.settings.desktop == .command && state.surface.settings.notifyCommand.isEmpty
        var lines: [String]
        switch state.surface.settings.desktop {
        case .command where state.surface.isLineMode && !isMute:
            lines = ["Line mode never rings; it runs notify.command"]
        case _ where state.surface.isLineMode:
            lines = ["Line mode never rings or notifies the desktop, except with notify.desktop = \"command\""]
        case .off: lines = ["Rings, but does not notify the desktop (/notify desktop auto)"]
        case .command where isMute:
            lines = ["Rings, but cannot notify the desktop: /set notify.command to a command"]
        case .command: lines = ["Rings and runs notify.command"]
        case .auto, .osc9, .osc777, .osc99:
            lines = [
                "Rings and notifies the desktop by \(state.surface.settings.desktop.rawValue), if the terminal can do that"
            ]
        }
        if let multiplexer = state.surface.terminal.multiplexer { lines += multiplexer.advice }
        if state.surface.settings.bell == .off {
            lines.append("Messages do not ring: notify.bell is off (/notify all)")
        }
        if state.surface.isQuiet { lines.append("Quiet hours now: messages neither ring nor notify the desktop") }
        state.note(lines, isError: isMute)
        effects.append(.bell)
        tell(SafeText(literal: "this is a test"), state.surface, &effects)
    }

    private static func tell(_ body: SafeText, _ surface: Surface, _ effects: inout [AppEffect]) {
        let title = SafeText(literal: "blipchat")
        switch surface.settings.desktop {
        case .off: break
        case .command:
            guard let words = CommandLine.words(of: surface.settings.notifyCommand), !words.isEmpty else {
                return
            }
            // A name that begins with a dash is no option of that command.
            effects.append(.spawn(words + [title.text, body.text.hasPrefix("-") ? " " + body.text : body.text]))
        case .auto, .osc9, .osc777, .osc99:
            effects.append(.terminal(.notify(title: title, body: body, surface.settings.desktop)))
        }
    }

    /// Whether the newest messages of a chat are before the user's eyes.
    private static func isLooking(at contact: ContactID, _ state: AppState) -> Bool {
        contact == state.place.openID && state.surface.isSomebodyThere && state.place.overlay == nil
            && (state.openChat?.window.isAtBottom ?? false)
    }

    private static func passes(_ level: ScreenSettings.Bell, _ isMention: Bool) -> Bool {
        switch level {
        case .off: false
        case .mention: isMention
        case .all: true
        }
    }
}
