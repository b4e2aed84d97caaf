// The chat room of the founding document and those in it who are not blipchat (Tests/Rigs/chat_room.py and its clients).

import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// What the room or one of its clients writes down, a line of JSON each.
struct RoomEntry: Decodable {
    struct Line: Decodable, Equatable {
        var message: String
        var sender: String?
        var id: String?
    }

    var event: String
    var line: Line?
    var sha256: String?
    var name: String?
    var sender: String?
    var answer: String?

    /// From output or a log; what is not written to its end is left out.
    static func read(_ text: String) throws -> [RoomEntry] {
        let whole = text.lastIndex(of: "\n").map { text[...$0] } ?? ""
        return try whole.split(separator: "\n").map { try JSONDecoder().decode(RoomEntry.self, from: Data($0.utf8)) }
    }
}

extension [RoomEntry] {
    /// Lines in their order, a repeated one where it came first: it is known by its id (Docs/rooms.md).
    var lines: [RoomEntry.Line] {
        var seen: Set<String> = []
        return compactMap(\.line).filter { $0.id.map { seen.insert($0).inserted } ?? true }
    }

    var texts: [String] { lines.map(\.message) }

    func count(of event: String) -> Int { count { $0.event == event } }
}

/// A server of python-socketio that can be stopped and started at the same port.
final class ChatRoom {
    /// Why tests in a room are skipped.
    static let reason: Comment =
        "PyPI cannot be reached, or there is no Python 3 with venv: no server of python-socketio"

    let folder: TemporaryDirectory
    let port: UInt16
    /// SHA-256 of its public key, as Docs/rooms.md finds it out; `nil`: it has no TLS.
    let pin: String?
    private let options: [String]
    private var process: ChildProcess

    convenience init(tls: Bool = false, _ options: String...) async throws {
        try await self.init(tls: tls, options: options)
    }

    init(tls: Bool = false, options: [String]) async throws {
        folder = try TemporaryDirectory()
        var options = options
        if tls {
            let make = """
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -out certificate -days 2 \
                -subj /CN=room -addext subjectAltName=IP:127.0.0.1
                """
            _ = try await Self.shell(make, in: folder)
            options += ["--certificate", folder.file("certificate"), "--key", folder.file("key")]
        }
        self.options = options
        process = try await Self.start(options, port: 0, in: folder)
        port = try Self.port(of: process)
        pin = tls ? try await Self.pin(of: port, in: folder) : nil
    }

    private static func shell(_ line: String, in folder: TemporaryDirectory) async throws -> String {
        let process = try ChildProcess(
            ["/bin/sh", "-c", "cd '\(folder.path)' && \(line)"], environment: ["PATH": "/usr/bin:/bin"], folder: folder)
        #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
        return process.output
    }

    /// By the line of Docs/rooms.md.
    private static func pin(of port: UInt16, in folder: TemporaryDirectory) async throws -> String {
        let page = TestFile.text(TestFile.repository + "/Docs/rooms.md")
        let line = try #require(page.split(separator: "\n").first { $0.contains("openssl s_client") })
        let printed = try await shell(String(line).replacing("HOST:443", with: "127.0.0.1:\(port)"), in: folder)
        let pin = String(printed.prefix { $0.isHexDigit })
        #expect(pin.count == 64, "\(printed)")
        return pin
    }

    private static func start(
        _ options: [String], port: UInt16, in folder: TemporaryDirectory
    ) async throws -> ChildProcess {
        let python = try #require(await PythonEnvironment.socketIO5.python())
        let command = [python, rig("chat_room.py"), "--log", folder.file("log"), "--port", "\(port)"] + options
        let process = try ChildProcess(command, environment: ["PATH": "/usr/bin:/bin"], folder: folder)
        try await eventually("the room is open", state: { process.errorOutput }) { process.output.hasSuffix("\n") }
        return process
    }

    static func rig(_ name: String) -> String { "\(TestFile.repository)/Tests/Rigs/\(name)" }

