// A file with a secret key: read, or made for its owner only.

internal import BLIPNet
internal import Glibc

/// The value of `--identity`: our key from that file, which is made if it is not there, or without one a new key for
/// this run.
struct OwnIdentity: Sendable {
    private let file: String?

    init(file: String?) { self.file = file }

    func load() throws -> TLSIdentity {
        guard let file else { return try TLSIdentity.generate(commonName: "blipchat") }
        if let pem = try IdentityFile.read(file) {
            do throws(TLSError) { return try TLSIdentity(pem: pem) } catch {
                let reason = if case .invalidIdentity(let reason) = error { reason } else { "\(error)" }
                throw LocalError(file, "contains no usable key: \(reason)")
            }
        }
        let identity = try TLSIdentity.generate(commonName: "blipchat")
        try IdentityFile.create(file, identity.pem())
        return identity
    }
}

/// The file of `--identity`.
enum IdentityFile {
    private static let maxByteCount = 65_536

    /// `nil` when there is no file.
    static func read(_ path: String) throws -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw LocalError(path, errno: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maxByteCount)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw LocalError(path, errno: errno) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Readable by its owner only, and never over another file.
    static func create(_ path: String, _ text: String) throws(LocalError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw LocalError(path, errno: errno) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw LocalError(path, errno: errno) }
    }
}

/// Something of this machine cannot be used.
struct LocalError: Error, Equatable {
    /// The file, address or stream that is meant.
    var what: String
    var reason: String

    init(_ what: String, _ reason: String) {
        self.what = what
        self.reason = reason
    }

    init(_ what: String, errno number: Int32) { self.init(what, String(cString: strerror(number))) }
}
