// The keys as they are bound now: the table of KeyBindings with the user's changes. Asked for every key press.

import ChatWords

/// From keys and the place where they are pressed to what they do.
struct Keymap: Sendable, Equatable {
    /// The meaning of the keys that were pressed so far, as far as it is known.
    enum Resolution: Sendable, Equatable {
        /// They do this; it is in the table of that context.
        case action(KeyAction, KeyContext)
        /// More keys are to follow.
        case prefix
        case nothing
    }

    static let standard = Keymap()

    /// The table with the keys as they are now; a binding that lost all its keys is still in it.
    private(set) var bindings = KeyBindings.all
    /// The table before the user's keys.
    private var table: [KeyBinding] = []
    private var actions: [KeyContext: [KeySequence: KeyAction]] = [:]
    private var prefixes: [KeyContext: Set<KeySequence>] = [:]

    /// The table changed by `overrides`, as ScreenSettings.keys has them; with `enter` as a newline, Enter and the keys
    /// of the newline change places. Overrides that mean nothing change nothing: the configuration and /bind have
    /// refused them.
    init(overrides: [String: String] = [:], enter: ScreenSettings.Enter = .send) {
        if enter == .newline { swapEnter() }
        table = bindings
        let changes = overrides.sorted { $0.key < $1.key }
            .compactMap { try? KeyOverride(key: $0.key, action: $0.value) }
        for change in changes { apply(change) }
        for binding in bindings {
            for name in binding.keys {
                if let keys = KeySequence(named: name) { add(keys, .command(binding.command), binding.context) }
            }
        }
        for change in changes {
            if let context = change.context, let action = change.action { add(change.keys, action, context) }
        }
    }

    /// The errors in the user's keys as a whole; each key is right by itself.
    func problems(
        of overrides: [String: String], aliases: [String: String]
    ) -> [(key: String, error: KeyOverrideError)] {
        overrides.sorted { $0.key < $1.key }.compactMap { name, action in
            guard let change = try? KeyOverride(key: name, action: action) else { return nil }
            if case .line(let line)? = change.action,
                case .unknown(let word, let near) = SlashLine.parse(line, aliases: aliases)
            {
                return (name, .unknownCommand(word, suggestion: near))
            }
            return (deafness(to: change) ?? loss(by: change)).map { (name, $0) }
        }
    }

    /// Why a bound key would never be heard.
    private func deafness(to change: KeyOverride) -> KeyOverrideError? {
        guard change.action != nil, let context = change.context else { return nil }
        let place = KeyContext.main.chain.contains(context) ? KeyContext.main : context
        let keys = change.keys.keys
        for count in 1..<max(1, keys.count) {
            let beginning = Array(keys.prefix(count))
            if case .action(let action, let owner) = resolve(beginning, in: place) {
                let line = Line(keys: KeySequence(beginning), action: action.name, context: owner)
                return .neverHeard(change.name, because: line.name, does: action.name)
            }
        }
        if case .prefix = resolve(keys, in: place) { return .begins(change.keys.name) }
        return nil
    }

    /// The command that no key can do any more, and that this one could do.
    private func loss(by change: KeyOverride) -> KeyOverrideError? {
        let lost = [AppCommand.send, .back].first { command in
            !canDo(command)
                && table.contains { binding in
                    binding.command == command && change.cleared.contains(binding.context)
                        && binding.keys.contains { KeySequence(named: $0) == change.keys }
                }
        }
        return lost.map { .needed(change.name, for: $0) }
    }

    /// The meaning of `keys`, pressed one after the other, in `context`.
    func resolve(_ keys: [Key], in context: KeyContext) -> Resolution {
        let sequence = KeySequence(keys)
        for context in context.chain {
            if let action = actions[context]?[sequence] { return .action(action, context) }
            if prefixes[context]?.contains(sequence) == true { return .prefix }
        }
        return .nothing
    }

