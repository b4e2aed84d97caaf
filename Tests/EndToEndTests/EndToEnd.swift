// What all end-to-end tests share.

import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// Real processes on loopback, as people and scripts start them.
@Suite enum EndToEnd {}

/// `blipchat serve` of one home.
final class Server {
    let home: BlipchatHome
    let process: ChildProcess

    /// Starts it on loopback, at any free port or the given one, and waits until it is ready.
    convenience init(_ home: BlipchatHome, port: UInt16 = 0, _ options: String...) async throws {
        try await self.init(home, port: port, options: options)
    }

    init(_ home: BlipchatHome, port: UInt16 = 0, options: [String]) async throws {
        self.home = home
        process = try home.start(["serve", "--listen", "127.0.0.1:\(port)"] + options)
        let process = process
        try await eventually(
            "serve of \(home.name) is ready", state: { "\(String(describing: process.poll())) \(process.errorOutput)" }
        ) { process.output.hasPrefix("listening ") && process.output.hasSuffix("\n") }
    }

    /// The port from its first line.
    var port: UInt16 {
        get throws { try #require(UInt16(process.outputLines.first?.split(separator: ":").last ?? "")) }
    }

    func stop() async throws {
        process.signal(SIGTERM)
        let status = try await process.waitForExit()
        #expect(status == .exited(0))
    }

    func kill() async throws {
        process.signal(SIGKILL)
        let status = try await process.waitForExit()
        #expect(status == .signalled(SIGKILL))
    }
}

/// What another program writes piece by piece to the standard input of a command.
final class Fifo {
    let path: String
    private var writer: Int32

    /// It is open for writing at once, here and nowhere else, so that no reader waits for a writer.
    init(in folder: TemporaryDirectory) throws {
        path = folder.file("fifo-\(UInt64.random(in: 0 ... .max))")
        try #require(mkfifo(path, 0o600) == 0)
        writer = open(path, O_RDWR | O_CLOEXEC)
        try #require(writer >= 0)
    }

    deinit { hangUp() }

    func write(_ text: String) { write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) { #expect(Glibc.write(writer, bytes, bytes.count) == bytes.count) }

    /// The reader is at the end.
    func hangUp() {
        if writer >= 0 { close(writer) }
        writer = -1
    }
}

/// A line of `history --json`, `search --json` or `transfers list --json`, read by a decoder that is not ours.
struct HistoryLine: Decodable, Equatable {
    var v: Int
    var type: String
    var id: String
    var conversation: String
    var from: String
    /// Who has said it in a room.
    var sender: String?
    var state: String
    var sent: String
    var received: String?
    var finished: String?
    var text: String?
    var name: String?
    var number: Int?
    var direction: String?
    var size: Int?
    var transferred: Int?
    var rate: Double?
    var sha256: String?
    var path: String?
    var reason: String?
}

struct RequestLine: Decodable {
    var id: Int
    var name: String
    var peerId: String
}

struct StatusLine: Decodable {
    struct PeerLine: Decodable {
        var name: String
        var link: String
        var queued: Int
        var roundTripMs: Double?
    }
    var running: Bool
    var pid: Int?
    var listening: String?
    var queued: Int
    var version: String
    var peers: [PeerLine]
}

extension BlipchatHome {
    /// The records that a command prints with --json; it must succeed.
    func records<Record: Decodable>(_ type: Record.Type = Record.self, _ arguments: String...) async throws -> [Record]
    {
        let process = try start(["--json"] + arguments)
        let status = try await process.waitForExit()
        #expect(status == .exited(0), "\(arguments): \(process.errorOutput)")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try process.outputLines.map { try decoder.decode(type, from: Data($0.utf8)) }
    }

    func history(_ who: String) async throws -> [HistoryLine] {
        try await records(HistoryLine.self, "history", who)
    }

    /// The texts of a conversation, oldest first.
    func texts(_ who: String) async throws -> [String] { try await history(who).compactMap(\.text) }

    func transfers() async throws -> [HistoryLine] { try await records(HistoryLine.self, "transfers", "list") }

    func status() async throws -> StatusLine {
        try #require(try await records(StatusLine.self, "status").first)
    }

    /// The address to give to others.
    func address() async throws -> String {
        let outcome = try await run("id")
        #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
        return String(try #require(outcome.lines.first))
    }

    /// Runs a line of the shell in which `$0` is blipchat.
    func shell(_ line: String) async throws -> CommandOutcome {
        let process = try ChildProcess(
            ["/bin/sh", "-c", line, command], environment: environment, folder: folder)
        let status = try await process.waitForExit()
        return CommandOutcome(status: status, output: process.output, errorOutput: process.errorOutput)
    }

    /// Stores a contact.
    func add(_ address: String, as name: String) async throws {
        let outcome = try await run("contacts", "add", address, "--name", name)
        #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
    }
}

/// The one line on standard error that every failure has.
func expectOneSentence(
    _ outcome: CommandOutcome, _ code: Int32, _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(outcome.status == .exited(code), "\(outcome.errorOutput)", sourceLocation: sourceLocation)
    let lines = outcome.errorOutput.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 2 && lines.last == "", "\(outcome.errorOutput)", sourceLocation: sourceLocation)
    #expect(outcome.errorOutput.hasPrefix("blipchat: "), sourceLocation: sourceLocation)
    for part in parts {
        #expect(outcome.errorOutput.contains(part), "\(outcome.errorOutput)", sourceLocation: sourceLocation)
    }
    let isSafe = outcome.errorOutput.dropLast().unicodeScalars.allSatisfy {
        $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
    }
    #expect(isSafe, sourceLocation: sourceLocation)
}

/// SHA-256 by the tool that people use.
func sha256(_ path: String) async throws -> String {
    let folder = try TemporaryDirectory()
    let process = try ChildProcess(["sha256sum", path], environment: ["PATH": "/usr/bin:/bin"], folder: folder)
    #expect(try await process.waitForExit() == .exited(0))
    return String(process.output.prefix(64))
}
