// `blipwire ws-echo`: a WebSocket server that sends every message back, for conformance suites and benchmarks.

internal import Arguments
internal import BLIPNet
internal import Workbench

struct WSEchoCommand: Command {
    private static let defaultMaxMessage = 64 << 20

    static let specification = CommandSpecification<CommandName>(
        .wsEcho, "send every WebSocket message back until SIGINT or SIGTERM",
        details: """
            Prints its address when it is ready. HOST `*` means every address, port 0 any free one; unix:/PATH is a
            UNIX-domain socket. Sends no pings of its own. Accepts any path, and no subprotocol. With --tls it also
            prints the fingerprint of its key.
            """,
        options: [
            OptionSpecification("--listen", value: "HOST:PORT", required: true, "where to listen, or unix:/PATH"),
            OptionSpecification("--tls", "wss: TLS 1.2 or later, clients need no certificate"),
            LinkArguments.identityOption,
            OptionSpecification("--deflate", "agree to compression (RFC 7692) when a client offers it"),
            OptionSpecification(
                "--max-message", value: "BYTES", "refuse larger messages; default \(defaultMaxMessage)"),
            OptionSpecification(
                "--origin", value: "ORIGIN", "accept callers that send this `Origin`; refuse others that send one"),
            Output.option,
        ])

    private let endpoint: Endpoint
    private let options: WebSocketListenerOptions
    private let identity: OwnIdentity?
    private let output: Output

    init(_ arguments: ParsedArguments<CommandName>) throws(UsageError) {
        let text = arguments.text("--listen") ?? ""
        guard let endpoint = Endpoint(text) else {
            throw UsageError("--listen", "`\(text)` is not HOST:PORT or unix:/PATH")
        }
        self.endpoint = endpoint
        var handshake = WebSocketServerOptions(allowsNoSubprotocol: true)
        handshake.limits.maxMessageBytes =
            try arguments.number("--max-message", in: 1...Int.max >> 1) ?? Self.defaultMaxMessage
        if arguments.has("--deflate") { handshake.deflate = PermessageDeflate() }
        if let origin = arguments.text("--origin") { handshake.allowedOrigins = [origin] }
        // A suite counts the frames that it gets.
        handshake.limits.keepaliveInterval = nil
        var options = WebSocketListenerOptions(handshake: handshake)
        options.admission = .workbench
        self.options = options
        let isEncrypted = arguments.has("--tls")
        guard isEncrypted || !arguments.has("--identity") else { throw UsageError("--identity", "needs --tls") }
        identity = isEncrypted ? OwnIdentity(file: arguments.text("--identity")) : nil
        output = Output(isJSON: arguments.has("--json"))
    }

    /// Runs until a signal ends it.
    func run() async throws -> ExitCode {
        let end = EndSignal()
        var options = options
        let identity = try identity?.load()
        options.tls = identity.map { .server(identity: $0) }
        let connections = OpenConnections()
        let listener: WebSocketListener
        do throws(LinkError) {
            listener = try WebSocketListener.listen(on: endpoint, options: options) { channel in
                connections.add(channel)
                return EchoHandler.shared
            }
        } catch {
            throw LocalError(endpoint.description, error.sentence)
        }
        let address = listener.localEndpoint.description
        let fingerprint = identity?.fingerprint.bytes.hex
        try output.say(
            "listening on \(address)",
            record: [
                "event": .string("listening"), "address": .string(address),
                "fingerprint": fingerprint.map { .string($0) } ?? .null,
            ])
        if let fingerprint, !output.isJSON { try Output.line("fingerprint \(fingerprint)") }
        await end.wait()
        listener.close()
        await connections.sayGoodbye()
        return .done
    }
}

/// Sends back what it gets, from the receive buffer straight into the send buffer. Without state, so one is enough.
final class EchoHandler: WebSocketHandler {
    static let shared = EchoHandler()

    func received(
        _ kind: WebSocketMessageKind, _ payload: UnsafeRawBufferPointer, on channel: isolated WebSocketChannel
    ) {
        channel.reply(kind, payload)
    }
}
