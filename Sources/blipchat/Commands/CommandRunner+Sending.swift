// `blipchat send`.

import ChatCore

extension CommandRunner {
    func send() async throws(CommandError) -> ExitCode {
        let timeout = try sendingTimeout()
        if arguments.has("--require-verified") { try await requireVerified(operand(0)) }
        let who = operand(0)
        let patience = (timeout ?? .zero) + .seconds(30)
        let printID = { @Sendable [streams] (record: JSONValue) throws(CommandError) in
            try streams.line(record["id"]?.stringValue ?? "")
        }
        guard try readsLines() else {
            return try await perform(
                .send(to: who, text: try text(), timeout: timeout), patience: patience, print: printID)
        }
        var lines = InputLines()
        try await lines.check()
        return try await perform(.sending, patience: patience, print: printID) { () async throws(CommandError) in
            try await lines.next().map { .send(to: who, text: $0, timeout: timeout) }
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

    private func readsLines() throws(CommandError) -> Bool {
        guard arguments.has("--lines") else { return false }
        guard arguments.operands.dropFirst() == ["-"] else {
            throw CommandError(.usage, "--lines", "only for standard input", advice: "give - as the text")
        }
        return true
    }

    /// The message to send: the operands, or what comes from standard input.
    private func text() throws(CommandError) -> String {
        let words = Array(arguments.operands.dropFirst())
        guard words == ["-"] else {
            guard !words.isEmpty else {
                throw CommandError(.usage, "text", "missing", advice: "give it as words, or - to read standard input")
            }
            return words.joined(separator: " ")
        }
        // The line end that every text file and every `echo` has is not part of the message.
        return Self.withoutLineEnd(try StandardInput.text(limit: 65_536, lineEnd: 2).unicodeScalars[...])
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
