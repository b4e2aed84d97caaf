// From the words of the command line to a command, its options and operands, by the table in CommandTable.

/// Finds the command first (options may stand before it), then checks every word against it.
struct ArgumentParser {
    /// `words` without the program's name.
    static func parse(_ words: [String]) throws(CommandError) -> ParsedArguments {
        let command = try findCommand(words)
        if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            // `contacts --help` is about all of them.
            let words = command.name.words.prefix(command.wordCount).map(String.init)
            return ParsedArguments(command: .help, operands: words)
        }
        return try check(words, against: command)
    }

    // MARK: Finding the command

    private struct FoundCommand {
        var name: CommandName
        /// How many words of `words` name it, to be stepped over.
        var wordCount: Int
    }

    private static func findCommand(_ words: [String]) throws(CommandError) -> FoundCommand {
        let typed = leadingOperands(words, limit: 2)
        guard let first = typed.first else { return FoundCommand(name: .screen, wordCount: 0) }
        let inGroup = CommandName.allCases.filter { $0.words.first.map(String.init) == first }
        guard !inGroup.isEmpty else {
            // Not a command: an address or a contact for the screen; which one it is shows when contacts are read.
            return FoundCommand(name: .screen, wordCount: 0)
        }
        if inGroup.count == 1, let only = inGroup.first, only.words.count == 1 {
            return FoundCommand(name: only, wordCount: 1)
        }
        guard typed.count > 1 else {
            guard let name = CommandName.defaultsOfGroups[Substring(first)] else { throw unknownCommand(first) }
            return FoundCommand(name: name, wordCount: 1)
        }
        let second = typed[1]
        if let name = inGroup.first(where: { $0.words.last.map(String.init) == second }) {
            return FoundCommand(name: name, wordCount: 2)
        }
        let names = inGroup.compactMap { $0.words.last.map(String.init) }
        let nearest = NearestName.to(second, among: names).map { "did you mean \(first) \($0)?" }
        throw CommandError(
            .usage, "\(first) \(second)", "no such command",
            advice: nearest ?? "one of: " + names.joined(separator: ", "))
    }

    /// The first words that are neither options nor values of options.
    private static func leadingOperands(_ words: [String], limit: Int) -> [String] {
        let allOptions = OptionSpecification.global + CommandSpecification.table.flatMap(\.options)
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

    private static func check(
        _ words: [String], against found: FoundCommand
    ) throws(CommandError) -> ParsedArguments {
        let specification = CommandSpecification.of(found.name)
        let options = specification.options + OptionSpecification.global
        var result = ParsedArguments(command: found.name)
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
                        throw CommandError(
                            .usage, option.name, "takes no value", advice: "leave out the = and the rest")
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
                    throw CommandError(.usage, option.name, "needs a value", advice: "\(option.usage)")
                }
            }
        }
        if result.has("--version") { return ParsedArguments(command: .version, options: result.options) }
        try checkCount(result.operands, specification)
        try checkChoices(result, options)
        return result
    }

    private static func checkChoices(
        _ arguments: ParsedArguments, _ options: [OptionSpecification]
    ) throws(CommandError) {
        for option in options where !option.choices.isEmpty {
            guard let value = arguments.text(option.name), !option.choices.contains(value) else { continue }
            let nearest = option.choices.count > 1 ? NearestName.to(value, among: option.choices) : nil
            throw .badValue(
                option.name, value,
                option.choices.joined(separator: ", ") + (nearest.map { ", perhaps \($0)" } ?? ""))
        }
    }

    private static func checkCount(_ operands: [String], _ specification: CommandSpecification) throws(CommandError) {
        if operands.count < specification.operandCount.lowerBound {
            throw CommandError(
                .usage, specification.title, "an argument is missing", advice: "usage: \(HelpText.usage(specification))"
            )
        }
        if operands.count > specification.operandCount.upperBound {
            // A mistyped command has its arguments behind it.
            if specification.name == .screen, let word = operands.first, nearestCommand(to: word) != nil {
                throw unknownCommand(word)
            }
            throw CommandError(
                .usage, operands[specification.operandCount.upperBound], "unexpected argument",
                advice: "usage: \(HelpText.usage(specification))")
        }
    }

    /// An option and the value that is attached to it (`--name=value`, `-n5`).
    private static func resolve(
        _ word: String, among options: [OptionSpecification], of specification: CommandSpecification
    ) throws(CommandError) -> (OptionSpecification, String?) {
        if word.utf8.starts(with: "--".utf8) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
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
    private static func isOption(_ word: String) -> Bool {
        word.utf8.first == UInt8(ascii: "-") && word.utf8.count > 1
    }

    // MARK: Sentences

    private static func unknownOption(
        _ name: String, among options: [OptionSpecification], of specification: CommandSpecification
    ) -> CommandError {
        let nearest = NearestName.to(name, among: options.map(\.name)).map { "did you mean \($0)?" }
        let behindDashes = specification.operandCount.upperBound > 0 ? ", or put -- before words that begin with -" : ""
        return CommandError(
            .usage, name, "unknown option", advice: nearest ?? "see \(specification.title) --help\(behindDashes)")
    }

    /// For a first word that is neither a command nor, as it turned out, a contact.
    static func unknownCommand(_ word: String) -> CommandError {
        let nearest = nearestCommand(to: word).map { "did you mean \($0)?" }
        return CommandError(
            .usage, word, "no such command or contact", advice: nearest ?? "see blipchat help and blipchat contacts")
    }

    private static func nearestCommand(to word: String) -> String? {
        NearestName.to(word, among: CommandName.allCases.compactMap { $0.words.first.map(String.init) })
    }
}

extension OptionSpecification {
    /// `-n`.
    fileprivate var shortForm: String? { short.map { "-\($0)" } }
}
