// `blipchat send`.

import ChatCore

extension CommandRunner {
    func send() async throws(CommandError) -> ExitCode {
        let timeout = try sendingTimeout()
        if arguments.has("--require-verified") { try await requireVerified(operand(0)) }
        let operations = try texts().map { ControlOperation.send(to: operand(0), text: $0, timeout: timeout) }
        return try await perform(operations, patience: (timeout ?? .zero) + .seconds(30)) {
            [streams] record throws(CommandError) in
            try streams.line(record["id"]?.stringValue ?? "")
        }
    }

    /// How long to wait for the peer; `nil`: not at all, it is only queued.
    func sendingTimeout() throws(CommandError) -> Duration? {
        arguments.has("--queue") ? nil : try arguments.seconds("--timeout") ?? .seconds(10)
    }

    /// Throws 5 unless the contact's key has been compared.
    private func requireVerified(_ who: String) async throws(CommandError) {
        let peer = try await contacts(try paths()).find(who)
        guard peer.trust == .verified else {
            throw CommandError(
                .identity, peer.name, "is \(Records.word(peer.trust)), so nothing was sent",
                advice: "compare numbers with blipchat contacts verify")
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
            return [Self.withoutLineEnd(try StandardInput.text(limit: limit, lineEnd: 2).unicodeScalars[...])]
        }
        let text = try StandardInput.text(limit: 64 * limit)
        let lines = Self.allLines(of: text)
        // Before the first one is sent.
        if let index = lines.firstIndex(where: { $0.utf8.count > limit }) {
            let size = lines[index].utf8.count
            throw CommandError(
                .usage, "standard input:\(index + 1)", "\(size) bytes, at most \(limit) make a message",
                advice: "nothing was sent; send it as a file")
        }
        return Self.lines(of: text)
    }

    /// The lines that are not empty.
    static func lines(of text: String) -> [String] { allLines(of: text).filter(ChatClient.isVisible) }

    /// They end as in text files, with LF or CR LF; other characters that break lines belong to the text.
    private static func allLines(of text: String) -> [String] {
        var lines: [String] = []
        var rest = text.unicodeScalars[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: "\n").map { rest.index(after: $0) } ?? rest.endIndex
            lines.append(withoutLineEnd(rest[..<end]))
            rest = rest[end...]
        }
        return lines
    }

    private static func withoutLineEnd(_ text: String.UnicodeScalarView.SubSequence) -> String {
        var text = text
        if text.last == "\n" {
            text.removeLast()
            if text.last == "\r" { text.removeLast() }
        }
        return String(String.UnicodeScalarView(text))
    }
}
