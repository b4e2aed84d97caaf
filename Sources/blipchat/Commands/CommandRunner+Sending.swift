// `blipchat send` and `blipchat send-file`.

import ChatCore

extension CommandRunner {
    func send() async throws(CommandError) -> ExitCode {
        let timeout = arguments.has("--queue") ? .zero : try arguments.seconds("--timeout") ?? .seconds(10)
        let operations = try texts().map { ControlOperation.send(to: operand(0), text: $0, timeout: timeout) }
        return try await perform(operations, patience: timeout + .seconds(30)) {
            [streams] record throws(CommandError) in
            try streams.line(record["id"]?.stringValue ?? "")
        }
    }

    /// The messages to send: the operands, or what comes from standard input.
    private func texts() throws(CommandError) -> [String] {
        let words = Array(arguments.operands.dropFirst())
        guard words == ["-"] else {
            guard !words.isEmpty else {
                throw CommandError(.usage, "text", "missing", advice: "give it as words, or - to read standard input")
            }
            guard !arguments.has("--lines") else {
                throw CommandError(.usage, "--lines", "only for standard input", advice: "give - as the text")
            }
            return [words.joined(separator: " ")]
        }
        let limit = 65_536
        guard arguments.has("--lines") else {
            // The line end that every text file and every `echo` has is not part of the message.
            let text = try StandardInput.text(limit: limit + 2)
            return [text.utf8.last == UInt8(ascii: "\n") ? String(text.unicodeScalars.dropLast()) : text]
        }
        return try StandardInput.text(limit: 64 * limit).split { $0.isNewline }.map(String.init)
    }

    func sendFiles() async throws(CommandError) -> ExitCode {
        let timeout = try arguments.seconds("--timeout") ?? .seconds(10)
        let files = arguments.operands.dropFirst()
        if files.contains("-") {
            throw CommandError(.usage, "-", "not in this version yet", advice: "give the name of a file")
        }
        if files.count > 1, arguments.has("--name") {
            throw CommandError(.usage, "--name", "only for one file", advice: "send the files one by one")
        }
        let operations = try files.map { file throws(CommandError) in
            ControlOperation.sendFile(
                to: operand(0), path: try HomePaths.absolute(file), name: arguments.text("--name"),
                caption: arguments.text("--caption") ?? "", timeout: timeout)
        }
        defer { streams.progress("") }
        return try await perform(
            operations, patience: max(timeout, .seconds(600)) + .seconds(30),
            print: FileProgressPrinter(streams: streams).print)
    }
}

/// Prints the id once and then how far the file is.
private final class FileProgressPrinter: Sendable {
    private let streams: StandardStreams
    init(streams: StandardStreams) { self.streams = streams }

    @Sendable func print(_ record: JSONValue) throws(CommandError) {
        let size = record["size"]?.integerValue
        switch (record["type"]?.stringValue, record["state"]?.stringValue) {
        case ("file", "offered"): try streams.line(record["id"]?.stringValue ?? "")
        case ("file", let state?):
            streams.progress("")
            let digest = record["sha256"]?.stringValue.map { " sha256 \($0)" } ?? ""
            streams.note("\(record["name"]?.stringValue ?? ""): \(state), \(size ?? 0) bytes\(digest)")
        case ("progress", _):
            let rate = (record["rate"]?.doubleValue ?? 0) / 1_000_000
            let tenths = (rate * 10).rounded() / 10
            streams.progress("\(record["transferred"]?.integerValue ?? 0) bytes, \(tenths) MB/s")
        default: break
        }
    }
}
