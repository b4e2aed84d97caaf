// Slash commands about writing and keys: /plain, /editor, /bind, /unbind, /alias.

import ChatCore
import ChatWords

/// Commands about writing and keys.
enum WritingCommands: SlashCommandGroup {
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect]) {
        var scanner = call.scanner
        switch call.verb {
        case .plain:
            Entering.send(
                ActionText.literal(call.arguments), from: state.composer.running == .bound ? .key : .command, &state,
                &effects)
        case .editor:
            if !call.arguments.isEmpty { state.composer.input.replace(with: call.arguments) }
            Editing.openEditor(&state, &effects)
        case .bind: bind(&scanner, &state, &effects)
        case .unbind: unbind(scanner.next() ?? "", &state, &effects)
        case .alias: alias(&scanner, &state, &effects)
        // The table sends no other command here.
        default: break
        }
    }

    // MARK: Keys

    /// `/bind`, `/bind KEY`, `/bind KEY ACTION`; a sequence of keys is quoted: `/bind "Ctrl-x q" quit`.
    private static func bind(_ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let key = scanner.next() else {
            return state.show(.reader(ReaderPane(.keys)))
        }
        guard let action = scanner.remainder() else {
            show(key, &state)
            return
        }
        change(key, to: action, &state, &effects)
    }

    /// Changes what a key does, here at once and in [keys] of config.toml.
    private static func change(_ key: String, to action: String, _ state: inout AppState, _ effects: inout [AppEffect])
    {
        do throws(KeyOverrideError) {
            let change = try KeyOverride(key: key, action: action)
            var keys = state.surface.settings.keys
            keys[change.name] = action
            let then = Keymap(overrides: keys, enter: state.surface.settings.enter)
            guard keepsNeeded(then, without: change.name, &state) else { return }
            let problems = then.problems(of: keys, aliases: state.surface.settings.aliases)
            if let problem = problems.first(where: { $0.key == change.name }) { throw problem.error }
            let lost = state.surface.keymap.lines(behind: change.keys).filter { !then.lines(of: $0.keys).contains($0) }
            state.surface.bind(keys, changed: change.name)
            let words = action.isEmpty ? "\"\"" : action
            effects.append(.run(.settings(.set(key: "keys.\(change.name)", words: words))))
            guard !action.isEmpty else { return state.say("\(change.name) does nothing now") }
            if !lost.isEmpty { state.note(lost.map { "No longer on any key: \($0.words)" }) }
            if change.keys.isSeldomSent { state.note("Few terminals can send \(change.keys.name)") }
            state.say("\(change.name): \(change.action?.name ?? "")")
        } catch {
            state.note(error.words, isError: true)
        }
    }

    /// Whether a key sends and one leads back with these keys: without one, the user could not take the change back
    /// here. Says so when not.
    private static func keepsNeeded(_ then: Keymap, without name: String, _ state: inout AppState) -> Bool {
        let lost = [AppCommand.send, .back].first { !then.canDo($0) && state.surface.keymap.canDo($0) }
        guard let lost else { return true }
        state.note(KeyOverrideError.needed(name, for: lost).words, isError: true)
        return false
    }

    /// A key of the table is taken away from it; one that only our user has bound leaves no trace.
    private static func unbind(_ key: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let removal = try? KeyOverride(key: key, action: "") else { return change(key, to: "", &state, &effects) }
        var others = state.surface.settings.keys
        let isOurs = others.removeValue(forKey: removal.name) != nil
        let table = Keymap(overrides: others, enter: state.surface.settings.enter)
        guard !table.lines(of: removal.keys).contains(where: { removal.cleared.contains($0.context) }) else {
            return change(key, to: "", &state, &effects)
        }
        guard keepsNeeded(table, without: removal.name, &state) else { return }
        state.surface.bind(others, changed: isOurs ? removal.name : nil)
        if isOurs {
            effects.append(.run(.settings(.unset(key: "keys.\(removal.name)"))))
        }
        state.say(isOurs ? "\(removal.name) does nothing now" : "\(removal.name) did nothing")
    }

    /// The actions of a key, in each context that knows it.
    private static func show(_ name: String, _ state: inout AppState) {
        guard let keys = KeySequence(named: name) else {
            state.note(KeyOverrideError.notAKey(name).words, isError: true)
            return
        }
        let longer = state.surface.keymap.lines(behind: keys)
        let lines = state.surface.keymap.lines(of: keys).map(\.words) + longer.map { "starts \($0.words)" }
        if lines.isEmpty {
            state.note("\(keys.name) does nothing (/bind \(ArgumentScanner.quoted(keys.name)) ACTION)")
        } else {
            state.note(lines)
        }
    }

    // MARK: Aliases

    /// `/alias`, `/alias NAME`, `/alias NAME LINE`; an alias to `-` is forgotten.
    private static func alias(_ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let word = scanner.next() else {
            let lines = state.surface.settings.aliases.sorted { $0.key < $1.key }.map { "/\($0.key)  \($0.value)" }
            state.note(
                lines.isEmpty
                    ? ["No aliases: /alias NAME LINE makes one ($1 … $9, $* are its arguments)"]
                    : lines + ["/alias NAME - removes one"])
            return
        }
        let name = (word.hasPrefix("/") ? String(word.dropFirst()) : word).lowercased()
        guard let line = scanner.remainder() else {
            let shown = SafeText(name, as: .name).text
            state.note(
                state.surface.settings.aliases[name].map { "/\(shown)  \($0) (/alias \(shown) - removes it)" }
                    ?? "There is no alias /\(shown)")
            return
        }
        if line == "-" {
            let known = state.surface.removeAlias(name)
            if known { effects.append(.run(.settings(.unset(key: "alias.\(name)")))) }
            state.say(known ? "Removed /\(name)" : "There is no alias /\(SafeText(name, as: .name).text)")
        } else if line == "\"\"" {
            state.note(
                "An alias needs a line to run (/alias \(SafeText(name, as: .name).text) - removes one)", isError: true)
        } else if let problem = SlashAlias.problem(name: name, line: line) {
            state.note(problem, isError: true)
        } else {
            state.surface.setAlias(name, to: line)
            effects.append(.run(.settings(.set(key: "alias.\(name)", words: line))))
            state.say("/\(name): \(line)")
        }
    }
}
