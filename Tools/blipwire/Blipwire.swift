// From the command line to a command, and from errors to sentences and exit codes.

internal import BLIPNet
internal import Glibc
internal import Workbench

/// The program.
enum Blipwire {
    static let usage = """
        blipwire: a workbench for the protocols of blipchat

          blipwire serve --listen HOST:PORT [--insecure | --identity FILE] [--app NAME] [--origin ORIGIN]
              Answers the workbench's profiles until it is interrupted. Says its address and the
              fingerprint of its key on standard output. HOST `*` means all addresses, port 0 any free one.
              Callers that send an `Origin` are refused, as web pages must be, but for ORIGIN.

          blipwire client URL [--big BYTES] [--concurrency N] [--identity FILE] [--peer HEX] [--app NAME]
              Tries every profile of the server, and lets the server try ours. Prints one line for each;
              the exit code is 1 if any failed.

          blipwire bench URL --what seq|pipe|big|pull|bigz|urgent|urgent2 [--bytes BYTES] [--json]
                   [--identity FILE] [--peer HEX] [--app NAME]
              seq, pipe: 32-byte echoes, one at a time and 100 deep. big, pull: one request or response of
              1 GiB. bigz: compressed text. urgent, urgent2: latency of urgent echoes beside 1 and 16 bodies.

        URL is ws://HOST:PORT/PATH (plain), wss://HOST:PORT/PATH (TLS 1.3, no host names: --peer pins the key)
        or unix:/PATH (plain).
          --dialect blip3   the only dialect so far
          --identity FILE   PEM file with key and certificate; made if it is not there. Default: a new key each time
          --peer HEX        SHA-256 of the public key that the other side must have
          --app NAME        application part of the subprotocol BLIP_3+NAME (default blipchat_1)
        """

    /// Runs a command and returns the exit code: 0 well, 1 it failed, 2 it was not understood.
    static func run(_ arguments: [String]) async -> Int32 {
        do {
            var arguments = Arguments(arguments)
            guard !arguments.takeFlag("--help"), !arguments.takeFlag("-h") else {
                print(usage)
                return 0
            }
            let command = try arguments.takeWord("a command (serve, client or bench)")
            switch command {
            case "serve": return try await ServeCommand(&arguments).run()
            case "client": return try await ClientCommand(&arguments).run()
            case "bench": return try await BenchCommand(&arguments).run()
            default: throw UsageError("there is no command `\(command)`")
            }
        } catch let error as UsageError {
            complain("blipwire: \(error.reason). `blipwire --help` shows the commands.")
            return 2
        } catch let error as LinkError {
            complain("blipwire: \(error.sentence)")
        } catch let error as TLSError {
            complain("blipwire: the identity cannot be used: \(error)")
        } catch let error as MeasurementError {
            switch error {
            case .link(let error): complain("blipwire: \(error.sentence)")
            case .unexpectedAnswer(let text): complain("blipwire: the other side answered unexpectedly: \(text)")
            }
        } catch {
            complain("blipwire: \(error)")
        }
        return 1
    }

    private static func complain(_ sentence: String) {
        // What a peer says reaches a terminal here: nothing but printable characters.
        let safe = sentence.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : $0 }
        let bytes = Array((String(String.UnicodeScalarView(safe)) + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Prints a line at once, also when the output is a pipe.
    static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

/// The command line cannot be understood.
struct UsageError: Error {
    var reason: String
    init(_ reason: String) { self.reason = reason }
}

extension LinkError {
    /// What happened, for a person.
    var sentence: String {
        switch self {
        case .closedLocally: "we closed the link"
        case .closedByPeer(let code, let reason):
            "the other side closed the link (\(code)\(reason.isEmpty ? "" : ", \(reason)"))"
        case .disconnected: "the connection ended without a word"
        case .peerViolated(let layer, let reason): "the other side broke the protocol (\(layer): \(reason))"
        case .timedOut(let what): "time-out: \(what)"
        case .transport(let call, let number): "\(call): \(String(cString: strerror(number)))"
        case .unresolvable(let host, let reason): "\(host) cannot be resolved: \(reason)"
        case .wrongIdentity(let expected, let presented):
            "the other side has key \(presented.bytes.hex), not \(expected.bytes.hex)"
        case .notBLIP(let reason): "the other side does not speak our protocol: \(reason)"
        case .bodyFailed(let reason): "a body could not be read or written: \(reason)"
        case .limitExceeded(let reason): "limit: \(reason)"
        }
    }
}
