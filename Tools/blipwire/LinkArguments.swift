// The options that `serve`, `client` and `bench` have in common: how a link is to be made.

internal import Arguments
internal import BLIPNet
internal import Workbench

/// Settings for a listener or a call.
struct LinkArguments: Sendable {
    private(set) var options: LinkOptions
    let dialect: Dialect
    private let identity: OwnIdentity

    static let dialectOption = OptionSpecification(
        "--dialect", value: "blip3|blip2|blip", "wire format: BLIP_3, BLIP 2.0 or BLIP as of 2013; default blip3")
    static let appOption = OptionSpecification(
        "--app", value: "NAME", "the application in the subprotocol BLIP_3+NAME; default blipchat_1")
    static let identityOption = OptionSpecification(
        "--identity", value: "FILE", "PEM file with our key and certificate, created if missing; default a new key"
    )
    static let peerOption = OptionSpecification(
        "--peer", value: "HEX", "wss: SHA-256 of the public key that the server must have")

    init(_ arguments: ParsedArguments<CommandName>, dialect: Dialect) throws(UsageError) {
        options = LinkOptions()
        options.application = "blipchat_1"
        options.blip = .workbench
        self.dialect = dialect
        options.dialects = [dialect.value]
        if let name = arguments.text("--app") {
            let isToken = name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
            guard isToken, !name.isEmpty else { throw UsageError("--app", "`\(name)` cannot be part of a subprotocol") }
            options.application = name
        }
        identity = OwnIdentity(file: arguments.text("--identity"))
    }

    /// For a listener. `isPlain` means without TLS.
    func listening(isPlain: Bool) throws -> LinkOptions {
        var options = options
        options.acceptsAnyPath = true
        if !isPlain { options.identity = try identity.load() }
        return options
    }

    /// For a call.
    func calling(_ url: WebSocketURL, expecting peer: SPKIFingerprint?) throws -> LinkOptions {
        var options = options
        options.path = url.target
        options.expectedPeer = peer
        if url.isEncrypted { options.identity = try identity.load() }
        return options
    }
}

/// The values of `--dialect`.
enum Dialect: String, Sendable, CaseIterable {
    case blip3, blip2, blip

    /// Reads the option; without it `otherwise` counts.
    init(_ arguments: ParsedArguments<CommandName>, otherwise: Dialect = .blip3) throws(UsageError) {
        guard let name = arguments.text("--dialect") else {
            self = otherwise
            return
        }
        guard let dialect = Dialect(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--dialect", "`\(name)` is not one of \(names)")
        }
        self = dialect
    }

    var value: BLIPDialect {
        switch self {
        case .blip3: .blip3
        case .blip2: .blip2
        case .blip: .blip2013
        }
    }
}

/// Whom `client` and `bench` call, and how.
struct CallArguments: Sendable {
    let url: WebSocketURL
    let link: LinkArguments
    private let expectedPeer: SPKIFingerprint?

    static let options = [
        LinkArguments.dialectOption, LinkArguments.appOption, LinkArguments.identityOption, LinkArguments.peerOption,
    ]
    static let urls = """
        ws://HOST:PORT/PATH (plain), wss://HOST:PORT/PATH (TLS 1.3) or unix:/PATH (plain). With the query
        dialect=2.0 the default dialect is blip2.
        """

    init(_ arguments: ParsedArguments<CommandName>) throws(UsageError) {
        let text = arguments.operands.first ?? ""
        do throws(WebSocketURLError) { url = try WebSocketURL(text) } catch {
            throw UsageError(text, "not a URL like ws://HOST:PORT/, wss://HOST:PORT/ or unix:/PATH")
        }
        guard url.credentials == nil else { throw UsageError(text, "a link takes no user name and password") }
        let query = url.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let namesSecond = query.split(separator: "&").contains("dialect=2.0")
        link = try LinkArguments(arguments, dialect: Dialect(arguments, otherwise: namesSecond ? .blip2 : .blip3))
        expectedPeer = try arguments.text("--peer").map { hex throws(UsageError) in
            guard let fingerprint = SPKIFingerprint(hex: hex) else {
                throw UsageError("--peer", "`\(hex)` is not 64 hexadecimal digits")
            }
            return fingerprint
        }
        for option in ["--peer", "--identity"] where arguments.has(option) && !url.isEncrypted {
            throw UsageError(option, "needs TLS, and \(text) is plain")
        }
    }

    /// Calls, offering the workbench's profiles to the other side.
    func connect() async throws -> PeerLink {
        let options = try link.calling(url, expecting: expectedPeer)
        do throws(LinkError) {
            return try await PeerLink.connect(to: url.endpoint, options: options, handler: WorkbenchHandler())
        } catch {
            throw CallError(url: url.description, cause: error)
        }
    }
}

/// There is no link to the server.
struct CallError: Error, Equatable {
    /// As a person knows it.
    var url: String
    var cause: LinkError
}
