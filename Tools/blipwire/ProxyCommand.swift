// `blipwire proxy`: sits between two peers and lets things go wrong at chosen bytes.

internal import Arguments
internal import BLIPNet
internal import Synchronization
internal import Workbench

struct ProxyCommand: Command {
    static let specification = CommandSpecification<CommandName>(
        .proxy, "pass calls on to another place and make things go wrong on the way",
        details: """
            Prints its address when it is ready, and how each connection ended; runs until SIGINT or SIGTERM.
            SCRIPT is KIND@DIRECTION:BYTE, several with commas. DIRECTION is `up` (from the caller to the target) or
            `down`; BYTE counts what has gone through before. KIND is
              cut           both connections are closed cleanly
              reset         both are reset
              silence       nothing goes through any more, and no end is passed on (half-open)
              stall=SECONDS the direction waits, then continues
              trickle       from here on every byte is written on its own
              corrupt[=MASK] the byte is changed (XOR, 1 to 255; default 1)
            """,
        options: [
            OptionSpecification("--listen", value: "HOST:PORT", required: true, "where to listen"),
            OptionSpecification("--target", value: "HOST:PORT", required: true, "where the calls go"),
            OptionSpecification("--faults", value: "SCRIPT", "what goes wrong, as `cut@up:1000,trickle@down:0`"),
            OptionSpecification(
                "--times", value: "N", "with the first N connections only; default: with every one"),
            OptionSpecification(
                "--sweep", value: "STEP", "with each further connection STEP bytes later (cut at every byte: 1)"),
            Output.option,
        ])

    private let endpoint: Endpoint
    private let target: Endpoint
    private let script: FaultScript
    private let times: Int
    private let step: UInt64
    private let output: Output

    init(_ arguments: ParsedArguments<CommandName>) throws(UsageError) {
        endpoint = try Self.place(arguments, "--listen")
        target = try Self.place(arguments, "--target")
        let text = arguments.text("--faults")
        guard let script = text.map({ FaultScript($0) }) ?? FaultScript() else {
            throw UsageError("--faults", "`\(text ?? "")` is not KIND@DIRECTION:BYTE")
        }
        self.script = script
        times = try arguments.number("--times", in: 0...Int.max) ?? .max
        step = UInt64(try arguments.number("--sweep", in: 0...Int(Int32.max)) ?? 0)
        output = Output(isJSON: arguments.has("--json"))
    }

    /// The value of an option that names a place of the network.
    static func place(_ arguments: ParsedArguments<CommandName>, _ name: String) throws(UsageError) -> Endpoint {
        let text = arguments.text(name) ?? ""
        guard let endpoint = Endpoint(text), case .host = endpoint else {
            throw UsageError(name, "`\(text)` is not HOST:PORT")
        }
        return endpoint
    }

    /// Runs until a signal ends it.
    func run() async throws -> ExitCode {
        let end = EndSignal()
        let (reports, source) = AsyncStream<FaultReport>.makeStream()
        let proxy: FaultProxy
        do throws(FaultProxyError) {
            proxy = try FaultProxy(listen: endpoint, target: target, observer: { source.yield($0) }) {
                [script, times, step] number in
                number <= times ? script.moved(by: UInt64(number - 1) * step) : FaultScript()
            }
        } catch {
            throw LocalError(error.call == "getaddrinfo" ? target.description : endpoint.description, error.sentence)
        }
        let address = proxy.localEndpoint.description
        try output.say(
            "listening on \(address)", record: ["event": .string("listening"), "address": .string(address)])
        let printing = Task { [output] in
            for await report in reports { try output.say(report.sentence, record: report.record) }
        }
        await end.wait()
        proxy.stop()
        // The last connections end with the proxy, and it reports them, too.
        await proxy.waitUntilStopped()
        source.finish()
        try await printing.value
        return .done
    }
}
