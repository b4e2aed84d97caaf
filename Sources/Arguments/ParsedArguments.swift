// The words that the user typed, sorted by the specifications. Made by ArgumentParser, read by the commands.

/// A command with its options and operands.
package struct ParsedArguments<Name: CommandWords>: Sendable, Equatable {
    package var command: Name
    /// Values by option name; a flag has an empty value. The last one counts.
    package var options: [String: String]
    package var operands: [String]

    package init(command: Name, options: [String: String] = [:], operands: [String] = []) {
        self.command = command
        self.options = options
        self.operands = operands
    }

    package func has(_ option: String) -> Bool { options[option] != nil }

    /// The text of an option, `nil` when it was not given.
    package func text(_ option: String) -> String? { options[option] }

    /// A whole number within `range`.
    package func number(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = options[option] else { return nil }
        guard let value = Int64(decimal: text).flatMap({ Int(exactly: $0) }), range.contains(value) else {
            let limits =
                range.upperBound == .max
                ? "a number, at least \(range.lowerBound)"
                : "a number from \(range.lowerBound) to \(range.upperBound)"
            throw .badValue(option, text, limits)
        }
        return value
    }
}

extension Int64 {
    /// ASCII digits only: no sign, no blanks.
    package init?(decimal text: String) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(text)
    }
}
