// Slash commands about writing and keys: /plain, /editor, /bind, /unbind, /alias.

import ChatCore
import ChatWords

extension AppState {
    mutating func runWriting(
        _ verb: SlashVerb, _ arguments: String, _ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]
    ) {
        switch verb {
        case .plain: send(ActionText.literal(arguments), from: runsBoundLine ? .key : .command, &effects)
        case .editor:
            if !arguments.isEmpty { input.replace(with: arguments) }
            openEditor(&effects)
        case .bind: bind(&scanner, &effects)
        case .unbind: unbind(scanner.next() ?? "", &effects)
        default: alias(&scanner, &effects)
        }
    }

    // MARK: Keys

    /// `/bind`, `/bind KEY`, `/bind KEY ACTION`; a sequence of keys is quoted: `/bind "Ctrl-x q" quit`.
    private mutating func bind(_ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        guard let key = scanner.next() else {
            return show(.reader(ReaderPane(.keys)))
        }
        guard let action = scanner.remainder() else {
            show(key)
            return
        }
        change(key, to: action, &effects)
    }

    /// Changes what a key does, here at once and in [keys] of config.toml.
    private mutating func change(_ key: String, to action: String, _ effects: inout [AppEffect]) {
        do throws(KeyOverrideError) {
            let change = try KeyOverride(key: key, action: action)
            var keys = settings.keys
            keys[change.name] = action
            let then = Keymap(overrides: keys, enter: settings.enter)
            guard keepsNeeded(then, without: change.name) else { return }
            let problems = then.problems(of: keys, aliases: settings.aliases)
            if let problem = problems.first(where: { $0.key == change.name }) { throw problem.error }
            let lost = keymap.lines(behind: change.keys).filter { !then.lines(of: $0.keys).contains($0) }
            settings.keys = keys
            let words = action.isEmpty ? "\"\"" : action
            effects.append(.run(.settings(.set(key: "keys.\(change.name)", words: words))))
            unkeptKeys.insert("keys.\(change.name)")
            guard !action.isEmpty else { return say("\(change.name) does nothing now") }
            if !lost.isEmpty { note(lost.map { "No longer on any key: \($0.words)" }) }
            if change.keys.isSeldomSent { note("Few terminals can send \(change.keys.name)") }
            say("\(change.name): \(change.action?.name ?? "")")
        } catch {
            note(error.words, isError: true)
        }
    }

    /// Whether a key sends, and one leads back, when the keys are so: without one this could not be taken back here. Says
    /// so when not.
    private mutating func keepsNeeded(_ then: Keymap, without name: String) -> Bool {
        let lost = [AppCommand.send, .back].first { !then.canDo($0) && keymap.canDo($0) }
        guard let lost else { return true }
        note(KeyOverrideError.needed(name, for: lost).words, isError: true)
        return false
    }

    /// A key of the table is taken away from it; one that only our user has bound leaves no trace.
    private mutating func unbind(_ key: String, _ effects: inout [AppEffect]) {
        guard let removal = try? KeyOverride(key: key, action: "") else { return change(key, to: "", &effects) }
        var others = settings.keys
        let isOurs = others.removeValue(forKey: removal.name) != nil
        let table = Keymap(overrides: others, enter: settings.enter)
        guard !table.lines(of: removal.keys).contains(where: { removal.cleared.contains($0.context) }) else {
            return change(key, to: "", &effects)
        }
        guard keepsNeeded(table, without: removal.name) else { return }
        settings.keys = others
        if isOurs {
            unkeptKeys.insert("keys.\(removal.name)")
            effects.append(.run(.settings(.unset(key: "keys.\(removal.name)"))))
        }
        say(isOurs ? "\(removal.name) does nothing now" : "\(removal.name) did nothing")
    }

    /// What a key does, in each context that knows it.
    private mutating func show(_ name: String) {
        guard let keys = KeySequence(named: name) else {
            note(KeyOverrideError.notAKey(name).words, isError: true)
            return
        }
        let longer = keymap.lines(behind: keys)
        let lines = keymap.lines(of: keys).map(\.words) + longer.map { "starts \($0.words)" }
        if lines.isEmpty {
            note("\(keys.name) does nothing (/bind \(ArgumentScanner.quoted(keys.name)) ACTION)")
        } else {
            note(lines)
        }
    }

    // MARK: Aliases

    /// `/alias`, `/alias NAME`, `/alias NAME LINE`; an alias to `-` is forgotten.
    private mutating func alias(_ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        guard let word = scanner.next() else {
            let lines = settings.aliases.sorted { $0.key < $1.key }.map { "/\($0.key)  \($0.value)" }
            note(
                lines.isEmpty
                    ? ["No aliases: /alias NAME LINE makes one ($1 … $9, $* are its arguments)"]
                    : lines + ["/alias NAME - removes one"])
            return
        }
        let name = (word.hasPrefix("/") ? String(word.dropFirst()) : word).lowercased()
        guard let line = scanner.remainder() else {
            let shown = SafeText(name, as: .name).text
            note(
                settings.aliases[name].map { "/\(shown)  \($0) (/alias \(shown) - removes it)" }
                    ?? "There is no alias /\(shown)")
            return
        }
        if line == "-" {
            let known = settings.aliases.removeValue(forKey: name) != nil
            if known {
                unkeptKeys.insert("alias.\(name)")
                effects.append(.run(.settings(.unset(key: "alias.\(name)"))))
            }
            say(known ? "Removed /\(name)" : "There is no alias /\(SafeText(name, as: .name).text)")
        } else if line == "\"\"" {
            note("An alias needs a line to run (/alias \(SafeText(name, as: .name).text) - removes one)", isError: true)
        } else if let problem = SlashAlias.problem(name: name, line: line) {
            note(problem, isError: true)
        } else {
            settings.aliases[name] = line
            unkeptKeys.insert("alias.\(name)")
            effects.append(.run(.settings(.set(key: "alias.\(name)", words: line))))
            say("/\(name): \(line)")
        }
    }
}
