// What the user typed, checked against the table. Made by ArgumentParser, read by the commands.

import ChatTUI
import ChatWords

/// A command with its options and operands.
struct ParsedArguments: Sendable, Equatable {
    var command: CommandName
    /// Values by option name; a flag has an empty value. The last one counts.
    var options: [String: String] = [:]
    var operands: [String] = []

    func has(_ option: String) -> Bool { options[option] != nil }

    /// The text of an option, `nil` when it was not given.
    func text(_ option: String) -> String? { options[option] }

    /// A duration in seconds, at most a week; fractions are allowed.
    func seconds(_ option: String) throws(CommandError) -> Duration? {
        guard let text = options[option] else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }), text.utf8.count <= 16,
            let value = Double(text), value <= 604_800
        else { throw .badValue(option, text, "a number of seconds up to 604800") }
        return .milliseconds(Int64(value * 1000))
    }

    /// A count from 1 on.
    func count(_ option: String) throws(CommandError) -> Int? {
        guard let text = options[option] else { return nil }
        guard let value = Self.decimal(text), (1...1_000_000).contains(value) else {
            throw .badValue(option, text, "a number from 1 to 1000000")
        }
        return Int(value)
    }

    /// A size in bytes: a number and perhaps k, M, G or T (powers of 1000), as Units reads it.
    func size(_ option: String) throws(CommandError) -> UInt64? {
        guard let text = options[option] else { return nil }
        guard let size = Units.bytes(of: text) else {
            throw .badValue(option, text, "a size like 500000, 500k, 20M or 2G")
        }
        return size
    }

    /// A number that names something, as an operand.
    func number(at index: Int, of what: String) throws(CommandError) -> Int64 {
        let text = operands.indices.contains(index) ? operands[index] : ""
        let digits = text.utf8.first == UInt8(ascii: "#") ? String(text.dropFirst()) : text
        guard let value = Self.decimal(digits) else {
            throw CommandError(.usage, text, "not a number", advice: "give the number of the \(what)")
        }
        return value
    }

    /// ASCII digits only: no sign, no blanks.
    static func decimal(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}

extension CommandError {
    static func badValue(_ option: String, _ value: String, _ wanted: String) -> CommandError {
        CommandError(.usage, "\(option) \(value)", "not a valid value", advice: "give \(wanted)")
    }
}
