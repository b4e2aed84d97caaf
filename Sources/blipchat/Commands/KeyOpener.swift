// The passphrase of the key, where it has one: from a descriptor, a credential of systemd or the terminal, once for each
// start. Never from an argument or the environment, where others on this machine could read it.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import Glibc
import Synchronization

/// The passphrases that the command line gave for the key of the home, and the key once it is open.
final class KeyOpener: Sendable {
    /// The lines of `--passphrase-fd`, in their order; `nil` without it.
    private let lines: Mutex<[String]?>
    private let held = Mutex<TLSIdentity?>(nil)

    init(lines: [String]? = nil) { self.lines = Mutex(lines) }

    /// Whether passphrases were given, so that nobody is asked.
    var isGiven: Bool { lines.withLock { $0 != nil } }

    /// The next line that was given; `nil` when there is none.
    func next() -> String? { lines.withLock { $0?.isEmpty == false ? $0?.removeFirst() : nil } }

    /// The key that was opened before.
    var opened: TLSIdentity? { held.withLock { $0 } }

    func keep(_ opened: TLSIdentity?) { held.withLock { $0 = opened } }

    // MARK: --passphrase-fd

    /// Reads the lines that a command can need. Before anything else is opened: a number that the caller has left closed
    /// would soon be one of ours.
    static func given(_ arguments: ParsedArguments<CommandName>) throws(CommandError) -> KeyOpener {
        let option = "--passphrase-fd"
        guard let text = arguments.text(option) else { return KeyOpener() }
        guard let number = Int64(decimal: text).flatMap({ Int32(exactly: $0) }) else {
            throw .badValue(option, text, "the number of an open descriptor: --passphrase-fd 3 3<FILE")
        }
        defer { if number > STDERR_FILENO { close(number) } }
        // The present one and the next one.
        let count = arguments.command == .identityPassphrase ? 2 : 1
        var lines: [String] = []
        while lines.count < count, let next = try line(from: number, option) { lines.append(next) }
        return KeyOpener(lines: lines)
    }

    /// Byte by byte: the bytes after the line may be for somebody else. `nil` at the end.
    private static func line(from descriptor: Int32, _ option: String) throws(CommandError) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Passphrase.maximumBytes + 1)
        defer { SecretMemory.wipe(&bytes) }
        while bytes.count <= Passphrase.maximumBytes {
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&poller, 1, -1)
                continue
            }
            guard count >= 0 else { throw .system("\(option) \(descriptor)", "cannot be read", errno) }
            if count == 0, bytes.isEmpty { return nil }
            if count == 0 || byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard let line = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.usage, option, "not UTF-8 text")
        }
        return line
    }
}

/// The key of the home, opened with its passphrase where it has one.
struct HomeKey: Sendable {
    let context: CommandContext

    /// The key of this home, opened with its passphrase, for which it asks once; `nil` where it needs none or where
    /// there is no key yet.
    ///
    /// Throws 11 for a wrong passphrase, 2 when nobody can be asked.
    func open(_ paths: HomePaths) async throws(CommandError) -> TLSIdentity? {
        guard try Self.isSealed(paths) else { return nil }
        if let opened = context.key.opened { return opened }
        let passphrase = try await presentPassphrase(paths)
        let opened: TLSIdentity?
        do throws(IdentityError) {
            opened = try IdentityFile.load(at: paths.identity, passphrase: passphrase)
        } catch {
            throw CommandError(error)
        }
        context.key.keep(opened)
        return opened
    }

    /// The same unless another process serves the chat, which has opened the key. To be called before signals are taken
    /// over and before the screen begins: while somebody is asked each of them still ends the process.
    @discardableResult
    func openToStart(_ paths: HomePaths) async throws(CommandError) -> TLSIdentity? {
        guard try Self.isSealed(paths), await !AttachedService.isServed(at: paths.socket) else { return nil }
        return try await open(paths)
    }

    static func isSealed(_ paths: HomePaths) throws(CommandError) -> Bool {
        do throws(IdentityError) { return try IdentityFile.isSealed(at: paths.identity) } catch {
            throw CommandError(error)
        }
    }

    /// The passphrase that opens the key of this home.
    func presentPassphrase(_ paths: HomePaths) async throws(CommandError) -> Passphrase {
        var text = context.key.next()
        if text == nil, !context.key.isGiven { text = try credential() }
        if text == nil, !context.key.isGiven, isatty(STDIN_FILENO) == 1, !context.arguments.has("--no-input") {
            text = try await PassphraseInput(context: context).ask("Passphrase for your key:")
        }
        guard var text else { throw CommandError(IdentityError.sealed(path: paths.identity)) }
        defer { SecretMemory.wipe(&text) }
        // One that nobody could have sealed it with is a wrong one.
        guard let passphrase = Passphrase(text) else {
            throw CommandError(IdentityError.wrongPassphrase(path: paths.identity))
        }
        return passphrase
    }

    /// The first line of the credential; `nil` where there is none.
    private func credential() throws(CommandError) -> String? {
        guard let folder = context.environment["CREDENTIALS_DIRECTORY"], folder.utf8.first == UInt8(ascii: "/") else {
            return nil
        }
        let path = "\(folder)/\(HomePaths.passphraseCredential)"
        return SmallFile.exists(path) ? try PassphraseInput.firstLine(of: path) : nil
    }
}
