// `blipwire tap`: decodes a plain link that others have, recorded or on its way through, into lines.

internal import Arguments
internal import BLIPNet
internal import Glibc
internal import Workbench

struct TapCommand: Command {
    /// The source that the command looks at.
    private enum Place {
        /// A capture; `-` is standard input.
        case file(String, port: UInt16?)
        case live(listen: Endpoint, target: Endpoint)
    }

    static let specification = CommandSpecification<CommandName>(
        .tap, operands: "[FILE]", count: 0...1, "decode a plain link, recorded or live, into lines",
        details: """
            FILE is a capture (pcap, or pcapng with its usual blocks); `-` is standard input, as in
            `tcpdump -U -w - tcp port 9000 | blipwire tap -`. With --listen and --target instead it passes calls
            on unchanged until SIGINT or SIGTERM, and prints what goes through.
            A line has the seconds since the beginning, the number of the connection, -> (from the caller) or <-, and
            what it is: an HTTP head, a WebSocket control frame, a BLIP frame; the last frame of a message also has
            its properties and the size of its body. `!` stands before what is wrong or missing. Links with TLS
            cannot be read.
            Limits: packets and WebSocket messages of 1 MiB, heads of 16 KiB; of a capture 1,024 connections at a
            time, which hold 128 MiB together. What is beyond them is left out, and a line says so.
            """,
        options: [
            OptionSpecification("--listen", value: "HOST:PORT", "live: where to listen"),
            OptionSpecification("--target", value: "HOST:PORT", "live: where the calls go"),
            OptionSpecification("--port", value: "PORT", "of a capture: only connections of this TCP port"),
            OptionSpecification(
                "--dialect", value: "blip3|blip2|blip",
                "what is spoken where the handshake does not say it, or is not in the capture"),
            Output.option,
        ])

    private let place: Place
    private let dialect: BLIPDialect?
    private let output: Output

    init(_ arguments: ParsedArguments<CommandName>) throws(UsageError) {
        dialect = try arguments.has("--dialect") ? Dialect(arguments).value : nil
        output = Output(isJSON: arguments.has("--json"))
        let isLive = arguments.has("--listen") || arguments.has("--target")
        guard let file = arguments.operands.first else {
            guard isLive else { throw UsageError("FILE", "missing, or --listen and --target") }
            guard !arguments.has("--port") else { throw UsageError("--port", "is for a capture") }
            place = .live(
                listen: try ProxyCommand.place(arguments, "--listen"),
                target: try ProxyCommand.place(arguments, "--target"))
            return
        }
        guard !isLive else { throw UsageError(file, "excludes --listen and --target") }
        place = .file(file, port: try arguments.number("--port", in: 1...65_535).map { UInt16($0) })
    }

    func run() async throws -> ExitCode {
        switch place {
        case .file(let file, let port): try read(file, port)
        case .live(let listen, let target): try await LiveTap(dialect, output).run(listen, target)
        }
        return .done
    }

    // MARK: A capture

    /// Waits for standard input or the disk in this thread: nothing else happens.
    private func read(_ file: String, _ port: UInt16?) throws {
        let isInput = file == "-"
        let descriptor = isInput ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LocalError(file, errno: errno) }
        defer { if !isInput { close(descriptor) } }
        let name = isInput ? "standard input" : file
        var reader = CaptureReader()
        var tap = CaptureTap(dialect: dialect, port: port)
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            guard count != 0 else { break }
            if count < 0 {
                guard errno == EINTR else { throw LocalError(name, errno: errno) }
                continue
            }
            reader.append(part[..<count])
            while let packet = try next(&reader, &tap, name) { try show(tap.take(packet)) }
        }
        var problem: String?
        do throws(CaptureError) { try reader.finish() } catch { problem = error.reason }
        guard tap.hasPackets || problem == nil else { throw LocalError(name, problem ?? "") }
        try show(tap.finish())
        if let problem { try show([tap.note("the capture \(problem)")]) }
    }

    /// The next packet. Where there can be none any more, what came before it is shown, then that.
    private func next(
        _ reader: inout CaptureReader, _ tap: inout CaptureTap, _ name: String
    ) throws -> CapturedPacket? {
        do throws(CaptureError) { return try reader.next() } catch {
            if tap.hasPackets { try show(tap.finish()) }
            throw LocalError(name, error.reason)
        }
    }

    private func show(_ lines: [TapLine]) throws(OutputError) {
        for line in lines { try output.show(line) }
    }
}

extension Output {
    func show(_ line: TapLine) throws(OutputError) { try Self.line(isJSON ? line.json.text : line.text) }
}
