// `blipwire ws-conformance`: the client's side of the Autobahn suite. Its fuzzing server plays one case per connection;
// the client has to send back what it gets.

internal import Arguments
internal import BLIPNet
internal import Workbench

struct WSConformanceCommand: Command {
    static let specification = CommandSpecification<CommandName>(
        .wsConformance, operands: "URL", count: 1...1, "play the cases of an Autobahn fuzzing server as its client",
        details: """
            URL is that of the fuzzing server (wstest -m fuzzingserver), for example ws://127.0.0.1:9001. The verdicts
            are in the reports that the suite writes.
            """,
        options: [
            OptionSpecification("--agent", value: "NAME", "our name in the reports; default blipwire"), Output.option,
        ])

    private let url: WebSocketURL
    private let agent: String
    private let output: Output

    init(_ arguments: ParsedArguments<CommandName>) throws(UsageError) {
        agent = arguments.text("--agent") ?? "blipwire"
        guard !agent.isEmpty, agent.utf8.allSatisfy(Self.isPlain) else {
            throw UsageError("--agent", "takes letters, digits, `-`, `_` and `.`")
        }
        let text = arguments.operands.first ?? ""
        do throws(WebSocketURLError) { url = try WebSocketURL(text) } catch {
            throw UsageError(text, "not a URL like ws://HOST:PORT")
        }
        output = Output(isJSON: arguments.has("--json"))
    }

    /// A byte that a URL and a file name can contain as it is.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Plays every case, and lets the suite write its reports.
    func run() async throws -> ExitCode {
        guard let count = try await caseCount() else {
            Output.complain("blipwire ws-conformance: \(url): no Autobahn fuzzing server")
            return .failed
        }
        for number in stride(from: 1, through: count, by: 1) {
            try await play("/runCase?case=\(number)&agent=\(agent)")
        }
        try await play("/updateReports?agent=\(agent)")
        try output.say(
            "\(count) cases played",
            record: ["event": .string("done"), "cases": .integer(Int64(count)), "agent": .string(agent)])
        return .done
    }

    /// Echoes until the server closes the connection.
    private func play(_ target: String) async throws {
        _ = await (try connect(target, handler: EchoHandler.shared)).waitUntilClosed()
    }

    /// `nil` when the server says something else than a number.
    private func caseCount() async throws -> Int? {
        let channel = try await connect("/getCaseCount", handler: nil)
        let message = try await channel.receive()
        channel.close()
        guard case .text(let text)? = message else { return nil }
        return Int(text)
    }

    private func connect(_ target: String, handler: (any WebSocketHandler)?) async throws -> WebSocketChannel {
        var request = WebSocketRequest(url: url.with(target: target))
        request.deflate = PermessageDeflate()
        request.limits.maxMessageBytes = 64 << 20
        // The suite counts the frames that it gets, and takes its time on a busy machine.
        request.limits.keepaliveInterval = nil
        request.limits.handshakeTimeout = .seconds(60)
        request.limits.closeTimeout = .seconds(30)
        return try await WebSocketChannel.connect(request, handler: handler)
    }
}

extension WebSocketError {
    var exitCode: ExitCode {
        switch self {
        case .badRequest: .usage
        case .tls(.untrusted), .tls(.wrongKey): .identity
        default: .network
        }
    }

    /// The error in words, for a person.
    var sentence: String {
        switch self {
        case .badRequest(let reason): reason
        case .refused(let response): "the server answered \(response.status) \(response.reason)"
        case .tooManyRedirects: "the server redirects endlessly"
        case .redirectRefused(let location, let reason): "the server redirects to \(location): \(reason)"
        case .refusedByProxy(let response): "the proxy answered \(response.status) \(response.reason)"
        case .proxyViolated(let reason): "the proxy does not speak HTTP: \(reason)"
        case .unusableProxy(let variable): "the proxy in \(variable) cannot be used"
        case .tls(let error): "TLS: \(error)"
        case .link(let error): error.sentence
        }
    }
}
