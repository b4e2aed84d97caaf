// What an idle TLS connection costs in memory, on both sides.

internal import BLIPNet
internal import Glibc

/// The part `idle`, and the role `idle` that holds the calling ends.
enum IdlePart {
    /// Connections that are opened before the first look, so that what a process sets up once is not counted.
    private static let warmUp = 50

    static func run(_ effort: Effort) async throws {
        let server = try ServerProcess.start()
        defer { server.stop() }
        let client = try ChildProgram.role(["idle", String(server.tlsPort)])
        defer { client.finish() }
        try open(warmUp, client)
        let before = (client: try client.residentBytes(), server: try server.program.residentBytes())
        try open(effort.idleConnections, client)
        let count = Double(effort.idleConnections)
        Report.heading("\(effort.idleConnections) idle TLS connections, KiB for each", "resident")
        for (name, first, last) in [
            ("calling end", before.client, try client.residentBytes()),
            ("called end", before.server, try server.program.residentBytes()),
        ] {
            let kibibytes = Double(last - first) / count / 1024
            Report.row(name, Figure.tenths(kibibytes), goal: .below(64, kibibytes, unit: " KiB"))
        }
        Report.end()
    }

    private static func open(_ count: Int, _ client: ChildProgram) throws {
        try client.send(String(count))
        guard client.numbers() == [count] else { throw BenchmarkFailure("the connections could not be opened") }
        // The end of a handshake reaches the other side a little later.
        usleep(500_000)
    }

    /// The role `idle PORT`: opens as many connections as each line of its input says, and holds them.
    static func hold(_ arguments: [String]) async throws {
        guard let port = arguments.first.flatMap({ UInt16($0) }) else { throw BenchmarkFailure("idle PORT") }
        let identity = try TLSIdentity.generate()
        var links: [PeerLink] = []
        while let line = readLine(), let count = Int(line) {
            for _ in 0..<count { links.append(try await ServerProcess.connect(port: port, identity: identity)) }
            Report.say(String(count))
        }
        withExtendedLifetime(links) {}
    }
}
