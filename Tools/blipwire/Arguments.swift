// The words of the command line, taken one after the other by the commands.

internal import BLIPNet
internal import Glibc
internal import Workbench

/// What is left of the command line.
struct Arguments {
    private var words: [String]

    init(_ words: [String]) { self.words = words }

    /// Whether the option is there.
    mutating func takeFlag(_ name: String) -> Bool {
        guard let index = words.firstIndex(of: name) else { return false }
        words.remove(at: index)
        return true
    }

    /// The value after the option; `nil` when the option is not there.
    mutating func takeValue(_ name: String) throws(UsageError) -> String? {
        guard let index = words.firstIndex(of: name) else { return nil }
        guard index + 1 < words.count else { throw UsageError("`\(name)` needs a value") }
        defer { words.removeSubrange(index...(index + 1)) }
        return words[index + 1]
    }

    /// A decimal number of at least `minimum`.
    mutating func takeNumber(_ name: String, minimum: Int = 1) throws(UsageError) -> Int? {
        guard let text = try takeValue(name) else { return nil }
        guard let number = Int(text), number >= minimum, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw UsageError("`\(name)` needs a number of at least \(minimum), not `\(text)`")
        }
        return number
    }

    /// The next word that is not an option.
    mutating func takeWord(_ what: String) throws(UsageError) -> String {
        guard let first = words.first, !first.hasPrefix("-") else { throw UsageError("\(what) is missing") }
        return words.removeFirst()
    }

    /// All words must have been taken by now.
    func finish() throws(UsageError) {
        if let rest = words.first { throw UsageError("`\(rest)` is not understood here") }
    }
}

/// What `serve`, `client` and `bench` have in common.
struct LinkArguments {
    /// Settings for a listener or a call; the identity is not in it yet.
    var options = LinkOptions()
    private var identityFile: String?

    init(_ arguments: inout Arguments) throws(UsageError) {
        options.blip = .workbench
        let dialect = try arguments.takeValue("--dialect") ?? "blip3"
        guard dialect == "blip3" else { throw UsageError("the dialect `\(dialect)` is not supported; blip3 is") }
        if let name = try arguments.takeValue("--app") {
            let isToken = name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
            guard isToken, !name.isEmpty else { throw UsageError("`\(name)` cannot be part of a subprotocol") }
            options.application = name
        }
        identityFile = try arguments.takeValue("--identity")
        if let hex = try arguments.takeValue("--peer") {
            guard let fingerprint = SPKIFingerprint(hex: hex) else {
                throw UsageError("`--peer` needs 64 hexadecimal digits")
            }
            options.expectedPeer = fingerprint
        }
    }

    /// Calls `url`, offering the workbench's profiles to the other side.
    func connect(to url: PeerURL) async throws -> PeerLink {
        var link = self
        link.options.path = url.path
        if url.isEncrypted { try link.loadIdentity() }
        return try await PeerLink.connect(to: url.endpoint, options: link.options, handler: WorkbenchHandler())
    }

    /// Adds our key: from the file, which is made if it is not there, or a new one for this run.
    mutating func loadIdentity() throws {
        guard let identityFile else {
            options.identity = try TLSIdentity.generate()
            return
        }
        if let pem = try IdentityFile.read(identityFile) {
            options.identity = try TLSIdentity(pem: pem)
        } else {
            let identity = try TLSIdentity.generate()
            try IdentityFile.create(identityFile, identity.pem())
            options.identity = identity
        }
    }
}

/// A file with a secret key.
private enum IdentityFile {
    private static let maxByteCount = 65_536

    /// `nil` when there is no file.
    static func read(_ path: String) throws(LinkError) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .transport(call: "open \(path)", errno: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maxByteCount)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw .transport(call: "read \(path)", errno: errno) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Readable by its owner only, and never over another file.
    static func create(_ path: String, _ text: String) throws(LinkError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .transport(call: "open \(path)", errno: errno) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw .transport(call: "write \(path)", errno: errno)
        }
    }
}

/// Where `client` and `bench` call.
struct PeerURL {
    let endpoint: Endpoint
    let path: String
    let isEncrypted: Bool

    init(_ text: String) throws(UsageError) {
        let wrong = UsageError("`\(text)` is not a URL like ws://HOST:PORT/, wss://HOST:PORT/ or unix:/PATH")
        if text.hasPrefix("unix:") {
            guard let endpoint = Endpoint(text) else { throw wrong }
            self.endpoint = endpoint
            path = "/"
            isEncrypted = false
            return
        }
        let scheme = text.hasPrefix("wss://") ? "wss://" : "ws://"
        guard text.hasPrefix(scheme) else { throw wrong }
        let rest = text.dropFirst(scheme.count)
        let host = rest.prefix { $0 != "/" }
        guard let endpoint = Endpoint(String(host), defaultPort: scheme == "wss://" ? 443 : 80) else { throw wrong }
        self.endpoint = endpoint
        path = host.count == rest.count ? "/" : String(rest.dropFirst(host.count))
        isEncrypted = scheme == "wss://"
    }
}

extension SPKIFingerprint {
    /// Reads 64 hexadecimal digits.
    init?(hex: String) {
        let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, hex.utf8.count == 64 else { return nil }
        self.init(stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
