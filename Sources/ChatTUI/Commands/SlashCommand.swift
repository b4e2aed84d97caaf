// What a slash command is: its names, its arguments and what it does, as one value of the table in SlashCommands.

import ChatWords

/// The commands of this version. The groups in Slash carry them out.
enum SlashVerb: Sendable, Hashable {
    case help, message, query, search, goTo, clear, retry
    case me, reply, edit, delete, react, forward
    case history, unread, unreads, readMark, pin, pins, links, open, info, log
    case send, accept, decline, pause, resume, cancel, limit, transfers
    case add, requests, approve, reject, verify, fingerprint, block, unblock, blocked, rename, remove, removeAddress,
        contacts,
        whois, myID
    case join, leave
    case invite, nearby, routes, reach
    case nick, away, back, mute, autoAccept, qr
    case connect, disconnect, reconnect, status, stats, ping
    case export, importHistory, backup, doctor
    case set, unset, reload, theme, notify
    case plain, slashGuard, editor, bind, unbind, alias
    case redraw, version, close, quit

    /// Without an argument it ends or deletes something at once, which cannot be had again.
    var isFinal: Bool {
        switch self {
        case .delete, .decline, .cancel, .reject: true
        default: false
        }
    }
}

/// A line of the command table.
struct SlashCommand: Sendable {
    /// The kind of an argument, for completion.
    enum Argument: Sendable {
        case contact, path, transfer, request, command, setting, word
        /// A value of the setting in front; the name of a theme.
        case settingValue, theme
        /// An action for /bind to put on a key; its key; a name that means a line.
        case action, key, alias
        /// One of the words that people say to each other.
        case spoken
        /// One of these words, or another one.
        case oneOf([String])
        /// The rest of the line as it is.
        case text
    }

    enum Group: String, Sendable, CaseIterable {
        case talk = "Talk"
        case look = "Look"
        case files = "Files"
        case people = "People"
        case net = "Net"
        case program = "Program"
    }

    var verb: SlashVerb
    /// The group that carries it out.
    var topic: any SlashCommandGroup.Type
    /// Without the slash.
    var name: String
    var aliases: [String]
    /// The last one may be given again and again.
    var arguments: [Argument]
    /// The arguments as people read them: `WHO TEXT`.
    var usage: String
    var summary: String
    var group: Group
    /// It does nothing without an argument.
    var needsArgument: Bool

    var names: [String] { [name] + aliases }

    /// `/msg WHO TEXT`
    var line: String { usage.isEmpty ? "/" + name : "/\(name) \(usage)" }

    /// The kind of argument number `index` of a line; `nil` after the last, unless that may come again.
    func argument(at index: Int, in line: String) -> Argument? {
        // The number of /forward [N] WHO may be left out.
        let words = line.split(maxSplits: 2, whereSeparator: \.isWhitespace)
        let hasNumber = verb == .forward && words.count > 1 && words[1].allSatisfy { $0.isNumber || $0 == "#" }
        let index = hasNumber ? index - 1 : index
        guard index >= arguments.count, let last = arguments.last else {
            return index < 0 ? nil : arguments.indices.contains(index) ? arguments[index] : nil
        }
        return switch last {
        case .path, .text, .word: last
        default: nil
        }
    }
}
