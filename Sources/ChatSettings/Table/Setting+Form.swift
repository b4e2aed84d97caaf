// What a setting may be: the messages, the manual page and the completion are made from this.

extension Setting {
    /// The values that a setting takes, as far as they can be listed.
    package indirect enum Form: Sendable, Equatable {
        case flag
        /// `unit` with what comes before it: `" seconds"`.
        case number(ClosedRange<Int64>, unit: String = "")
        /// Words in quotation marks; `or`: what else it can be.
        case choice([String], or: Form? = nil)
        /// Words that describe what cannot be listed.
        case other(String)
    }

    /// The words that it can be, for the completion.
    var choices: [String] {
        switch form {
        case .flag: ["true", "false"]
        case .choice(let words, _): words.filter { !$0.isEmpty }
        case .number, .other: []
        }
    }
}

extension Setting.Form {
    static let name = Self.other("text of 1 to 64 bytes without control characters")
    static let size = Self.other("a number of bytes, or \"500k\", \"20M\", \"2G\" (k is 1000, Ki 1024)")

    static func number(_ range: ClosedRange<Int>) -> Self {
        .number(Int64(range.lowerBound)...Int64(range.upperBound))
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable>(of: Choice.Type) -> Self {
        .choice(Choice.allCases.map(\.rawValue))
    }

    /// For messages and documents: `"auto", "on" or "off"`.
    package var words: String {
        switch self {
        case .flag: return "true or false"
        case .number(let range, let unit): return "a number from \(range.lowerBound) to \(range.upperBound)\(unit)"
        case .other(let words): return words
        case .choice(let choices, let other):
            var alternatives = choices.map { "\"\($0)\"" }
            if let other { alternatives.append(other.words) }
            guard let last = alternatives.last, alternatives.count > 1 else { return alternatives.joined() }
            return alternatives.dropLast().joined(separator: ", ") + " or " + last
        }
    }
}
