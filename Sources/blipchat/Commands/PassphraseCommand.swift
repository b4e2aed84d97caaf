// `blipchat id passphrase`: seals the key of this home with a passphrase, changes it, or takes it away.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import Glibc

struct PassphraseCommand: Command {
    let context: CommandContext

    /// Works beside a running blipchat, which has the key in memory.
    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        guard paths.hasIdentity else {
            throw CommandError(.notFound, paths.identity, "there is no key yet", advice: "create one with blipchat id")
        }
        let removes = context.arguments.has("--remove")
        let isSealed = try HomeKey.isSealed(paths)
        guard isSealed || !removes else {
            throw CommandError(.negative, paths.identity, "the key has no passphrase")
        }
        var present: Passphrase?
        if isSealed {
            present = try await HomeKey(context: context).presentPassphrase(paths)
            // A wrong one is said before anybody thinks of a new one.
            do throws(IdentityError) {
                _ = try IdentityFile.load(at: paths.identity, passphrase: present)
            } catch {
                throw CommandError(error)
            }
        }
        let new = removes ? nil : try await newKeyPassphrase()
        let result = try protect(paths, with: new, present: present)
        for path in result.removed {
            context.streams.note("blipchat: removed a copy of the key that had no passphrase: \(path)")
        }
        if result.hasOtherNames {
            context.streams.note(
                "blipchat: the old file has another name (a hard link), where the key has no passphrase")
        }
        try print(result.fingerprint, isSealed: !removes, paths)
        return .done
    }

    /// One process after the other.
    private func protect(
        _ paths: HomePaths, with new: Passphrase?, present: Passphrase?
    ) throws(CommandError) -> IdentityFile.Protected {
        let lock: FolderLock
        do throws(SystemError) {
            lock = try FolderLock(paths.data, patience: .seconds(5))
        } catch {
            throw .system(paths.data, "another process is changing it", error.code)
        }
        do throws(IdentityError) {
            return try lock.hold { _ throws(IdentityError) in
                try IdentityFile.protect(at: paths.identity, with: new, present: present)
            }
        } catch {
            throw CommandError(error)
        }
    }

    private func newKeyPassphrase() async throws(CommandError) -> Passphrase {
        guard context.key.isGiven else {
            return try await PassphraseInput(context: context).newPassphrase(for: "your key", or: "--passphrase-fd N")
        }
        guard var text = context.key.next() else {
            throw CommandError(
                .usage, "--passphrase-fd", "no line with the new passphrase",
                advice: "for a sealed key, give the current one on the first line and the new one on the second")
        }
        defer { SecretMemory.wipe(&text) }
        return try PassphraseInput.checked(text)
    }

    private func print(_ fingerprint: SPKIFingerprint, isSealed: Bool, _ paths: HomePaths) throws(CommandError) {
        let peerID = PeerID(fingerprint)
        guard !context.isJSON else {
            return try context.streams.json(
                .record([
                    "v": 1, "type": "passphrase", "peer_id": .string(peerID.text), "sealed": .bool(isSealed),
                    "path": .string(paths.identity),
                ]))
        }
        try context.streams.line(isSealed ? "\(peerID)  sealed with a passphrase" : "\(peerID)  without a passphrase")
    }
}
