// The other process: BLIP listeners with the workbench's profiles, and the bare baselines beside them.

internal import BLIPNet
internal import ChatCore
internal import Dispatch
internal import Glibc
internal import Workbench

/// The role `server`. It tells its ports on standard output and ends with its standard input.
enum BenchmarkServer {
    static func run() throws {
        let identity = try TLSIdentity.generate()
        let listeners = try [identity, nil].map { identity in
            try LinkListener.listen(
                on: .host("127.0.0.1", port: 0), options: .ofChat(identity), admission: .workbench
            ) { _ in WorkbenchHandler() }
        }
        let (bare, barePort) = try BareSocket.listen()
        let (bareTLS, bareTLSPort) = try BareSocket.listen()
        serve(bare) { try serveBare($0) }
        serve(bareTLS) { try serveTLS($0, identity) }
        let ports = listeners.map { $0.localEndpoint.port } + [barePort, bareTLSPort]
        Report.say(ports.map { String($0) }.joined(separator: " "))
        waitForEndOfInput()
        for listener in listeners { listener.close() }
    }

    static func waitForEndOfInput() {
        var byte: UInt8 = 0
        while read(STDIN_FILENO, &byte, 1) > 0 {}
    }

    /// Each connection on a thread of its own.
    private static func serve(_ socket: BareSocket, _ body: @escaping @Sendable (BareSocket) throws -> Void) {
        DispatchQueue(label: "bare-listener").async {
            while let connection = socket.accept() {
                DispatchQueue(label: "bare-connection").async {
                    // The client sees the end of the connection and reports it.
                    do { try body(connection) } catch {}
                }
            }
        }
    }

    private static func serveBare(_ socket: BareSocket) throws {
        var request = [UInt8](repeating: 0, count: 9)
        try request.withUnsafeMutableBytes { try socket.readAll(into: $0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        if request[0] == BareRequest.echo {
            while true {
                let count = buffer.withUnsafeMutableBytes { socket.read(into: $0) }
                guard count > 0 else { return }
                try buffer.withUnsafeBytes { try socket.writeAll(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
        }
        var left = BareRequest.count(request)
        while left > 0 {
            let count = buffer.withUnsafeMutableBytes { socket.read(into: $0) }
            guard count > 0 else { return }
            left -= count
        }
        try [UInt8(1)].withUnsafeBytes { try socket.writeAll($0) }
    }

    private static func serveTLS(_ socket: BareSocket, _ identity: TLSIdentity) throws {
        let connection = try BareTLSConnection(socket: socket, role: .server, identity: identity)
        try connection.handshake()
        var left = BareRequest.count(try connection.take(9))
        while left > 0 { left -= try connection.read(atLeast: 1) }
        try connection.write([1])
    }
}

/// The server process as its parent sees it.
struct ServerProcess {
    let program: ChildProgram
    let tlsPort: UInt16
    let plainPort: UInt16
    let barePort: UInt16
    let bareTLSPort: UInt16
    let identity: TLSIdentity

    static func start(wrapper: [String] = []) throws -> ServerProcess {
        let program = try ChildProgram.role(["server"], wrapper: wrapper)
        let ports = program.numbers().compactMap { UInt16(exactly: $0) }
        guard ports.count == 4 else { throw BenchmarkFailure("the server did not start") }
        return ServerProcess(
            program: program, tlsPort: ports[0], plainPort: ports[1], barePort: ports[2], bareTLSPort: ports[3],
            identity: try TLSIdentity.generate())
    }

    /// Calls one of its BLIP listeners and measures there; we send at most `maxSendRate` bytes per second.
    func measure<Value>(
        overTLS: Bool, maxSendRate: UInt64? = nil, _ body: (LinkMeasurement) async throws -> Value
    ) async throws -> Value {
        let link = try await Self.connect(
            port: overTLS ? tlsPort : plainPort, identity: overTLS ? identity : nil, maxSendRate: maxSendRate)
        let value = try await body(LinkMeasurement(link))
        link.close()
        _ = await link.waitUntilClosed()
        return value
    }

    static func connect(
        port: UInt16, identity: TLSIdentity?, maxSendRate: UInt64? = nil
    ) async throws(LinkError) -> PeerLink {
        var options = LinkOptions.ofChat(identity)
        options.maxSendRate = maxSendRate
        return try await PeerLink.connect(
            to: .host("127.0.0.1", port: port), options: options, handler: WorkbenchHandler())
    }

    func stop() { program.finish() }
}

extension Endpoint {
    /// 0 for a UNIX-domain socket.
    var port: UInt16 {
        if case .host(_, let port) = self { return port }
        return 0
    }
}

extension LinkOptions {
    /// With the window of the chat's links; the other limits are too small for the workbench's bodies.
    fileprivate static func ofChat(_ identity: TLSIdentity?) -> LinkOptions {
        var options = LinkOptions(identity: identity)
        options.blip.sendWindow = NetworkLimits.sendWindow
        return options
    }
}
