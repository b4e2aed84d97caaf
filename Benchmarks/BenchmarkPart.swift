// The parts of the benchmark, each runnable alone.

internal import BLIPNet

/// One table of the benchmark. Runs in a process of its own, so that memory figures belong to it alone.
enum BenchmarkPart: String, CaseIterable {
    case counts, allocations, echo, body, urgency, fairness, websocket, systemcalls, idle, rooms, history, files, screen
    case screenHistory = "screen-history"
    case screenFiles = "screen-files"

    var summary: String {
        switch self {
        case .counts: "frames before an urgent one, share of normal frames (no time involved)"
        case .allocations: "heap allocations per frame in the codecs (no time involved)"
        case .echo: "32-byte echoes per second, one at a time and 100 deep"
        case .body: "one body of 1 GiB beside bare sockets and bare TLS; memory of both sides"
        case .urgency: "latency of urgent echoes beside bulk bodies"
        case .fairness: "what normal traffic keeps under a flood of urgent messages"
        case .websocket: "processor time per WebSocket message beside libwebsockets"
        case .systemcalls: "system calls per MiB of a body"
        case .history: "a million messages: pages, searches, dates, sends, the start of the program"
        case .files: "a file over loopback beside scp, rsync over ssh and magic-wormhole"
        case .idle: "memory per idle TLS connection"
        case .rooms: "a Socket.IO room beside python-socketio: events, bytes, memory"
        case .screen: "the screen beside weechat, irssi and profanity: first picture, keys, bytes, rest, a flood"
        case .screenHistory: "the screen over a million messages: memory"
        case .screenFiles: "the screen while a file goes each way: echo of keys"
        }
    }

    func run(_ effort: Effort) async throws {
        switch self {
        case .counts: UrgencyCount.report()
        case .allocations: try AllocationPart.run()
        case .echo: try await EchoPart.run(effort)
        case .body: try await BodyPart.run(effort)
        case .urgency: try await UrgencyPart.run(effort)
        case .fairness: try await FairnessPart.run(effort)
        case .websocket: try await WebSocketPart.run(effort)
        case .systemcalls: try SystemCallPart.run()
        case .idle: try await IdlePart.run(effort)
        case .rooms: try await RoomPart.run(effort)
        case .history: try await HistoryPart.run(effort)
        case .files: try await FilePart.run(effort)
        case .screen: try await ScreenPart.run(effort)
        case .screenHistory: try await ScreenHistory.run(effort)
        case .screenFiles: try await ScreenTransfer.run(effort)
        }
    }
}

/// How long a part takes.
struct Effort {
    /// For each rate.
    var time: Duration
    var bodyByteCount: Int
    var samples: Int
    var idleConnections: Int
    var messages: Int

    static let full = Effort(
        time: .seconds(3), bodyByteCount: 1 << 30, samples: 2_000, idleConnections: 1_000,
        messages: 1_000_000)
    /// For a look while working on something: a few seconds for each part.
    static let quick = Effort(
        time: .seconds(1), bodyByteCount: 1 << 28, samples: 500, idleConnections: 200,
        messages: 100_000)
}

/// A benchmark that could not be measured.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
