// The table of slash commands: parsing, completion, /help, the help overlay, the palette and what runs them are made
// from it.

import ChatWords

/// All slash commands of PRODUCT.
enum SlashCommands {
    /// Those that work in this version, in the order in which help shows them.
    static let available: [SlashCommand] = [
        make(
            .help, GeneralCommands.self, "help", [], [.command], "[COMMAND]", "all keys and commands, or one of them",
            .program),
        make(
            .message, TalkCommands.self, "msg", [], [.contact, .text], "WHO TEXT", "send a message to somebody", .talk,
            needed: true),
        make(.query, TalkCommands.self, "query", ["chat"], [.contact], "WHO", "open a chat", .talk, needed: true),
        make(.me, TalkCommands.self, "me", [], [.text], "TEXT", "say what you do: * Jo waves", .talk, needed: true),
        make(
            .reply, ReadingCommands.self, "reply", [], [.text], "[N] TEXT", "reply to the last (or Nth last) message",
            .talk, needed: true),
        make(.retry, ReadingCommands.self, "retry", [], [.word], "[N]", "send the last failed message again", .talk),
        make(
            .edit, ReadingCommands.self, "edit", ["correct"], [.text], "[N] TEXT",
            "change your last (or Nth last) text", .talk,
            needed: true),
        make(.delete, ReadingCommands.self, "delete", ["redact"], [.word], "[N]", "take back your last message", .talk),
        make(
            .react, ReadingCommands.self, "react", [], [.word], "[N] [:NAME:]", "react; without a name: take it back",
            .talk),
        make(
            .forward, ReadingCommands.self, "forward", [], [.contact], "[N] WHO", "forward a message to somebody",
            .talk, needed: true),
        make(.search, LookCommands.self, "search", [], [.text], "[WORDS]", "search the whole history", .look),
        make(
            .goTo, LookCommands.self, "goto", ["date"], [.oneOf(["first", "unread", "last"])], "DATE|first|unread|#ID",
            "go to a day or a message", .look, needed: true),
        make(.history, ReadingCommands.self, "history", [], [.word], "[N]", "go back by N messages", .look),
        make(
            .unread, ReadingCommands.self, "unread", [], [.word], "[N]", "unread from their Nth last message on", .look),
        make(.unreads, LookCommands.self, "unreads", [], [.text], "[WORDS]", "chats with unread messages", .look),
        make(
            .readMark, ReadingCommands.self, "read", [], [.oneOf(["all"])], "[all|WHO]",
            "mark this chat (or all) as read", .look),
        make(.pin, ReadingCommands.self, "pin", [], [.word], "[N]", "pin the last message, or unpin it", .look),
        make(.pins, ReadingCommands.self, "pins", [], [.text], "[WORDS]", "pinned messages", .look),
        make(.links, ReadingCommands.self, "links", ["url"], [.text], "[WORDS]", "links in this chat", .look),
        make(.open, ReadingCommands.self, "open", [], [.word], "[N]", "open link N, or the file #8", .look),
        make(.info, ReadingCommands.self, "info", [], [.word], "[N]", "times, ids and texts of a message", .look),
        make(.log, ReadingCommands.self, "log", [], [.text], "[WORDS]", "what the status line said", .look),
        make(
            .plain, WritingCommands.self, "plain", [], [.text], "TEXT", "send the text exactly as it is", .talk,
            needed: true),
        make(
            .slashGuard, LookCommands.self, "slashguard", [], [], "", "what keeps commands from being sent as text",
            .talk),
        make(.editor, WritingCommands.self, "editor", [], [.text], "[TEXT]", "write in $EDITOR", .talk),
        make(.clear, LookCommands.self, "clear", [], [], "", "clear the view (nothing is deleted)", .look),
        make(
            .send, FileCommands.self, "send", ["sendfile", "upload"], [.path], "[PATH…] [-- TEXT]",
            "offer files or folders (none: choose)", .files),
        make(
            .accept, FileCommands.self, "accept", ["savefile", "download"], [.transfer, .path], "[N|all|4-9] [FOLDER]",
            "accept an offer, or several",
            .files),
        make(
            .decline, FileCommands.self, "decline", [], [.transfer, .text], "[N|all|4-9] [REASON]",
            "decline offers, and say why",
            .files),
        make(.pause, FileCommands.self, "pause", [], [.transfer], "[N|all|4-9]", "pause transfers", .files),
        make(.resume, FileCommands.self, "resume", [], [.transfer], "[N|all|4-9]", "resume paused transfers", .files),
        make(.cancel, FileCommands.self, "cancel", [], [.transfer], "[N|all|4-9]", "cancel transfers for good", .files),
        make(
            .limit, FileCommands.self, "limit", [], [.oneOf(["up", "down"]), .oneOf(["off"])], "[up|down|N RATE|off]",
            "how fast files may move (500k, 2M)",
            .files),
        make(
            .autoAccept, PresenceCommands.self, "autoaccept", [], [.contact, .oneOf(["on", "off", "default"]), .word],
            "WHO [on [MAXSIZE]|off|default]",
            "accept their files without asking", .files, needed: true),
        make(
            .transfers, FileCommands.self, "transfers", [], [.text], "[WORDS]", "all transfers, or those with words",
            .files),
        make(
            .add, PeopleCommands.self, "add", ["sub"], [.word, .text], "ADDRESS [NAME]", "add a contact", .people,
            needed: true),
        make(
            .invite, ReachCommands.self, "invite", [], [.word], "[TIME] [@HOST]",
            "words and a link that let somebody in", .people),
        make(
            .nearby, ReachCommands.self, "nearby", [], [.oneOf(["show"]), .word], "[show [TIME]]",
            "who is in this network; be seen by name", .people),
        make(
            .routes, ReachCommands.self, "routes", [], [.contact, .oneOf(["add", "remove"]), .word],
            "[WHO [add ROUTE|remove N]]", "how somebody is reached", .net),
        make(
            .reach, ReachCommands.self, "reach", [], [.oneOf(["test", "renew"])], "[test|renew]",
            "how you are reached; new mailboxes", .net),
        make(
            .join, RoomCommands.self, "join", [], [.spoken, .spoken, .spoken, .spoken, .text],
            "WORDS|LINK|ADDRESS [NAME]",
            "use an invitation, or join a room", .people, needed: true),
        make(
            .leave, RoomCommands.self, "leave", ["part"], [.contact], "[ROOM]", "leave a room; its history stays",
            .people),
        make(.requests, PeopleCommands.self, "requests", [], [], "", "who wants to talk to you", .people),
        make(
            .approve, PeopleCommands.self, "approve", [], [.request, .text], "[N|all] [NAME]",
            "accept contact requests", .people),
        make(.reject, PeopleCommands.self, "reject", [], [.request], "[N|all]", "refuse contact requests", .people),
        make(
            .verify, PeopleCommands.self, "verify", [], [.contact], "[WHO]", "compare numbers, remember the key",
            .people),
        make(
            .fingerprint, PeopleCommands.self, "fingerprint", [], [.contact], "[WHO]", "show the number to compare",
            .people),
        make(
            .block, PeopleCommands.self, "block", [], [.contact], "WHO", "hang up and refuse their calls", .people,
            needed: true),
        make(.unblock, PeopleCommands.self, "unblock", [], [.contact], "[WHO]", "let them call again", .people),
        make(.blocked, PeopleCommands.self, "blocked", [], [.text], "[WORDS]", "list those you have blocked", .people),
        make(
            .rename, PeopleCommands.self, "rename", [], [.contact, .text], "WHO NAME", "call them by another name",
            .people, needed: true),
        make(
            .remove, PeopleCommands.self, "remove", [], [.contact], "WHO", "delete a contact and its history", .people,
            needed: true),
        make(
            .removeAddress, PeopleCommands.self, "removeaddress", [], [.contact, .word], "WHO ADDR",
            "forget an address of theirs",
            .people,
            needed: true),
        make(.contacts, PeopleCommands.self, "contacts", ["roster"], [.text], "[WORDS]", "list the contacts", .people),
        make(
            .whois, PeopleCommands.self, "whois", [], [.contact], "[WHO]", "address, key and link of somebody", .people),
        make(
            .mute, PresenceCommands.self, "mute", [], [.contact, .oneOf(["30m", "2h", "1d", "off"])], "WHO [TIME|off]",
            "no bell for them (30m, 2h, 1d)", .people,
            needed: true),
        make(.myID, PeopleCommands.self, "myid", ["id"], [], "", "your own address, to give to others", .people),
        make(.qr, ProgramCommands.self, "qr", ["myqr"], [], "", "your address as a QR code", .people),
        make(.nick, PresenceCommands.self, "nick", [], [.text], "NAME", "change your own name", .people, needed: true),
        make(.away, PresenceCommands.self, "away", [], [.text], "[TEXT]", "tell contacts that you are away", .people),
        make(.back, PresenceCommands.self, "back", [], [], "", "tell contacts that you are back", .people),
        make(.connect, PresenceCommands.self, "connect", [], [.contact], "[WHO]", "call now", .net),
        make(
            .disconnect, PresenceCommands.self, "disconnect", [], [.contact], "[WHO]",
            "end the link; /connect calls again", .net),
        make(.reconnect, PresenceCommands.self, "reconnect", [], [.contact], "[WHO]", "call everybody now", .net),
        make(.status, LookCommands.self, "status", [], [], "", "links, queue and transfers", .net),
        make(
            .stats, PresenceCommands.self, "stats", [], [.contact], "[WHO]", "frames, queues, round trip of a link",
            .net),
        make(.ping, PresenceCommands.self, "ping", [], [.contact], "[WHO]", "how long they take to answer", .net),
        make(
            .set, SettingsCommands.self, "set", [], [.setting, .settingValue], "[KEY [VALUE]]",
            "show or change a setting",
            .program),
        make(.unset, SettingsCommands.self, "unset", [], [.setting], "KEY", "undo a setting", .program, needed: true),
        make(.reload, SettingsCommands.self, "reload", [], [], "", "read config.toml again", .program),
        make(.theme, SettingsCommands.self, "theme", [], [.theme], "[NAME]", "show or change the colours", .program),
        make(
            .notify, SettingsCommands.self, "notify", [], [.oneOf(notifyWords), .contact], "[off|mention|all [WHO]|…]",
            "what rings and notifies you",
            .program),
        make(
            .bind, WritingCommands.self, "bind", ["key"], [.key, .action], "[KEY [ACTION]]",
            "show the keys, or bind one", .program),
        make(
            .unbind, WritingCommands.self, "unbind", [], [.key], "KEY", "make a key do nothing", .program, needed: true),
        make(
            .alias, WritingCommands.self, "alias", [], [.alias, .text], "[NAME [LINE]]",
            "show the aliases, or make one", .program),
        make(.redraw, GeneralCommands.self, "redraw", [], [], "", "redraw the screen", .program),
        make(
            .export, ProgramCommands.self, "export", [], [.path, .path], "[WHO] PATH",
            "history as .txt, .json or .html",
            .program, needed: true),
        make(
            .importHistory, ProgramCommands.self, "import", [], [.path], "PATH", "read back an exported .json file",
            .program, needed: true),
        make(
            .backup, ProgramCommands.self, "backup", [], [.path], "PATH", "copy the whole history to a file", .program,
            needed: true),
        make(.doctor, ProgramCommands.self, "doctor", [], [], "", "check this installation", .program),
        make(.version, GeneralCommands.self, "version", [], [], "", "which blipchat this is", .program),
        make(.close, GeneralCommands.self, "close", [], [], "", "leave this chat", .program),
        make(.quit, GeneralCommands.self, "quit", ["exit", "q"], [], "", "leave blipchat; the queue stays", .program),
    ]