    /// The command of a single key.
    func command(for key: Key, in context: KeyContext) -> AppCommand? {
        if case .action(let action, _) = resolve([key], in: context) { action.command } else { nil }
    }

    /// The bindings that the hint line shows in `context`, in their order; those without keys are left out.
    func hints(in context: KeyContext) -> [KeyBinding] {
        let own =
            context == .main ? KeyContext.main.chain : context.chain.filter { !KeyContext.main.chain.contains($0) }
        return bindings.filter { $0.hint != nil && !$0.keys.isEmpty && own.contains($0.context) }
    }

    /// The first key of a command, as a hint names it; empty when it has none.
    func label(of command: AppCommand) -> String {
        bindings.first { $0.command == command && !$0.keys.isEmpty }?.keys.first ?? ""
    }

    /// A key that every terminal can send does it, and not only in one kind of list.
    func canDo(_ command: AppCommand) -> Bool {
        bindings.contains { binding in
            binding.command == command && KeyContext.main.chain.contains(binding.context)
                && binding.keys.contains { KeySequence(named: $0).map { !$0.isSeldomSent } ?? false }
        }
    }

    /// The action of a key in one context.
    struct Line: Sendable, Equatable {
        var keys: KeySequence
        var action: String
        var context: KeyContext

        /// As /bind takes it: `Alt-t`, `browse:y`.
        var name: String { (KeyContext.main.chain.contains(context) ? "" : context.rawValue + ":") + keys.name }

        /// As /bind writes it: `Alt-t  transfers`, `browse:y  copy`.
        var words: String { "\(name)  \(action)" }
    }

    /// Everything that is bound, for /bind.
    var lines: [Line] {
        KeyContext.allCases.flatMap { context in
            (actions[context] ?? [:]).map { Line(keys: $0.key, action: $0.value.name, context: context) }
                .sorted { ($0.action, $0.keys.name) < ($1.action, $1.keys.name) }
        }
    }

    /// The actions of `keys`, in each context that knows them.
    func lines(of keys: KeySequence) -> [Line] { lines.filter { $0.keys == keys } }

    /// The sequences that begin with `keys` and have more keys after them.
    func lines(behind keys: KeySequence) -> [Line] {
        lines.filter { $0.keys.keys.count > keys.keys.count && $0.keys.keys.starts(with: keys.keys) }
    }

    // MARK: The user's changes

    private mutating func swapEnter() {
        let keys = [AppCommand.send, .newline].map { command in
            bindings.first { $0.command == command && $0.context == .main }?.keys ?? []
        }
        for index in bindings.indices where bindings[index].context == .main {
            if bindings[index].command == .send { bindings[index].keys = keys[1] }
            if bindings[index].command == .newline { bindings[index].keys = keys[0] }
        }
    }

    /// Takes the key from whatever has it, and writes it in front of the keys of its new command.
    private mutating func apply(_ change: KeyOverride) {
        for index in bindings.indices where change.cleared.contains(bindings[index].context) {
            bindings[index].keys.removeAll { name in
                guard let keys = KeySequence(named: name)?.keys else { return false }
                return change.action == nil ? keys == change.keys.keys : keys.starts(with: change.keys.keys)
            }
        }
        guard case .command(let command) = change.action else { return }
        if let index = bindings.firstIndex(where: { $0.command == command && $0.context == change.context }) {
            bindings[index].keys.insert(change.keys.name, at: 0)
        } else if let context = change.context, let known = bindings.first(where: { $0.command == command }) {
            bindings.append(KeyBinding([change.keys.name], command, in: context, known.group, known.title))
        }
    }

    private mutating func add(_ sequence: KeySequence, _ action: KeyAction, _ context: KeyContext) {
        actions[context, default: [:]][sequence] = action
        for count in 1..<max(1, sequence.keys.count) {
            prefixes[context, default: []].insert(KeySequence(Array(sequence.keys.prefix(count))))
        }
    }
}
