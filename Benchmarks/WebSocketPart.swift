// Processor time that a WebSocket echo server spends for each message, ours beside libwebsockets.

internal import BLIPNet
internal import Glibc
internal import Workbench

/// The part `websocket`, and the role `ws-echo`, which is our server.
enum WebSocketPart {
    private struct Load {
        var name: String
        var byteCount: Int
        var depth: Int
        var batch: Int
    }

    private static let loads = [
        Load(name: "32 bytes", byteCount: 32, depth: 100, batch: 50),
        Load(name: "16 KiB", byteCount: 16_384, depth: 16, batch: 4),
        Load(name: "1 MiB", byteCount: 1 << 20, depth: 4, batch: 1),
    ]
    /// Both servers in turns, and the best of each counts: other work of the machine makes every message dearer.
    private static let rounds = 5

    static func run(_ effort: Effort) async throws {
        let ours = try EchoServer(ChildProgram.role(["ws-echo"]))
        defer { ours.program.finish() }
        let theirs = try libWebSockets()
        defer { theirs?.program.terminate() }
        Report.heading("WebSocket echo, processor time per message", "blipwire", "libwebsockets", "ratio")
        if theirs == nil { Report.note("libwebsockets skipped: libwebsockets-dev or a C compiler is not installed") }
        for load in loads {
            for isPipelined in [false, true] {
                var costs = [Double.infinity, .infinity]
                for _ in 0..<rounds {
                    for (index, server) in [ours, theirs].enumerated() {
                        guard let server else { continue }
                        costs[index] = min(costs[index], try cost(of: load, isPipelined, server, effort))
                    }
                }
                let ratio = costs[0] / costs[1]
                Report.row(
                    "\(load.name), \(isPipelined ? "\(load.depth) deep" : "one at a time")",
                    Figure.microseconds(costs[0]), Figure.microseconds(costs[1]), Figure.percent(ratio),
                    goal: theirs == nil ? nil : .atMost(100, ratio * 100, unit: " %"))
            }
        }
        Report.end()
    }

    /// Seconds of processor time (user and system) of the server for each message.
    private static func cost(of load: Load, _ isPipelined: Bool, _ server: EchoServer, _ effort: Effort) throws
        -> Double
    {
        let client = try WebSocketEchoClient(port: server.port, byteCount: load.byteCount)
        let time = effort.time / 6
        _ = try client.sequential(for: time / 10)
        let before = try server.program.processorSeconds()
        let count =
            isPipelined
            ? try client.pipelined(for: time, depth: load.depth, batch: load.batch)
            : try client.sequential(for: time)
        return (try server.program.processorSeconds() - before) / Double(count)
    }

    /// A server that has said at which port it listens.
    private struct EchoServer {
        let program: ChildProgram
        let port: UInt16

        init(_ program: ChildProgram) throws {
            guard let port = program.numbers().first.flatMap({ UInt16(exactly: $0) }) else {
                throw BenchmarkFailure("the WebSocket server did not start")
            }
            self.program = program
            self.port = port
        }

        init(_ program: ChildProgram, port: UInt16) {
            self.program = program
            self.port = port
        }
    }

    // MARK: The servers

    /// Compiles and starts Benchmarks/LibWebSocketsEcho; `nil` when the library or a compiler is not there.
    private static func libWebSockets() throws -> EchoServer? {
        guard access("/usr/include/libwebsockets.h", R_OK) == 0,
            let compiler = ChildProgram.find("cc") ?? ChildProgram.find("clang")
        else { return nil }
        let source = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/LibWebSocketsEcho/echo.c"
        let binary = ChildProgram.ownPath + "-libwebsockets"
        let compilation = try ChildProgram([compiler, "-O2", "-o", binary, source, "-lwebsockets"])
        guard compilation.finish() == 0 else { throw BenchmarkFailure("\(source) does not compile") }
        let port = try freePort()
        let program = try ChildProgram([binary, String(port)])
        guard program.line() == "ready" else { throw BenchmarkFailure("libwebsockets did not start") }
        return EchoServer(program, port: port)
    }

    /// A port that is free now, for a program that cannot choose one by itself.
    private static func freePort() throws -> UInt16 { try BareSocket.listen().1 }

    /// The role `ws-echo`: tells its port and ends with its standard input.
    static func serve() throws {
        let listener = try WebSocketListener.listen(on: .host("127.0.0.1", port: 0)) { _ in EchoHandler() }
        Report.say(String(listener.localEndpoint.port))
        BenchmarkServer.waitForEndOfInput()
        listener.close()
    }
}

/// Sends back what it gets, as `blipwire ws-echo` does.
private final class EchoHandler: WebSocketHandler {
    func received(
        _ kind: WebSocketMessageKind, _ payload: UnsafeRawBufferPointer, on channel: isolated WebSocketChannel
    ) {
        channel.reply(kind, payload)
    }
}
