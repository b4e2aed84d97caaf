// `blipchat id backup` and `blipchat id restore`: the key of this installation, sealed with a passphrase.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatWords
import Glibc

struct IdentityBackupCommand: Command {
    let context: CommandContext

    /// Writes a file that was not there before.
    func run() async throws(CommandError) -> ExitCode {
        let path = context.operand(0)
        let identity = try await existingIdentity(try context.paths())
        guard !SmallFile.exists(path) else {
            throw CommandError(StoreError.fileExists(path: path), path: path)
        }
        let passphrase = try await IdentityBackup(context: context).passphrase(isNew: true)
        let text: String
        do throws(TLSError) { text = try identity.backup(passphrase: passphrase) } catch {
            throw CommandError(.localIO, path, error.reason)
        }
        do throws(SystemError) { try SmallFile.create(path, with: text) } catch {
            throw .system(path, "cannot be written", error.code)
        }
        // Who can say now that it will be of use?
        guard
            SmallFile.read(path, limit: IdentityBackup.maximumBytes).flatMap({
                try? TLSIdentity(backup: $0, passphrase: passphrase)
            })
                == identity
        else {
            throw CommandError(.integrity, path, "the backup cannot be read back", advice: "try another disk")
        }
        try IdentityBackup(context: context).print("backup", identity, path: path)
        return .done
    }

    private func existingIdentity(_ paths: HomePaths) async throws(CommandError) -> TLSIdentity {
        let identity: TLSIdentity?
        let opened = try await HomeKey(context: context).open(paths)
        do throws(IdentityError) {
            identity = try paths.hasIdentity ? IdentityFile.loadOrCreate(at: paths.identity, opened: opened) : nil
        } catch {
            throw CommandError(error)
        }
        guard let identity else {
            throw CommandError(.notFound, paths.identity, "there is no key yet", advice: "create one with blipchat id")
        }
        return identity
    }
}

struct IdentityRestoreCommand: Command {
    let context: CommandContext

    /// Puts the key of a backup into this home. A key that is there stays unless --replace says otherwise, and even
    /// then it is only put aside.
    func run() async throws(CommandError) -> ExitCode {
        let path = context.operand(0)
        let paths = try context.paths()
        let text: String
        switch SmallFile.contents(of: path, limit: IdentityBackup.maximumBytes) {
        case .failure(let error): throw .system(path, "cannot be read", error.code)
        case .success(let bytes):
            guard let valid = String(validating: bytes, as: UTF8.self) else {
                throw CommandError(.usage, path, "not a key backup")
            }
            text = valid
        }
        let passphrase = try await IdentityBackup(context: context).passphrase(isNew: false)
        let identity: TLSIdentity
        do throws(TLSError) { identity = try TLSIdentity(backup: text, passphrase: passphrase) } catch {
            // Another key is something else: this one has not been seen yet.
            if case .wrongPassphrase = error {
                throw CommandError(.passphrase, path, error.reason, advice: "try again")
            }
            throw CommandError(.usage, path, error.reason, advice: "give a file made by blipchat id backup")
        }
        try paths.createFolders()
        // A process that runs on this home has the old key in memory.
        let lock = try InstanceLock(path: paths.lock)
        let wasSealed = (try? IdentityFile.isSealed(at: paths.identity)) ?? false
        do throws(IdentityError) {
            if let aside = try Self.put(identity, at: paths.identity, replacing: context.arguments.has("--replace")) {
                context.streams.note("blipchat: the previous key is now \(aside)")
            }
        } catch {
            throw CommandError(error)
        }
        _ = consume lock
        if wasSealed, try !HomeKey.isSealed(paths) {
            context.streams.note("blipchat: the key has no passphrase on this machine; blipchat id passphrase seals it")
        }
        try IdentityBackup(context: context).print("restored", identity, path: paths.identity)
        return .done
    }

    /// Returns where the key is that was there before, if it was another one.
    private static func put(
        _ identity: TLSIdentity, at path: String, replacing: Bool
    ) throws(IdentityError) -> String? {
        let present: SPKIFingerprint?
        do throws(IdentityError) { present = try IdentityFile.fingerprint(at: path) } catch {
            guard replacing, case .damaged = error else { throw error }
            let aside = try putDamagedAside(at: path)
            try IdentityFile.install(identity, at: path)
            return aside
        }
        guard let present, present != identity.fingerprint else {
            try IdentityFile.install(identity, at: path)
            return nil
        }
        guard replacing else { throw .exists(path: path) }
        let aside = try IdentityFile.putAside(at: path)
        try IdentityFile.install(identity, at: path)
        return aside
    }

    /// It has no fingerprint to be named after.
    private static func putDamagedAside(at path: String) throws(IdentityError) -> String {
        var aside = path + ".damaged"
        var number = 2
        while SmallFile.exists(aside) {
            aside = "\(path).damaged-\(number)"
            number += 1
        }
        guard rename(path, aside) == 0 else { throw .failed(call: "rename", path: path, errno: errno) }
        return aside
    }
}

/// The parts that both commands share.
private struct IdentityBackup {
    /// More than a sealed key needs.
    static let maximumBytes = 65_536

    let context: CommandContext

    func print(_ type: String, _ identity: TLSIdentity, path: String) throws(CommandError) {
        let peerID = PeerID(identity.fingerprint)
        if context.isJSON {
            try context.streams.json(
                .record(["v": 1, "type": .string(type), "peer_id": .string(peerID.text), "path": .string(path)]))
        } else {
            try context.streams.line("\(peerID)  \(SafeText.line(path))")
        }
    }

    /// From the file of --passphrase-file (`-`: standard input), its first line; else asked for on the terminal.
    /// Never from the command line or the environment, where others on this machine could read it.
    func passphrase(isNew: Bool) async throws(CommandError) -> Passphrase {
        var text = ""
        defer { SecretMemory.wipe(&text) }
        if let path = context.arguments.text("--passphrase-file") {
            text = try PassphraseInput.firstLine(of: path)
            return try PassphraseInput.checked(text)
        }
        guard !isNew else {
            return try await PassphraseInput(context: context).newPassphrase(
                for: "the backup", or: "--passphrase-file FILE")
        }
        try PassphraseInput(context: context).requireAnswers(or: "--passphrase-file FILE")
        text = try await PassphraseInput(context: context).ask("Passphrase for the backup:")
        return try PassphraseInput.checked(text)
    }
}