    private static func port(of process: ChildProcess) throws -> UInt16 {
        struct Listening: Decodable { var port: UInt16 }
        return try JSONDecoder().decode(Listening.self, from: Data(process.output.utf8)).port
    }

    /// For browsers and for clients of python-socketio.
    var webURL: String { "\(pin == nil ? "http" : "https")://127.0.0.1:\(port)/" }

    /// For blipchat.
    var url: String {
        pin.map { "sio+tls://127.0.0.1:\(port)/?pin=\($0)" } ?? "sio://127.0.0.1:\(port)/"
    }

    /// Everything that it got, in its order, whatever became of it meanwhile.
    var log: [RoomEntry] {
        get throws { try RoomEntry.read(TestFile.text(folder.file("log"))) }
    }

    /// How many are there.
    var presentCount: Int {
        get throws {
            let log = try log
            let run = log.suffix(from: log.lastIndex { $0.event == "start" } ?? log.endIndex)
            return run.count { $0.event == "connect" } - run.count { $0.event == "disconnect" }
        }
    }

    func stop(_ signal: Int32 = SIGTERM) async throws {
        process.signal(signal)
        try await process.waitForExit()
    }

    func start() async throws { process = try await Self.start(options, port: port, in: folder) }

    /// A home of this user, which has joined the room under the name `garden`.
    func member(_ name: String) async throws -> BlipchatHome {
        let home = try BlipchatHome(name)
        let outcome = try await home.run("join", url, "--name", "garden")
        #expect(outcome.status == .exited(0) && outcome.output == "garden\n", "\(outcome.errorOutput)")
        return home
    }

    /// Waits until so many are there.
    func waitForPeople(_ count: Int) async throws {
        try await eventually(
            "\(count) are in the room", state: { "\((try? presentCount) ?? -1)\n\(process.errorOutput)" }
        ) {
            try presentCount == count
        }
    }
}

/// Somebody in the room with a program of another kind, which reads commands and prints what it hears.
final class RoomGuest {
    private let process: ChildProcess
    private let input: Fifo
    private let folder: TemporaryDirectory

    private init(_ command: [String], in folder: TemporaryDirectory) throws {
        self.folder = folder
        input = try Fifo(in: folder)
        process = try ChildProcess(
            command, environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path], folder: folder, input: input.path)
    }

    /// A client of python-socketio.
    static func python(in room: ChatRoom) async throws -> RoomGuest {
        let python = try #require(await PythonEnvironment.socketIO5.python())
        let authority = room.pin == nil ? [] : ["--ca", room.folder.file("certificate")]
        return try RoomGuest(
            [python, ChatRoom.rig("room_client.py"), room.webURL] + authority, in: try TemporaryDirectory())
    }

    /// The page of the room in a headless Chromium; `picture` is what it writes in the end.
    static func page(of room: ChatRoom, as name: String, picture: String) async throws -> RoomGuest {
        let python = try #require(await PythonEnvironment.socketIO5.python())
        return try RoomGuest(
            [python, ChatRoom.rig("room_page.py"), chromium, "\(room.webURL)?as=\(name)", picture],
            in: try TemporaryDirectory())
    }

    static let chromium = "/usr/bin/chromium"

    /// What the JavaScript client is; `nil` where PyPI cannot be reached.
    static func script() async -> String? {
        await PythonEnvironment.socketIO5.file("nicegui/static/socket.io.min.js", of: "nicegui==3.18.0")
    }

    func tell(_ command: [String: String]) throws {
        let line = try JSONEncoder().encode(command)
        input.write(Array(line) + [UInt8(ascii: "\n")])
    }

    var heard: [RoomEntry] {
        get throws { try RoomEntry.read(process.output) }
    }

    /// What it has printed last.
    func latest<Record: Decodable>(_ type: Record.Type = Record.self) throws -> Record? {
        let whole = process.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last
        return try whole.map { try JSONDecoder().decode(type, from: Data($0.utf8)) }
    }

    var state: String { "\(process.output.suffix(4000))\n\(process.errorOutput)" }

    /// Its input is at the end: it goes.
    func leave() async throws {
        input.hangUp()
        #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
    }
}
