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
        let id = try messageID()
        guard try readsLines() else {
            return try await perform(
                .send(to: who, text: try text(), id: id, timeout: timeout), patience: patience, print: printID)
        }
        guard !arguments.has("--id") else {
            throw CommandError(.usage, "--id", "only for one message", advice: "leave it out with --lines")
        }
        return try await sendLines(to: who, timeout, patience: patience, print: printID)
    }

    /// Sends each line as it comes: it is stored, and its id printed, whatever has become of those before it. While no
    /// line comes, and at the end, waits for what was sent, each message in its turn at most `timeout`. Behind one that was
    /// not delivered none is waited for.
    private func sendLines(
        to who: String, _ timeout: Duration?, patience: Duration,
        print: @escaping @Sendable (JSONValue) throws(CommandError) -> Void
    ) async throws(CommandError) -> ExitCode {
        var lines = InputLines()
        try await lines.check()
        let printer = RecordPrinter(isJSON: isJSON, streams: streams, print: print)
        var run = try await begin(isSending: true, concernsPeers: true, isLong: true, patience: patience)
        var sent = SentLines(timeout: timeout)
        var failure: CommandError?
        do throws(CommandError) {
            while await printer.failure == nil {
                while !lines.isReady, sent.isWaiting { try await wait(forFirstOf: &sent, to: who, in: &run) }
                guard let text = try await lines.next() else { break }
                let result = try await perform(
                    .send(to: who, text: text, id: MessageID(at: .now), timeout: nil), in: &run, printer)
                // The next line would fare no better.
                if case .failed(let error) = result { throw error }
                if let id = await printer.lastMessage { sent.add(id) }
                while sent.areTooMany { try await wait(forFirstOf: &sent, to: who, in: &run) }
            }
        } catch {
            failure = error
        }
        do throws(CommandError) {
            // Also of those before a line that is no message.
            while sent.isWaiting { try await wait(forFirstOf: &sent, to: who, in: &run) }
        } catch {
            failure = failure ?? error
        }
        try await end(run, printer, failure ?? sent.failure)
        return .done
    }

    /// Waits a moment, no longer than a line may be kept waiting meanwhile.
    private func wait(
        forFirstOf sent: inout SentLines, to who: String, in run: inout OperationRun
    ) async throws(CommandError) {
        guard let (id, left, whole) = sent.first else { return }
        // Its id has been printed.
        let silent = RecordPrinter(isJSON: false, streams: streams) { _ in }
        let wait = ControlOperation.wait(for: [id], to: who, timeout: min(left, SentLines.moment), whole: whole)
        guard case .failed(let error) = try await perform(wait, in: &run, silent) else { return sent.firstIsDone() }
        sent.firstIsNotDone(error)
    }

    /// The id of the message: the caller's, else a fresh one. With it the outcome can be told whatever becomes of the
    /// process that stores it.
    private func messageID() throws(CommandError) -> MessageID {
        guard let text = arguments.text("--id") else { return MessageID(at: .now) }
        guard let id = MessageID(text.lowercased()) else {
            throw .badValue("--id", text, "a UUID like 01a219c8-2896-733d-8366-0123456789ab")
        }
        return id
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
        return Self.withoutLineEnd(try StandardInput.text(limit: InputLines.longest, lineEnd: 2).unicodeScalars[...])
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
