// `blipwire serve`: answers the workbench's profiles.

internal import Arguments
internal import BLIPNet
internal import Workbench

struct ServeCommand: Command {
    static let specification = CommandSpecification<CommandName>(
        .serve, "answer the workbench's profiles until SIGINT or SIGTERM",
        details: """
            Prints its address (and the fingerprint of its key) when it is ready. HOST `*` means every address, port 0
            any free one; unix:/PATH is a UNIX-domain socket, always plain. Accepts any path in a URL.
            """,
        options: [
            OptionSpecification("--listen", value: "HOST:PORT", required: true, "where to listen, or unix:/PATH"),
            LinkArguments.dialectOption, LinkArguments.appOption,
            OptionSpecification("--insecure", "plain ws instead of TLS"), LinkArguments.identityOption,
            OptionSpecification(
                "--origin", value: "ORIGIN", "accept callers that send this `Origin`; refuse others that send one"),
            Output.option,
        ])

    private let endpoint: Endpoint
    private let link: LinkArguments
    private let isUNIX: Bool
    private let isPlain: Bool
    private let origin: String?
    private let output: Output

    init(_ arguments: ParsedArguments<CommandName>) throws(UsageError) {
        let text = arguments.text("--listen") ?? ""
        guard let endpoint = Endpoint(text) else {
            throw UsageError("--listen", "`\(text)` is not HOST:PORT or unix:/PATH")
        }
        self.endpoint = endpoint
        isUNIX = if case .unix = endpoint { true } else { false }
        isPlain = arguments.has("--insecure") || isUNIX
        guard !isPlain || !arguments.has("--identity") else {
            throw UsageError("--identity", isUNIX ? "a UNIX-domain socket is plain" : "excludes --insecure")
        }
        origin = arguments.text("--origin")
        link = try LinkArguments(arguments, dialect: Dialect(arguments))
        output = Output(isJSON: arguments.has("--json"))
    }

    /// Runs until a signal ends it.
    func run() async throws -> ExitCode {
        let end = EndSignal()
        var options = try link.listening(isPlain: isPlain)
        if let origin { options.allowedOrigins = [origin] }
        let connections = OpenConnections()
        let listener: LinkListener
        do throws(LinkError) {
            listener = try LinkListener.listen(on: endpoint, options: options, admission: .workbench) { link in
                connections.add(link)
                return WorkbenchHandler()
            }
        } catch {
            throw LocalError(endpoint.description, error.sentence)
        }
        let address = listener.localEndpoint.description
        let scheme = isUNIX ? "" : isPlain ? "ws://" : "wss://"
        let fingerprint = options.identity?.fingerprint.bytes.hex
        try output.say(
            "listening on \(address)",
            record: [
                "event": .string("listening"), "address": .string(address),
                "url": .string(scheme + address + (isUNIX ? "" : "/")),
                "dialect": .string(link.dialect.rawValue), "application": .string(options.application),
                "fingerprint": fingerprint.map { .string($0) } ?? .null,
            ])
        if let fingerprint, !output.isJSON { try Output.line("fingerprint \(fingerprint)") }
        await end.wait()
        listener.close()
        await connections.sayGoodbye()
        return .done
    }
}
