// A Socket.IO room: our client beside that of python-socketio, at the same server of python-socketio.

internal import BLIPNet
internal import Glibc
internal import TestSupport
internal import Workbench

/// The part `rooms`, and the role `room-member`, which is our client.
enum RoomPart {
    /// Both clients in turns, and the best of each counts: other work of the machine hits both.
    private static let rounds = 3
    private static let joined = 100

    static func run(_ effort: Effort) async throws {
        guard let python = await PythonEnvironment.socketIO5.python() else {
            return Report.note("rooms are left out: PyPI cannot be reached, or there is no Python 3 with venv")
        }
        let rig = TestFile.repository + "/Benchmarks/SocketIO/rooms.py"
        let server = try ChildProgram([python, rig, "server"])
        defer { server.finish() }
        guard let port = server.numbers().first else { throw BenchmarkFailure("python-socketio did not start") }
        func members(_ port: Int, _ transport: String) throws -> (ours: Member, theirs: Member) {
            (
                try Member(ChildProgram.role(["room-member", "\(port)", transport])),
                try Member(ChildProgram([python, rig, "member", "\(port)", transport]))
            )
        }
        try speeds(effort, try members(port, "websocket"), try members(port, "polling"))

        Report.heading("Socket.IO, bytes on the wire per event", "blipchat", "python", "ratio")
        for transport in ["websocket", "polling"] {
            let relay = try ChildProgram([python, rig, "relay", "\(port)"])
            defer { relay.finish() }
            guard let relayPort = relay.numbers().first else { throw BenchmarkFailure("the relay did not start") }
            let (ours, theirs) = try members(relayPort, transport)
            for (name, load) in [("acknowledged", Load.echoes(depth: 1)), ("received", .flood)] {
                if transport == "polling", case .flood = load { continue }
                let bytes = try [ours, theirs].map { member in
                    let before = try count(relay)
                    try member.run(load, 1_000)
                    return Double(try count(relay) - before) / 1_000
                }
                Report.row(
                    "\(transport), \(name)", Figure.tenths(bytes[0]), Figure.tenths(bytes[1]),
                    Figure.percent(bytes[0] / bytes[1]), goal: .atMost(110, bytes[0] / bytes[1] * 100, unit: " %"))
            }
        }
        Report.end()

        Report.heading("\(joined) joined rooms, KiB for each", "blipchat", "python", "ratio")
        let (ours, theirs) = try members(port, "websocket")
        let memory = try [ours, theirs].map { try $0.memoryOfRooms(joined) }
        Report.row(
            "connections of their own", Figure.tenths(memory[0]), Figure.tenths(memory[1]),
            Figure.percent(memory[0] / memory[1]), goal: .below(64, memory[0], unit: " KiB"))
        try await wholeProgram(port)
        Report.end()
    }

    private static func speeds(
        _ effort: Effort, _ webSocket: (ours: Member, theirs: Member), _ polling: (ours: Member, theirs: Member)
    ) throws {
        Report.heading(
            "Socket.IO, events per second", "blipchat", "python", "ratio", "cpu per event", "python's cpu")
        for (transport, members) in [("websocket", webSocket), ("polling", polling)] {
            for (name, load) in [
                ("one at a time, acknowledged", Load.echoes(depth: 1)), ("10 deep, acknowledged", .echoes(depth: 10)),
                ("received", .flood),
            ] {
                if transport == "polling", case .flood = load { continue }
                // The server is the slower one of the two: so many take it about a second.
                let count = effort.time > .seconds(1) ? 3_000 : 1_000
                var best = [Outcome(), Outcome()]
                for _ in 0..<rounds {
                    for (index, member) in [members.ours, members.theirs].enumerated() {
                        best[index].keepBest(try member.run(load, count))
                    }
                }
                let ratio = best[0].perSecond / best[1].perSecond
                Report.row(
                    "\(transport), \(name)", Figure.whole(best[0].perSecond), Figure.whole(best[1].perSecond),
                    Figure.percent(ratio), Figure.microseconds(best[0].cost), Figure.microseconds(best[1].cost),
                    goal: .atMost(100, best[0].cost / best[1].cost * 100, unit: " % of its cpu"))
            }
        }
        Report.end()
    }

    private static func count(_ relay: ChildProgram) throws -> Int {
        try relay.send("count")
        guard let count = relay.numbers().first else { throw BenchmarkFailure("the relay has ended") }
        return count
    }

