// Values that several commands read from their arguments, with the sentences for those that do not fit.

import Arguments
import ChatSettings
import ChatTUI
import ChatWords

extension ParsedArguments {
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
        do throws(UsageError) { return try number(option, in: 1...1_000_000) } catch { throw CommandError(error) }
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
        guard let value = Int64(decimal: digits) else {
            throw CommandError(.usage, text, "not a number", advice: "give the number of the \(what)")
        }
        return value
    }
}

extension CommandError {
    init(_ error: UsageError) { self.init(.usage, error.subject, error.reason, advice: error.advice) }
}