    /// Names of PRODUCT that this version knows but cannot do yet, with their aliases.
    static let planned: Set<String> = [
        "create", "kick", "topic", "members",
    ]

    private static let notifyWords = [
        "off", "mention", "all", "default", "desktop", "text", "quiet", "command", "test",
    ]

    private static let byName: [String: SlashCommand] = {
        var table: [String: SlashCommand] = [:]
        for command in available {
            for name in command.names { table[name] = command }
        }
        return table
    }()

    /// Those that are offered: what this machine cannot do is carried out, and says why, but nobody is led to it.
    static var offered: [SlashCommand] { available.filter { $0.verb != .qr || QRLibrary.shared != nil } }

    /// The command with this name or alias, without regard to case.
    static func named(_ name: String) -> SlashCommand? { byName[name.lowercased()] }

    /// Names and aliases that begin with `prefix`, available ones only, sorted.
    static func completions(of prefix: String) -> [String] {
        offered.flatMap(\.names).filter { $0.hasPrefix(prefix.lowercased()) }.sorted()
    }

    /// The available command that a mistyped name probably means.
    static func suggestion(for name: String, aliases: [String] = []) -> String? {
        NearestName.to(name, among: available.flatMap(\.names) + aliases, tolerance: .generous)
    }

    private static func make(
        _ verb: SlashVerb, _ topic: any SlashCommandGroup.Type, _ name: String, _ aliases: [String],
        _ arguments: [SlashCommand.Argument], _ usage: String,
        _ summary: String, _ group: SlashCommand.Group, needed: Bool = false
    ) -> SlashCommand {
        SlashCommand(
            verb: verb, topic: topic, name: name, aliases: aliases, arguments: arguments, usage: usage,
            summary: summary,
            group: group, needsArgument: needed)
    }
}
