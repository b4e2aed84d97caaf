// From the words of a command line to a command, its options and operands.

/// Finds the command first (options may precede it), then checks every word against it.
package struct ArgumentParser<Name: CommandWords>: Sendable {
    /// The word that the user types to start the program.
    package let program: String
    package let commands: [CommandSpecification<Name>]
    /// Understood by every command.
    package let globalOptions: [OptionSpecification]
    /// Carries out `--help`, with the words of the command that it is about as operands.
    package let help: Name
    /// Options that run a command of their own, after any command: `--version` runs `version`.
    package var commandOptions: [String: Name] = [:]
    /// The command that a first word means when no second one follows.
    package var defaultsOfGroups: [String: Name] = [:]
    /// The reason to give for a first word that is no command.
    package var unknownCommandReason = "no such command"
    /// The advice to give with it where no command is near.
    package var unknownCommandAdvice: String?
    /// The candidate that the user probably meant by a word, if one is near.
    package var nearest: @Sendable (_ word: String, _ candidates: [String]) -> String? = { _, _ in nil }

    package init(
        program: String, commands: [CommandSpecification<Name>], globalOptions: [OptionSpecification], help: Name
    ) {
        self.program = program
        self.commands = commands
        self.globalOptions = globalOptions
        self.help = help
    }

    /// `words` without the program's name.
    package func parse(_ words: [String]) throws(UsageError) -> ParsedArguments<Name> {
        let isHelp = words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" })
        guard let command = try findCommand(words) else {
            guard isHelp else { throw UsageError("COMMAND", "missing") }
            return ParsedArguments(command: help)
        }
        if isHelp {
            // `contacts --help` is about all of them.
            let words = command.specification.name.words.prefix(command.wordCount).map(String.init)
            return ParsedArguments(command: help, operands: words)
        }
        return try check(words, against: command)
    }

    // MARK: Finding the command

    private struct FoundCommand {
        var specification: CommandSpecification<Name>
        /// How many words of `words` name it, to be stepped over.
        var wordCount: Int
    }

    /// `nil` without any word, where the program does nothing without a command.
    private func findCommand(_ words: [String]) throws(UsageError) -> FoundCommand? {
        let typed = leadingOperands(words, limit: 2)
        guard let first = typed.first else { return withoutCommand }
        let inGroup = commands.filter { $0.name.words.first.map(String.init) == first }
        guard !inGroup.isEmpty else {
            // Not a command: an operand of what the program does without one.
            guard let withoutCommand else { throw unknownCommand(first) }
            return withoutCommand
        }
        if inGroup.count == 1, let only = inGroup.first, only.name.words.count == 1 {
            return FoundCommand(specification: only, wordCount: 1)
        }
        guard typed.count > 1 else {
            guard let name = defaultsOfGroups[first], let usual = inGroup.first(where: { $0.name == name }) else {
                throw unknownCommand(first)
            }
            return FoundCommand(specification: usual, wordCount: 1)
        }
        let second = typed[1]
        if let member = inGroup.first(where: { $0.name.words.last.map(String.init) == second }) {
            return FoundCommand(specification: member, wordCount: 2)
        }
        let names = inGroup.compactMap { $0.name.words.last.map(String.init) }
        let nearest = nearest(second, names).map { "did you mean \(first) \($0)?" }
        throw UsageError(
            "\(first) \(second)", "no such command", advice: nearest ?? "one of: " + names.joined(separator: ", "))
    }

    /// The command that runs when the user names none, if there is one.
    private var withoutCommand: FoundCommand? {
        commands.first { $0.name.words.isEmpty }.map { FoundCommand(specification: $0, wordCount: 0) }
    }

    /// The first words that are neither options nor values of options.
    private func leadingOperands(_ words: [String], limit: Int) -> [String] {
        let allOptions = globalOptions + commands.flatMap(\.options)
        var operands: [String] = []
        var skipsNext = false
        var optionsEnded = false
        for word in words where operands.count < limit {
            if skipsNext {
                skipsNext = false
            } else if optionsEnded || !isOption(word) {
                operands.append(word)
            } else if word == "--" {
                optionsEnded = true
            } else {
                skipsNext = allOptions.contains { $0.value != nil && ($0.name == word || $0.shortForm == word) }
            }
        }
        return operands
    }

    // MARK: Checking words

    private func check(
        _ words: [String], against found: FoundCommand
    ) throws(UsageError) -> ParsedArguments<Name> {
        let specification = found.specification
        let options = specification.options + globalOptions
        var result = ParsedArguments(command: specification.name)
        var wordsOfCommand = found.wordCount
        var optionsEnded = false
        var index = 0
        while index < words.count {
            let word = words[index]
            index += 1
            if !optionsEnded, word == "--" {
                optionsEnded = true
            } else if optionsEnded || !isOption(word) {
                if wordsOfCommand > 0 { wordsOfCommand -= 1 } else { result.operands.append(word) }
            } else {
                let (option, attached) = try resolve(word, among: options, of: specification)
                guard option.value != nil else {
                    if attached != nil {
                        throw UsageError(option.name, "takes no value", advice: "leave out the = and the rest")
                    }
                    result.options[option.name] = ""
                    continue
                }
                if let attached {
                    result.options[option.name] = attached
                } else if index < words.count {
                    result.options[option.name] = words[index]
                    index += 1
                } else {
                    throw UsageError(option.name, "needs a value", advice: option.usage)
                }
            }
        }
        for (option, command) in commandOptions where result.has(option) {
            return ParsedArguments(command: command, options: result.options)
        }
        for option in options where option.isRequired && !result.has(option.name) {
            throw UsageError(
                option.name, "missing" + (option.value.map { ", \($0) is needed" } ?? ""),
                advice: use(of: specification))
        }
        try checkCount(result.operands, specification)
        try checkChoices(result, options)
        return result
    }

    private func checkChoices(
        _ arguments: ParsedArguments<Name>, _ options: [OptionSpecification]
    ) throws(UsageError) {
        for option in options where !option.choices.isEmpty {
            guard let value = arguments.text(option.name), !option.choices.contains(value) else { continue }
            let nearest = option.choices.count > 1 ? nearest(value, option.choices) : nil
            throw .badValue(
                option.name, value,
                option.choices.joined(separator: ", ") + (nearest.map { ", perhaps \($0)" } ?? ""))
        }
    }

    private func checkCount(
        _ operands: [String], _ specification: CommandSpecification<Name>
    ) throws(UsageError) {
        if operands.count < specification.operandCount.lowerBound {
            throw UsageError(title(of: specification), "an argument is missing", advice: use(of: specification))
        }
        if operands.count > specification.operandCount.upperBound {
            // A mistyped command is followed by its arguments.
            if specification.name.words.isEmpty, let word = operands.first, nearestCommand(to: word) != nil {
                throw unknownCommand(word)
            }
            throw UsageError(
                operands[specification.operandCount.upperBound], "unexpected argument",
                advice: use(of: specification))
        }
    }

    /// An option and the value that is attached to it (`--name=value`, `-n5`).
    private func resolve(
        _ word: String, among options: [OptionSpecification], of specification: CommandSpecification<Name>
    ) throws(UsageError) -> (OptionSpecification, String?) {
        if word.utf8.starts(with: "--".utf8) {
            // By scalars: a value may begin with a combining mark, which would be one Character with the `=`.
            let parts = word.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(String.UnicodeScalarView($0)) }
            let name = parts.first ?? word
            if let option = options.first(where: { $0.name == name }) {
                return (option, parts.count > 1 ? parts[1] : nil)
            }
            throw unknownOption(name, among: options, of: specification)
        }
        if let option = options.first(where: { $0.shortForm == word }) { return (option, nil) }
        let short = String(word.prefix(2))
        if let option = options.first(where: { $0.shortForm == short && $0.value != nil }) {
            return (option, String(word.dropFirst(2)))
        }
        throw unknownOption(word, among: options, of: specification)
    }

    /// `-` alone is an operand: standard input.
    private func isOption(_ word: String) -> Bool {
        word.utf8.first == UInt8(ascii: "-") && word.utf8.count > 1
    }

    // MARK: Sentences

    private func unknownOption(
        _ name: String, among options: [OptionSpecification], of specification: CommandSpecification<Name>
    ) -> UsageError {
        let nearest = nearest(name, options.map(\.name)).map { "did you mean \($0)?" }
        let behindDashes = specification.operandCount.upperBound > 0 ? ", or put -- before words that begin with -" : ""
        return UsageError(
            name, "unknown option", advice: nearest ?? "see \(title(of: specification)) --help\(behindDashes)")
    }

    /// For a first word that is no command, and nothing else either.
    package func unknownCommand(_ word: String) -> UsageError {
        let nearest = nearestCommand(to: word).map { "did you mean \($0)?" }
        return UsageError(word, unknownCommandReason, advice: nearest ?? unknownCommandAdvice)
    }

    private func nearestCommand(to word: String) -> String? {
        nearest(word, Name.allCases.compactMap { $0.words.first.map(String.init) })
    }

    /// `blipchat contacts add`.
    private func title(of specification: CommandSpecification<Name>) -> String {
        ([program] + specification.name.words.map(String.init)).joined(separator: " ")
    }

    private func use(of specification: CommandSpecification<Name>) -> String {
        "usage: \(program) \(specification.usage)"
    }
}
