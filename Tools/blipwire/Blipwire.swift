// From the command line to a command, and from errors to sentences and exit codes.

internal import Arguments
internal import BLIPNet
internal import Glibc
internal import Workbench

/// The program.
enum Blipwire {
    /// Every command, in the order of the help text.
    static let commands: [any Command.Type] = [
        ServeCommand.self, ClientCommand.self, BenchCommand.self, WSEchoCommand.self, WSConformanceCommand.self,
        ProxyCommand.self, TapCommand.self,
    ]

    /// The options that every command understands.
    static let options = [OptionSpecification("--help", short: "h", "show this help")]

    static let parser = ArgumentParser(
        program: "blipwire",
        commands: commands.map { $0.specification } + [
            CommandSpecification(.manual, "print the manual page blipwire(1)"),
            CommandSpecification(.help, operands: "[COMMAND]", count: 0...1, ""),
        ],
        globalOptions: options, help: .help)

    /// Runs a command and returns the exit code.
    static func run(_ words: [String]) async -> ExitCode {
        // Writing to a pipe that nobody reads any more is an error with a sentence, not our death.
        signal(SIGPIPE, SIG_IGN)
        var title = "blipwire"
        do {
            let arguments = try parser.parse(words)
            if arguments.command == .manual {
                try Output.text(HelpText.manual)
                return .done
            }
            // `help` is not one of them: its operand is.
            let name = arguments.command == .help ? arguments.operands.first : arguments.command.rawValue
            guard let name else {
                try Output.text(HelpText.overview)
                return .done
            }
            guard let command = commands.first(where: { $0.specification.name.rawValue == name }) else {
                throw parser.unknownCommand(name)
            }
            title += " " + name
            if arguments.command == .help {
                try Output.text(HelpText.of(command.specification))
                return .done
            }
            return try await command.init(arguments).run()
        } catch {
            let (code, sentence) = outcome(of: error, title)
            if let sentence { Output.complain("\(title): \(sentence)") }
            return code
        }
    }

    /// The exit code and what to say.
    private static func outcome(of error: any Error, _ title: String) -> (ExitCode, String?) {
        switch error {
        case let error as UsageError:
            (.usage, "\(error.subject): \(error.reason) (\(error.advice ?? "`\(title) --help` says more"))")
        case let error as OutputError:
            error.errno == EPIPE
                ? (.brokenPipe, nil) : (.local, "standard output: \(String(cString: strerror(error.errno)))")
        case let error as LocalError: (.local, "\(error.what): \(error.reason)")
        case let error as CallError: (error.cause.exitCode, "\(error.url): \(error.cause.sentence)")
        case MeasurementError.link(let error): (error.exitCode, error.sentence)
        case MeasurementError.unexpectedAnswer(let text): (.failed, "the other side answered unexpectedly: \(text)")
        case let error as LinkError: (error.exitCode, error.sentence)
        case let error as WebSocketError: (error.exitCode, error.sentence)
        case let error as TLSError: (.local, "TLS cannot start here: \(error)")
        default: (.failed, "\(error)")
        }
    }
}

extension LinkError {
    var exitCode: ExitCode {
        if case .wrongIdentity = self { return .identity }
        return .network
    }

    /// The error in words, for a person.
    var sentence: String {
        switch self {
        case .closedLocally: "we closed the link"
        case .closedByPeer(let code, let reason):
            "the other side closed the link (\(code)\(reason.isEmpty ? "" : ", \(reason)"))"
        case .disconnected: "the connection ended without a goodbye"
        case .peerViolated(let layer, let reason): "the other side broke the protocol (\(layer): \(reason))"
        case .timedOut(let what): "time-out: \(what)"
        case .transport(let call, let number): "\(call): \(String(cString: strerror(number)))"
        case .unresolvable(let host, let reason): "\(host): cannot be resolved (\(reason))"
        case .wrongIdentity(let expected, let presented):
            "the other side has key \(presented.bytes.hex), not \(expected.bytes.hex)"
        case .notBLIP(let reason): "the other side does not speak our protocol: \(reason)"
        case .bodyFailed(let reason): "a body could not be read or written: \(reason)"
        case .proxyFailed(let reason): "proxy: \(reason)"
        case .relayFailed(let failure): "relay \(failure.relay): \(failure.problem)"
        case .onionFailed(let problem): "tor: \(problem)"
        case .limitExceeded(let reason): "limit: \(reason)"
        }
    }
}
