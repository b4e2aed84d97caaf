// The passphrase of the key: `identity.key` is replaced in one step, and what it held before does not stay on the disk.

package import BLIPNet
import CLinux
import Glibc

extension IdentityFile {
    /// The facts to report after `protect`.
    package struct Protected: Sendable, Equatable {
        package let fingerprint: SPKIFingerprint
        /// Other files that held the same key without a passphrase, and are gone.
        package internal(set) var removed: [String] = []
        /// The file that was replaced has other names (hard links): under these the key is as it was.
        package internal(set) var hasOtherNames = false
    }

    /// Seals the key at `path` with `passphrase`, or with `nil` takes its passphrase away. `present` opens it now.
    ///
    /// The file is replaced in one step: whenever the machine stops it is whole, the old one or the new one. The bytes of an
    /// open one are then overwritten where they were, and so are copies that earlier runs have left beside it. (A disk
    /// that writes elsewhere each time, and its snapshots, may keep them all the same.) Takes a fraction of a second.
    ///
    /// Throws `.failed` with `ENOENT` when there is no key, `.sealed` and `.wrongPassphrase` when `present` does not open it.
    package static func protect(
        at path: String, with passphrase: Passphrase?, present: Passphrase?
    ) throws(IdentityError) -> Protected {
        // A link stays, and leads to the new file.
        guard let resolved = realpath(path, nil) else { throw failure("realpath", path) }
        defer { free(resolved) }
        let target = String(cString: resolved)
        guard var old = try text(at: target) else { throw .failed(call: "open", path: path, errno: ENOENT) }
        defer { SecretMemory.wipe(&old) }
        let identity = try identity(in: old, at: path, present)
        var new = ""
        defer { SecretMemory.wipe(&new) }
        do throws(TLSError) {
            new = if let passphrase { try identity.backup(passphrase: passphrase) } else { try identity.pem() }
            // Who can say later that it will be of use?
            let read =
                if let passphrase { try TLSIdentity(backup: new, passphrase: passphrase) } else {
                    try TLSIdentity(pem: new)
                }
            guard read == identity else { throw .invalidIdentity(reason: "it cannot be read back") }
        } catch {
            throw .cannotGenerate
        }
        var protected = Protected(fingerprint: identity.fingerprint)
        protected.hasOtherNames = try replace(target, with: new, wiping: !TLSIdentity.isSealed(old))
        if passphrase != nil { protected.removed = try removeOpenCopies(of: identity.fingerprint, beside: target) }
        return protected
    }

    /// Returns whether the old file has other names.
    private static func replace(
        _ path: String, with text: String, wiping: Bool
    ) throws(IdentityError) -> Bool {
        let before = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard before >= 0 else { throw failure("open", path) }
        let old = OpenFile(descriptor: before, path: path)
        let temporary = try makeTemporary(text, beside: path)
        guard rename(temporary, path) == 0 else {
            let error = failure("rename", path)
            unlink(temporary)
            throw error
        }
        try synchronizeFolder(of: path)
        guard wiping else { return false }
        return try !wipe(old)
    }

    /// Overwrites a file that has no name any more; `false` when it has one, and is left alone.
    private static func wipe(_ file: OpenFile) throws(IdentityError) -> Bool {
        do throws(FileError) {
            let facts = try file.facts()
            guard facts.linkCount == 0 else { return false }
            let zeros = [UInt8](repeating: 0, count: Int(clamping: min(facts.size, UInt64(maximumBytes))))
            let result = zeros.withUnsafeBytes { bytes -> Result<Void, FileError> in
                do throws(FileError) { return .success(try file.write(bytes, at: 0)) } catch { return .failure(error) }
            }
            try result.get()
            try file.synchronize()
            return true
        } catch {
            throw .failed(call: error.call, path: error.path, errno: error.errno)
        }
    }

    /// Removes what holds the same key without a passphrase: temporary files of processes that were killed, and the name
    /// under which the same key was put aside.
    private static func removeOpenCopies(
        of fingerprint: SPKIFingerprint, beside path: String
    ) throws(IdentityError) -> [String] {
        let folder = PathParts.folder(of: path)
        guard let stream = opendir(folder) else { throw failure("opendir", folder) }
        defer { closedir(stream) }
        let aside = pathAside(of: fingerprint, at: path)
        var removed: [String] = []
        for name in DirectoryStream.names(of: stream).compactMap({ $0 }).sorted() {
            let copy = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
            guard copy == aside || (copy.hasPrefix(path + ".") && copy.hasSuffix(temporaryEnding)) else { continue }
            let descriptor = open(copy, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            let file = OpenFile(descriptor: descriptor, path: copy)
            // A half-written one has no fingerprint, and half of a key is too much.
            let isAnother = (try? Self.fingerprint(at: copy)).map { $0 != fingerprint } ?? false
            guard !isAnother, (try? isSealed(at: copy)) != true, unlink(copy) == 0 else { continue }
            _ = try wipe(file)
            removed.append(copy)
        }
        if !removed.isEmpty { try synchronizeFolder(of: path) }
        return removed
    }
}