    /// What a room takes in `blipchat serve`, history and all.
    private static func wholeProgram(_ port: Int) async throws {
        guard BlipchatProgram.path != nil else {
            return Report.note("blipchat serve is left out: it is not built beside the benchmarks")
        }
        var resident: [Int] = []
        for count in [0, joined] {
            let home = try BlipchatHome("alice")
            for number in 0..<count {
                try await home.succeed(["join", "sio://127.0.0.1:\(port)/room-\(number)"])
            }
            let serve = try home.start(["serve", "--listen", "127.0.0.1:0"])
            try await eventually("the rooms are joined") {
                let status = try await home.succeed(["status", "--json"])
                return serve.isRunning
                    && status.split(separator: "\"link\":\"online\"", omittingEmptySubsequences: false)
                        .count == count + 1
            }
            // What the start has needed goes back to the system within some seconds.
            var least = Int.max
            for _ in 0..<15 {
                try await Task.sleep(for: .seconds(1))
                least = min(least, try ProcessFigures(processID: serve.processID).residentBytes())
            }
            resident.append(least)
            serve.signal(SIGTERM)
            try await serve.waitForExit()
        }
        let each = Double(resident[1] - resident[0]) / Double(joined) / 1024
        Report.row("in blipchat serve", Figure.tenths(each), "", "", goal: .below(256, each, unit: " KiB"))
    }

    // MARK: Members

    private enum Load {
        /// Events that the server acknowledges with what they carry, so many under way.
        case echoes(depth: Int)
        /// Events that the server emits as fast as it can. Not by polling: python-socketio's client takes no more than 16
        /// packets at once, and its server sends all that it has.
        case flood
    }

    private struct Outcome {
        var perSecond = 0.0
        /// Processor time of the client, in seconds.
        var cost = Double.infinity

        mutating func keepBest(_ other: Outcome) {
            perSecond = max(perSecond, other.perSecond)
            cost = min(cost, other.cost)
        }
    }

    /// A client in a process of its own: `echo COUNT DEPTH`, `flood COUNT`, `join COUNT`, each answered with nanoseconds.
    private struct Member {
        let program: ChildProgram

        init(_ program: ChildProgram) throws {
            self.program = program
            guard program.line() == "ready" else { throw BenchmarkFailure("a client did not join") }
            // What a process sets up once is not counted.
            try run(.echoes(depth: 1), 100)
        }

        @discardableResult
        func run(_ load: Load, _ count: Int) throws -> Outcome {
            let before = try program.processorSeconds()
            let time =
                switch load {
                case .echoes(let depth): try ask("echo \(count) \(depth)")
                case .flood: try ask("flood \(count)")
                }
            return Outcome(
                perSecond: Double(count) / time, cost: (try program.processorSeconds() - before) / Double(count))
        }

        /// KiB.
        func memoryOfRooms(_ count: Int) throws -> Double {
            _ = try ask("join 10")
            let before = try program.residentBytes()
            _ = try ask("join \(count)")
            return Double(try program.residentBytes() - before) / Double(count) / 1024
        }

        /// Seconds.
        private func ask(_ command: String) throws -> Double {
            try program.send(command)
            guard let time = program.numbers().first else { throw BenchmarkFailure("a client has ended: \(command)") }
            return Double(time) / 1e9
        }
    }

    /// The role `room-member PORT websocket|polling`.
    static func join(_ arguments: [String]) async throws {
        guard arguments.count == 2, let port = UInt16(arguments[0]) else {
            throw BenchmarkFailure("room-member PORT websocket|polling")
        }
        func client(_ namespace: String) async throws -> SocketIOClient {
            var options = SocketIOOptions(url: try WebSocketURL("http://127.0.0.1:\(port)"))
            options.transports = arguments[1] == "polling" ? .pollingOnly : .webSocketOnly
            options.namespace = namespace
            options.proxy = .direct
            let client = SocketIOClient(options)
            try await client.connect()
            return client
        }
        let first = try await client("/")
        var clients = [first]
        let value = SocketIOValue.object([
            .init(name: "message", value: .string(String(repeating: "x", count: 32))),
            .init(name: "sender", value: .string("member")),
            .init(name: "timestamp", value: .integer(1_795_000_000_000)),
        ])
        let events = first.events(named: "line")
        Report.say("ready")
        while let line = readLine() {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().compactMap { Int($0) }
            let begin = ContinuousClock.now
            switch (words.first, numbers.first, numbers.last) {
            case ("echo", let count?, let depth?):
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<depth {
                        group.addTask {
                            for _ in 0..<(count / depth) { _ = try await first.emitWithAck("echo", value) }
                        }
                    }
                    try await group.waitForAll()
                }
            case ("flood", let count?, _):
                try await first.emit("flood", .integer(Int64(count)), value)
                var iterator = events.makeAsyncIterator()
                for _ in 0..<count { _ = await iterator.next() }
            case ("join", let count?, _):
                for _ in 0..<count { clients.append(try await client("/room-\(clients.count)")) }
            default: throw BenchmarkFailure(line)
            }
            Report.say("\(Int((ContinuousClock.now - begin).seconds * 1e9))")
        }
        withExtendedLifetime(clients) {}
    }
}
