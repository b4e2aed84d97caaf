// `blipchat send`.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings

struct SendCommand: Command {
    let context: CommandContext

    private var arguments: ParsedArguments<CommandName> { context.arguments }
    private var who: String { context.operand(0) }

    func run() async throws(CommandError) -> ExitCode {
        let timeout = try context.sendingTimeout()
        if arguments.has("--require-verified") { try await requireVerified() }
        let id = try messageID()
        guard try readsLines() else {
            let text = try text()
            var sending = try await begin(ChatNeeds())
            var failure: CommandError?
            do throws(CommandError) { try await sending.send(text, as: id, within: timeout) } catch { failure = error }
            try await sending.end(failure)
            return .done
        }
        guard !arguments.has("--id") else {
            throw CommandError(.usage, "--id", "only for one message", advice: "leave it out with --lines")
        }
        return try await sendLines(timeout)
    }

    /// Opens the chat, and prints the ids.
    private func begin(_ needs: ChatNeeds) async throws(CommandError) -> Sending {
        try await Sending.begin(to: who, context, needs) { [context] report throws(CommandError) in
            if case .message(let message, _, _) = report { try context.streams.line(message.id.text) }
        }
    }

    /// Sends each line as it comes: it is stored, and its id printed, whatever has become of those before it. While no
    /// line comes, and at the end, waits for what was sent, each message in its turn at most `timeout`. Behind one that was
    /// not delivered it waits for none.
    private func sendLines(_ timeout: Duration?) async throws(CommandError) -> ExitCode {
        var lines = InputLines()
        try await lines.check()
        var sending = try await begin(ChatNeeds(isLong: true))
        var sent = SentLines(timeout: timeout)
        var failure: CommandError?
        do throws(CommandError) {
            while await sending.printer.failure == nil {
                while !lines.isReady, sent.isWaiting { await wait(forFirstOf: &sent, &sending) }
                guard let text = try await lines.next() else { break }
                // Where it fails the next line would fare no better.
                try await sending.send(text, as: MessageID(at: .now), within: nil)
                if let id = await sending.printer.lastMessage { sent.add(id) }
                while sent.areTooMany { await wait(forFirstOf: &sent, &sending) }
            }
        } catch {
            failure = error
        }
        // Also of those before a line that is no message.
        while sent.isWaiting { await wait(forFirstOf: &sent, &sending) }
        try await sending.end(failure ?? sent.failure)
        return .done
    }

    /// Waits a moment, no longer than a line may be kept waiting meanwhile.
    private func wait(forFirstOf sent: inout SentLines, _ sending: inout Sending) async {
        guard let (id, left, whole) = sent.first else { return }
        do throws(CommandError) {
            try await sending.wait(for: id, within: min(left, SentLines.moment), of: whole)
            sent.firstIsDone()
        } catch {
            if await sending.chat.failure == nil { sent.firstIsNotDone(error) } else { sent.end(with: error) }
        }
    }

    /// The id of the message: the caller's, else a fresh one. With it we can report the outcome whatever becomes of the
    /// process that stores it.
    private func messageID() throws(CommandError) -> MessageID {
        guard let text = arguments.text("--id") else { return MessageID(at: .now) }
        guard let id = MessageID(text.lowercased()) else {
            throw .badValue("--id", text, "a UUID like 01a219c8-2896-733d-8366-0123456789ab")
        }
        return id
    }

    /// Throws 5 unless the contact's key has been compared.
    private func requireVerified() async throws(CommandError) {
        let peer = try await HistoryFile.contacts(try context.paths()).find(who)
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
