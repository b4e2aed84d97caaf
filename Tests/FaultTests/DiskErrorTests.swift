// EIO, ENOSPC and short writes at each of the first 200 writes, fsyncs, renames and opens of what the program does.

import ChatCore
import Glibc
import TestSupport
import Testing

@testable import Storage

@Suite("Disks that fail", .serialized) struct DiskErrorTests {
    /// How many places of each scenario are tried; all of them in `make diskerrors`.
    private static let cases = FaultSettings.number("BLIPCHAT_DISK_CASES") ?? 10

    /// One call of a scenario that fails in one way.
    private struct Place: CustomStringConvertible {
        var call: Injection.Call
        var action: Injection.Action
        var number: Int
        var description: String { "\(call) \(number): \(action.rawValue), seed \(FaultSettings.seed)" }
    }

    /// The places of a scenario that makes so many calls: a sample, or all of them.
    private func places(_ calls: [Injection.Call: Int], cases: Int = DiskErrorTests.cases) -> [Place] {
        var all: [Place] = []
        for call in [Injection.Call.write, .sync, .open, .rename, .truncate] {
            for number in 1...max(1, min(200, calls[call] ?? 0)) where (calls[call] ?? 0) > 0 {
                for action in call.failures { all.append(Place(call: call, action: action, number: number)) }
            }
        }
        var generator = SeededGenerator(seed: FaultSettings.seed)
        return Array(all.shuffled(using: &generator).prefix(cases))
    }

    @Test("sending: the message is on the disk, or the command says that it is not")
    func sending() async throws {
        let scene = try await KillScene()
        let board = try Injection.Board(in: scene.alice.folder)
        let server = try scene.serveBob()
        try await server.waitUntilListening()
        _ = try await send(scene, .counting(root: scene.alice.path, board: board), "counted")
        for place in places(board.calls) {
            let injection = try Injection.preload(
                place.call, place.action, at: place.number, root: scene.alice.path, board: board)
            try await send(scene, injection, place.description)
            try scene.check("sending, \(place)")
        }
        try await server.killNow()
        try await scene.finish()
    }

    /// One message by a command of its own, to its end.
    private func send(_ scene: KillScene, _ injection: Injection, _ what: String) async throws {
        let text = scene.nextText()
        let process = try scene.alice.start(["send", "bob", text, "--timeout", "20"], with: injection)
        let status = try await process.waitForExit()
        scene.alice.expectOrderlyEnd(process, status, "sending, \(what)")
        scene.note(printed: process)
    }

    @Test("receiving: whoever is told that the disk fails sends it again, and it arrives")
    func receiving() async throws {
        let scene = try await KillScene()
        try await receive(scene, files: 0)
        try await scene.finish()
    }

    @Test("a disk that never synchronises confirms nothing, though the rows can be seen")
    func neverSynchronised() async throws {
        let scene = try await KillScene()
        let board = try Injection.Board(in: scene.bob.folder)
        let sender = try scene.serveAlice()
        try await sender.waitUntilListening()
        let server = try scene.serveBob(
            with: .preload(.sync, .inputOutput, at: 1, count: 1_000_000, root: scene.bob.path, board: board))
        try await eventually("it listens or has ended") { server.isListening || server.poll() != nil }
        try await scene.write(1, files: 0)
        let text = try #require(scene.written.last)
        // Again and again the message comes, and cannot be made durable.
        try await eventually("it was tried several times", state: { server.errorOutput }) {
            board.fired > 20 || server.poll() != nil
        }
        let sent = try HistoryProbe(scene.alice.historyPath).outgoing.last
        #expect(sent?.text == text)
        #expect((sent?.rank ?? 9) < StoredMessage.failed, "confirmed or given up: \(String(describing: sent))")
        try await server.killNow()
        try await sender.killNow()
        try await scene.finish()
    }

