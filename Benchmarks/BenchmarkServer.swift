// The other process: a BLIP listener with the workbench's profiles, and the bare baselines beside it.

internal import BLIPNet
internal import CLinux
internal import Dispatch
internal import Glibc
internal import Workbench

/// What the child process runs. It tells its ports on standard output and ends with its standard input.
enum BenchmarkServer {
    static func run() -> Int32 {
        do {
            let identity = try TLSIdentity.generate()
            let listener = try LinkListener.listen(
                on: .host("127.0.0.1", port: 0), options: LinkOptions(identity: identity)
            ) { _ in WorkbenchHandler() }
            guard case .host(_, let port) = listener.localEndpoint else { return 1 }
            let (bare, barePort) = try BareSocket.listen()
            let (bareTLS, bareTLSPort) = try BareSocket.listen()
            serve(bare) { serveBare($0) }
            serve(bareTLS) { serveTLS($0, identity) }
            print("\(port) \(barePort) \(bareTLSPort)")
            fflush(nil)
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) > 0 {}
            listener.close()
            return 0
        } catch {
            print("server failed: \(error)")
            return 1
        }
    }

    /// Each connection on a thread of its own.
    private static func serve(_ socket: BareSocket, _ body: @escaping @Sendable (BareSocket) -> Void) {
        DispatchQueue(label: "bare-listener").async {
            while let connection = socket.accept() {
                DispatchQueue(label: "bare-connection").async { body(connection) }
            }
        }
    }

    private static func serveBare(_ socket: BareSocket) {
        var request = [UInt8](repeating: 0, count: 9)
        guard request.withUnsafeMutableBytes({ socket.readAll(into: $0) }) else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        if request[0] == BareRequest.echo {
            while true {
                let count = buffer.withUnsafeMutableBytes { socket.read(into: $0) }
                guard count > 0 else { return }
                buffer.withUnsafeBytes { _ = socket.writeAll(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
        }
        var left = BareRequest.count(request)
        while left > 0 {
            let count = buffer.withUnsafeMutableBytes { socket.read(into: $0) }
            guard count > 0 else { return }
            left -= count
        }
        [UInt8(1)].withUnsafeBytes { _ = socket.writeAll($0) }
    }

    private static func serveTLS(_ socket: BareSocket, _ identity: TLSIdentity) {
        do {
            let connection = try BareTLSConnection(socket: socket, role: .server, identity: identity)
            try connection.handshake()
            var left = BareRequest.count(try connection.take(9))
            while left > 0 { left -= try connection.read(atLeast: 1) }
            try connection.write([1])
        } catch {
            // The client sees the end of the connection and reports it.
        }
    }
}

/// The child process as its parent sees it.
struct ServerProcess {
    struct Ports {
        var blip: UInt16
        var bare: UInt16
        var bareTLS: UInt16
    }

    let ports: Ports
    let identity: TLSIdentity
    private let process: pid_t
    private let standardInput: Int32

    /// Starts this program again with the argument `server`.
    static func start() throws -> ServerProcess {
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw SystemCallFailure("pipe") }
        for descriptor in [toChild[1], fromChild[0]] { _ = clinux_set_close_on_exec(descriptor) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO)
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("Benchmarks"), strdup("server"), nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let failure = posix_spawn(&process, "/proc/self/exe", &actions, nil, &arguments, environ)
        close(toChild[0])
        close(fromChild[1])
        guard failure == 0 else {
            errno = failure
            throw SystemCallFailure("posix_spawn")
        }
        let numbers = line(from: fromChild[0]).split(separator: " ").compactMap { UInt16($0) }
        close(fromChild[0])
        guard numbers.count == 3 else { throw SystemCallFailure("the server did not start") }
        return ServerProcess(
            ports: Ports(blip: numbers[0], bare: numbers[1], bareTLS: numbers[2]),
            identity: try TLSIdentity.generate(), process: process, standardInput: toChild[1])
    }

    private static func line(from descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    func connect() async throws(LinkError) -> PeerLink {
        try await PeerLink.connect(
            to: .host("127.0.0.1", port: ports.blip), options: LinkOptions(identity: identity),
            handler: WorkbenchHandler())
    }

    func stop() {
        close(standardInput)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }
}
