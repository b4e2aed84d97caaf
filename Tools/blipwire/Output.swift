// Standard output and standard error of the commands.

internal import Arguments
internal import Glibc
internal import Workbench

/// Where a command prints: sentences, or one JSON object per line.
struct Output: Sendable {
    let isJSON: Bool

    static let option = OptionSpecification("--json", "print one JSON object per line")

    /// Prints the record, or the sentences that say the same to a person, a line each.
    func say(_ sentences: String..., record: JSONRecord) throws(OutputError) {
        if isJSON { try Self.line(record.text) } else { for sentence in sentences { try Self.line(sentence) } }
    }

    /// Prints a line at once, also when the output is a pipe.
    static func line(_ text: String) throws(OutputError) {
        if let number = write(printable(text) + "\n", to: STDOUT_FILENO) { throw OutputError(errno: number) }
    }

    /// Prints text of our own with its line breaks.
    static func text(_ text: String) throws(OutputError) {
        if let number = write(text, to: STDOUT_FILENO) { throw OutputError(errno: number) }
    }

    /// A complaint that cannot be written has nowhere to be reported.
    static func complain(_ sentence: String) { _ = write(printable(sentence) + "\n", to: STDERR_FILENO) }

    /// What a peer says reaches a terminal here: no control characters, nothing that steers the direction of text.
    private static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.value {
            case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x206F, 0xFEFF: "?"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The error number when not everything could be written.
    private static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return errno }
            rest = rest.dropFirst(max(count, 0))
        }
        return nil
    }
}

/// Standard output cannot be written.
struct OutputError: Error {
    var errno: Int32
}