    @Test("starting: whichever file cannot be opened, it ends with a sentence or it works")
    func starting() async throws {
        let scene = try await KillScene()
        let board = try Injection.Board(in: scene.bob.folder)
        let counted = try scene.serveBob(with: .counting(root: scene.bob.path, board: board))
        try await counted.waitUntilListening()
        let opens = board.calls(.open)
        try await counted.killNow()
        #expect(opens > 3)
        try await receive(
            scene, files: 0, places: (1...opens).map { Place(call: .open, action: .tooManyFiles, number: $0) })
        try await scene.finish()
    }

    @Test("receiving a file: it is complete and right, or it waits for its user with a reason")
    func files() async throws {
        let scene = try await KillScene()
        try await receive(scene, files: 1)
        try await scene.finish()
    }

    /// Bob receives while calls of his fail.
    private func receive(_ scene: KillScene, files: Int, places chosen: [Place]? = nil) async throws {
        let board = try Injection.Board(in: scene.bob.folder)
        let sender = try scene.serveAlice()
        try await sender.waitUntilListening()
        var places: [Place?] = [nil]
        var isCounted = false
        while let place = places.popLast() {
            let injection =
                try place.map {
                    try Injection.preload($0.call, $0.action, at: $0.number, root: scene.bob.path, board: board)
                } ?? .counting(root: scene.bob.path, board: board)
            let what = place.map { "receiving, \($0)" } ?? "counted"
            let server = try scene.serveBob(with: injection)
            try await eventually("\(what): it listens or has ended") { server.isListening || server.poll() != nil }
            try await scene.write(1, files: files)
            if server.isRunning {
                try await eventually(what, state: { "\(server.errorOutput)\n\(scene.unfinished)" }) {
                    if !server.isRunning { return true }
                    try await scene.resumePaused()
                    return try scene.isDrained
                }
                server.signal(SIGTERM)
            }
            let status = try await server.waitForExit()
            scene.bob.expectOrderlyEnd(server, status, what)
            try scene.check(what)
            if !isCounted {
                isCounted = true
                places = chosen ?? self.places(board.calls)
            }
        }
        try await sender.killNow()
    }

    @Test("migrating: everything is there afterwards, whichever call fails")
    func migrating() async throws {
        let board: Injection.Board
        let old = try await OldHistory(messages: 30)
        let counted = try await old.makeHome()
        board = try Injection.Board(in: counted.folder)
        try await migrate(counted, old, .counting(root: counted.path, board: board), "counted")
        for place in places(board.calls, cases: Self.cases / 2) {
            let home = try await old.makeHome()
            let injection = try Injection.preload(
                place.call, place.action, at: place.number, root: home.path, board: board)
            try await migrate(home, old, injection, "migrating, \(place)")
        }
    }

    private func migrate(
        _ home: BlipchatHome, _ old: OldHistory, _ injection: Injection, _ what: String
    ) async throws {
        let process = try home.start(["send", "peer", "new", "--queue"], with: injection)
        let status = try await process.waitForExit()
        home.expectOrderlyEnd(process, status, what)
        // The next start finds everything, and goes on.
        let next = try await home.run("send", "peer", "last", "--queue")
        #expect(next.status == .exited(0), "\(what): \(next.errorOutput)")
        let probe = try HistoryProbe(home.historyPath)
        #expect(probe.integrity == "ok", "\(what)")
        let texts = probe.messages.map(\.text)
        #expect(Array(texts.prefix(30)) == old.texts, "\(what)")
        #expect(texts.last == "last" && texts.count <= 32, "\(what): \(texts.suffix(3))")
        if !process.output.isEmpty { #expect(texts.contains("new"), "\(what)") }
    }
}

extension Injection.Call {
    /// How it may fail.
    fileprivate var failures: [Injection.Action] {
        switch self {
        case .write: [.inputOutput, .noSpace, .short]
        case .open: [.inputOutput, .noSpace, .tooManyFiles]
        case .sync, .rename, .truncate: [.inputOutput, .noSpace]
        }
    }
}
