// Passphrases as people and scripts give them. Never from the command line or the environment, where others on this machine
// could read them.

import Arguments
import BLIPNet
import ChatSettings
import Glibc

struct PassphraseInput: Sendable {
    let context: CommandContext

    /// Asks for a new passphrase, twice.
    func newPassphrase(for what: String, or option: String) async throws(CommandError) -> Passphrase {
        try requireAnswers(or: option)
        var text = try await ask("Passphrase for \(what):")
        defer { SecretMemory.wipe(&text) }
        var again = try await ask("Repeat the passphrase:")
        defer { SecretMemory.wipe(&again) }
        guard again == text else {
            throw CommandError(.usage, "passphrase", "the two do not match")
        }
        return try Self.checked(text)
    }

    func requireAnswers(or option: String) throws(CommandError) {
        guard isatty(STDIN_FILENO) == 1, !context.arguments.has("--no-input") else {
            throw CommandError(.usage, "passphrase", "needed, but blipchat cannot ask for it", advice: "give \(option)")
        }
    }

    static func checked(_ text: String) throws(CommandError) -> Passphrase {
        guard let passphrase = Passphrase(text) else {
            throw CommandError(
                .usage, "passphrase", "needs \(Passphrase.minimumBytes) to \(Passphrase.maximumBytes) bytes",
                advice: "several random words are easy to remember and hard to guess")
        }
        return passphrase
    }

    static func firstLine(of path: String) throws(CommandError) -> String {
        let result =
            path == "-"
            ? SmallFile.contents(ofDescriptor: STDIN_FILENO, limit: 4096) : SmallFile.contents(of: path, limit: 4096)
        switch result {
        case .failure(let error): throw .system(path, "cannot be read", error.code)
        case .success(let bytes):
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            guard let text = String(validating: line, as: UTF8.self) else {
                throw CommandError(.usage, path, "not UTF-8 text")
            }
            return text
        }
    }

    /// Asks on the terminal, on the thread that may block.
    @MainThread func ask(_ question: String) throws(CommandError) -> String {
        try SecretPrompt.ask(question, context.streams)
    }
}
