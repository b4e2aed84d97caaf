// The words of a command line, read by the command's specification.

/// The options and the operand of one command.
struct Arguments: Sendable {
    private let specification: CommandSpecification
    private var values: [String: String] = [:]
    /// What is no option; exactly one if the command has an operand.
    private(set) var operand: String?

    /// Reads `words`. Every option stands at most once, and every required one is there.
    init(_ words: [String], for specification: CommandSpecification) throws(UsageError) {
        self.specification = specification
        var rest = words[...]
        var isLiteral = false
        while let word = rest.popFirst() {
            if word == "--", !isLiteral {
                isLiteral = true
            } else if word.utf8.first == UInt8(ascii: "-"), !isLiteral {
                try take(option: word, &rest)
            } else if specification.operand.isEmpty || operand != nil {
                throw UsageError(word, "unexpected argument")
            } else {
                operand = word
            }
        }
        for option in specification.options where option.isRequired && values[option.name] == nil {
            throw UsageError(option.name, "missing" + (option.value.map { ", \($0) is needed" } ?? ""))
        }
        if !specification.operand.isEmpty, operand == nil { throw UsageError(specification.operand, "missing") }
    }

    private mutating func take(option word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        guard let option = specification.options.first(where: { $0.name == name }) else {
            throw UsageError(name, "unknown option")
        }
        guard values[name] == nil else { throw UsageError(name, "given twice") }
        guard let placeholder = option.value else {
            guard parts.count == 1 else { throw UsageError(name, "takes no value") }
            values[name] = ""
            return
        }
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
            throw UsageError(name, "\(placeholder) is missing")
        }
        values[name] = value
    }

    // MARK: Values

    func flag(_ name: String) -> Bool { text(name) != nil }

    /// The option's value; `nil` when the option is not there.
    func text(_ name: String) -> String? {
        precondition(specification.options.contains { $0.name == name }, "an option that the specification lacks")
        return values[name]
    }

    /// A decimal number within `range`.
    func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), range.contains(number), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            let limits =
                range.upperBound == .max ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
            throw UsageError(name, "`\(text)` is not a number (\(limits))")
        }
        return number
    }
}

/// The command line cannot be understood.
struct UsageError: Error, Equatable {
    /// The word that is wrong or missing.
    var what: String
    var reason: String

    init(_ what: String, _ reason: String) {
        self.what = what
        self.reason = reason
    }

    var sentence: String { "\(what): \(reason)" }
}
