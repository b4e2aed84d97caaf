// One line of [keys], or one /bind: which key is to do something else, and where.

import ChatWords

/// A key that the user bound or unbound.
struct KeyOverride: Sendable, Equatable {
    /// Where it counts; `nil` when it is unbound in the input and everywhere.
    var context: KeyContext?
    var keys: KeySequence
    /// `nil` unbinds.
    var action: KeyAction?

    /// Reads `Alt-j` or `browse:x` and the name of an action, a line that begins with `/`, or nothing to unbind.
    /// Without a context the key is bound where the action has its place in the key table.
    init(key: String, action: String) throws(KeyOverrideError) {
        let (context, name) = Self.split(key)
        guard let keys = KeySequence(named: name) else { throw .notAKey(name) }
        if !action.isEmpty, let sent = keys.sentInstead { throw .neverSent(keys.name, instead: sent) }
        self.keys = keys
        if action.isEmpty {
            self.context = context
        } else if action.hasPrefix("/") {
            self.context = context ?? .anywhere
            self.action = .line(action)
        } else {
            guard let command = AppCommand(named: action) else {
                let suggestion = NearestName.to(
                    action, among: AppCommand.allCases.map(\.name), tolerance: .generous)
                throw .unknownAction(action, suggestion: suggestion)
            }
            self.context = context ?? KeyBindings.home(of: command)
            self.action = .command(command)
        }
        if self.action != nil, let context = self.context, context.takesText, keys.typesText {
            throw .typesText(keys.name)
        }
    }

    /// The key as [keys] writes it: with its context where that is not one of the input's.
    var name: String {
        guard let context, !KeyContext.main.chain.contains(context) else { return keys.name }
        return "\(context.rawValue):\(keys.name)"
    }

    /// The contexts in which the key loses what it did before: all of the input's unless one was named.
    var cleared: [KeyContext] {
        guard let context, !KeyContext.main.chain.contains(context) else { return KeyContext.main.chain }
        return [context]
    }

    /// `browse:x` is a context and a key; `:` alone is a key.
    private static func split(_ key: String) -> (KeyContext?, String) {
        if let colon = key.firstIndex(of: ":"), let context = KeyContext(rawValue: key[..<colon].lowercased()) {
            return (context, String(key[key.index(after: colon)...]))
        }
        return (nil, key)
    }
}

/// Why a line of [keys] means nothing.
enum KeyOverrideError: Error, Sendable, Equatable {
    case notAKey(String)
    case unknownAction(String, suggestion: String?)
    /// The key is needed for typing.
    case typesText(String)
    /// Terminals send another key for it.
    case neverSent(String, instead: String)
    /// The keys that it begins with do something on their own.
    case neverHeard(String, because: String, does: String)
    /// It is the beginning of other keys that were bound by the user.
    case begins(String)
    /// Without it there is no key for something that cannot be done without.
    case needed(String, for: AppCommand)
    /// The line names a command that there is not.
    case unknownCommand(String, suggestion: String?)

    /// In words, for people; what came from outside is filtered.
    var words: String {
        switch self {
        case .notAKey(let name): "\(SafeText(name, as: .name).text) is not a key (Alt-a, Ctrl-Left, F5, browse:x)"
        case .unknownAction(let name, let suggestion):
            "there is no action \(SafeText(name, as: .name).text)" + (suggestion.map { ", did you mean \($0)?" } ?? "")
        case .typesText(let name): "\(name) types text there; use it with Alt or Ctrl"
        case .neverSent(let name, let sent): "terminals send \(sent) for \(name): bind \(sent)"
        case .neverHeard(let name, let first, let does):
            "\(name) would never work: \(first) alone is \(does) (unbind \(first) first)"
        case .begins(let name): "\(name) would wait for longer keys that begin with it (/bind lists them)"
        case .unknownCommand(let name, let suggestion):
            "there is no command /\(SafeText(name, as: .name).text)"
                + (suggestion.map { ", did you mean /\($0)?" } ?? "")
        case .needed(let name, let command):
            "\(name) is the only key that \(command == .send ? "sends" : "goes back from lists"): "
                + "bind another to \(command.name) first"
        }
    }
}

/// The checks of [keys] and [alias] for the configuration.
package enum KeySettings {
    /// The name of a key of [keys] as we write it, however it is spelled; `nil` for what is no key.
    package static func name(of key: String) -> String? { (try? KeyOverride(key: key, action: ""))?.name }

    /// The error in a line of [alias], in words; `nil` when it is right. The name has no slash.
    package static func problem(alias name: String, line: String) -> String? {
        SlashAlias.problem(name: name, line: line)
    }

    /// The errors of all keys together: each with its key of [keys], in words. Each key is right by itself.
    package static func problems(in settings: ScreenSettings) -> [(key: String, words: String)] {
        // Most people change no key, and the chat starts without another map of all of them.
        guard !settings.keys.isEmpty else { return [] }
        let keymap = Keymap(overrides: settings.keys, enter: settings.enter)
        return keymap.problems(of: settings.keys, aliases: settings.aliases).map { ($0.key, $0.error.words) }
    }

    /// The error in a line of [keys], in words; `nil` when it is right. An empty action unbinds the key.
    package static func problem(key: String, action: String) -> String? {
        do {
            _ = try KeyOverride(key: key, action: action)
            return nil
        } catch {
            return error.words
        }
    }
}
