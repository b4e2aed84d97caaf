// The file with this installation's key: made on the first start, read on every other (DESIGN 5).

package import BLIPNet
import CLinux
import Glibc

/// Why there is no identity.
package enum IdentityError: Error, Sendable, Equatable {
    /// Others may read the file or write its folder; `mode` are its permission bits.
    case exposed(path: String, mode: UInt32)
    /// The file belongs to another user.
    case notOwned(path: String)
    /// It holds no key that we can read.
    case damaged(path: String)
    /// `call` failed with `errno`.
    case failed(call: String, path: String, errno: Int32)
    /// No key could be made.
    case cannotGenerate
    /// There is a key already, and another one was to be put there.
    case exists(path: String)
    /// The key is sealed, and there is no passphrase to open it with.
    case sealed(path: String)
    /// The key is sealed with another passphrase.
    case wrongPassphrase(path: String)
}

/// `identity.key`: key and certificate in one PEM text, 0600 in a folder of 0700. The key may be sealed with a passphrase;
/// the certificate, which tells who we are, never is.
package enum IdentityFile {
    /// Far more than a key and a certificate need.
    static let maximumBytes = 65_536

    /// Whether there is a key at `path` that needs a passphrase.
    package static func isSealed(at path: String) throws(IdentityError) -> Bool {
        guard var text = try text(at: path) else { return false }
        defer { SecretMemory.wipe(&text) }
        return TLSIdentity.isSealed(text)
    }

    /// The fingerprint by which others know the identity at `path`, which needs no passphrase; `nil` when there is none
    /// yet.
    package static func fingerprint(at path: String) throws(IdentityError) -> SPKIFingerprint? {
        guard var text = try text(at: path) else { return nil }
        defer { SecretMemory.wipe(&text) }
        guard TLSIdentity.isSealed(text) else { return try identity(in: text, at: path, nil).fingerprint }
        do { return try SPKIFingerprint(certificatePEM: text) } catch { throw .damaged(path: path) }
    }

    /// Reads the identity at `path`, making it (and its folder) if there is none. `opened` is what somebody has opened with
    /// its passphrase already; it serves while the file still holds that key.
    package static func loadOrCreate(at path: String, opened: TLSIdentity? = nil) throws(IdentityError) -> TLSIdentity {
        if let opened, try fingerprint(at: path) == opened.fingerprint { return opened }
        if let identity = try load(at: path) { return identity }
        let identity: TLSIdentity
        do { identity = try TLSIdentity.generate(commonName: "blipchat") } catch { throw .cannotGenerate }
        let folder = PathParts.folder(of: path)
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw failure("mkdir", folder) }
        // Another process may make one at the same time: whoever names it first wins, and both use that one.
        try write(identity, to: path)
        guard let stored = try load(at: path) else { throw .damaged(path: path) }
        return stored
    }

    /// Reads the identity at `path`; `nil` when there is none yet. Throws `.sealed` when it needs a passphrase and gets none.
    /// To open it with one takes a fraction of a second.
    package static func load(at path: String, passphrase: Passphrase? = nil) throws(IdentityError) -> TLSIdentity? {
        guard var text = try text(at: path) else { return nil }
        defer { SecretMemory.wipe(&text) }
        return try identity(in: text, at: path, passphrase)
    }

    /// The identity in what the file at `path` holds.
    static func identity(
        in text: String, at path: String, _ passphrase: Passphrase?
    ) throws(IdentityError) -> TLSIdentity {
        let isSealed = TLSIdentity.isSealed(text)
        do throws(TLSError) {
            guard isSealed else { return try TLSIdentity(pem: text) }
            if let passphrase { return try TLSIdentity(backup: text, passphrase: passphrase) }
        } catch {
            if case .wrongPassphrase = error { throw .wrongPassphrase(path: path) }
            throw .damaged(path: path)
        }
        throw .sealed(path: path)
    }

    /// The content of the file at `path`, to be wiped by the caller; `nil` when there is none.
    static func text(at path: String) throws(IdentityError) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw failure("open", path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("fstat", path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= maximumBytes else { throw .damaged(path: path) }
        guard status.st_uid == geteuid() else { throw .notOwned(path: path) }
        guard status.st_mode & 0o077 == 0 else { throw .exposed(path: path, mode: status.st_mode & 0o777) }
        try checkFolder(of: path)

        var bytes = [UInt8](repeating: 0, count: maximumBytes)
        defer { SecretMemory.wipe(&bytes) }
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw failure("read", path) }
            if got == 0 { break }
            count += got
        }
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else { throw .damaged(path: path) }
        return text
    }

    /// Makes `identity` the one at `path`, which has none yet.
    ///
    /// Throws `.exists` when there is another one.
    package static func install(_ identity: TLSIdentity, at path: String) throws(IdentityError) {
        try write(identity, to: path)
        guard try fingerprint(at: path) == identity.fingerprint else { throw .exists(path: path) }
    }

    /// Puts the identity at `path` aside, under a name with the beginning of its fingerprint, and returns that name.
    /// Nothing is ever deleted.
    package static func putAside(at path: String) throws(IdentityError) -> String {
        guard let fingerprint = try fingerprint(at: path) else {
            throw .failed(call: "open", path: path, errno: ENOENT)
        }
        let aside = pathAside(of: fingerprint, at: path)
        // The same identity may have been put aside before; the two files are alike then.
        guard rename(path, aside) == 0 else { throw failure("rename", path) }
        return aside
    }

    /// Where an identity is that was at `path` and is not any more.
    static func pathAside(of fingerprint: SPKIFingerprint, at path: String) -> String {
        "\(path).\(PeerID(fingerprint).text.prefix(8))"
    }

    static func text(of identity: TLSIdentity) throws(IdentityError) -> String {
        do { return try identity.pem() } catch { throw .cannotGenerate }
    }

    /// A folder that others may write would let them put another key there.
    private static func checkFolder(of path: String) throws(IdentityError) {
        let folder = PathParts.folder(of: path)
        var status = stat()
        guard stat(folder, &status) == 0 else { throw failure("stat", folder) }
        guard status.st_mode & 0o022 == 0 else { throw .exposed(path: folder, mode: status.st_mode & 0o777) }
    }

    /// Writes a temporary file, syncs it, and gives it the name unless there is one already.
    private static func write(_ identity: TLSIdentity, to path: String) throws(IdentityError) {
        var text = try text(of: identity)
        defer { SecretMemory.wipe(&text) }
        let temporary = try makeTemporary(text, beside: path)
        defer { unlink(temporary) }
        let names = (old: PathParts.lastName(of: temporary), new: PathParts.lastName(of: path))
        try withFolder(of: path) { folder throws(IdentityError) in
            if FolderCalls.kernel.rename(names.old, to: names.new, in: folder) != 0, errno != EEXIST {
                throw failure("rename", path)
            }
            guard fsync(folder) == 0 else { throw failure("fsync", path) }
        }
    }

    /// The ending of the name of a temporary file, which a killed process may have left.
    static let temporaryEnding = ".new"

    /// Makes a file beside `path` with this content, which is on the disk when this returns.
    static func makeTemporary(_ text: String, beside path: String) throws(IdentityError) -> String {
        let temporary = "\(path).\(getpid())\(temporaryEnding)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("open", temporary) }
        do throws(FileError) {
            let file = OpenFile(descriptor: descriptor, path: temporary)
            var bytes = Array(text.utf8)
            defer { SecretMemory.wipe(&bytes) }
            let written = bytes.withUnsafeBytes { bytes -> Result<Void, FileError> in
                do throws(FileError) { return .success(try file.write(bytes, at: 0)) } catch { return .failure(error) }
            }
            try written.get()
            try file.synchronize()
        } catch {
            unlink(temporary)
            throw .failed(call: error.call, path: error.path, errno: error.errno)
        }
        return temporary
    }

    /// Returns when the names in the folder are on the disk.
    static func synchronizeFolder(of path: String) throws(IdentityError) {
        try withFolder(of: path) { folder throws(IdentityError) in
            guard fsync(folder) == 0 else { throw failure("fsync", path) }
        }
    }

    private static func withFolder(
        of path: String, _ body: (Int32) throws(IdentityError) -> Void
    ) throws(IdentityError) {
        let folder = open(PathParts.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("open", path) }
        defer { close(folder) }
        try body(folder)
    }

    static func failure(_ call: String, _ path: String) -> IdentityError {
        .failed(call: call, path: path, errno: errno)
    }
}
