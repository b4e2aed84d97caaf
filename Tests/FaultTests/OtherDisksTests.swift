// Downloads on disks that are not like those of the home: without hard links, or on a server that has gone away.

import Glibc
import TestSupport
import Testing

@Suite("Disks of another kind", .serialized) struct OtherDisksTests {
    @Test("where there are no hard links and no renaming that refuses to overwrite, files arrive and replace nothing")
    func plainDisk() async throws {
        let scene = try await KillScene()
        let board = try Injection.Board(in: scene.bob.folder)
        let server = try scene.serveBob(with: .plainDisk(root: scene.bob.path, board: board))
        try await server.waitUntilListening()
        let source = scene.alice.folder.file("photo.jpg")
        try TestFile.generate(source, size: 300_000)
        for _ in 0..<2 {
            let sent = try await scene.alice.run("send-file", "bob", source, "--timeout", "60")
            #expect(sent.status == .exited(0), "\(sent.errorOutput)")
        }
        let downloads = scene.bob.path + "/downloads"
        #expect(Set(TestFile.names(in: downloads)) == ["photo.jpg", "photo (2).jpg"])
        for name in ["photo.jpg", "photo (2).jpg"] {
            #expect(TestFile.read("\(downloads)/\(name)") == TestFile.read(source), "\(name)")
        }
        try await server.killNow()
    }

    @Test("a new key can be made on such a disk, and standard input can be sent from it")
    func keyOnPlainDisk() async throws {
        let home = try BlipchatHome("carol")
        let board = try Injection.Board(in: home.folder)
        let process = try home.start(["id"], with: .plainDisk(root: home.folder.path, board: board))
        let status = try await process.waitForExit()
        #expect(status == .exited(0), "\(process.errorOutput)")
        let again = try await home.run("id")
        #expect(again.output == process.output && !again.output.isEmpty, "the same one")
        #expect(try await home.run("contacts", "add", "127.0.0.1:9", "--name", "dan").status == .exited(0))
        let input = home.folder.file("input")
        try TestFile.write("some bytes", to: input)
        let sending = try home.start(
            ["send-file", "dan", "-", "--name", "bytes", "--queue"],
            with: .plainDisk(root: home.folder.path, board: board), input: input)
        let sent = try await sending.waitForExit()
        #expect(sent == .exited(0), "\(sending.errorOutput)")
    }

    @Test("a downloads folder that does not answer holds up its files, and nothing else")
    func hangingDownloads() async throws {
        let scene = try await KillScene()
        let board = try Injection.Board(in: scene.bob.folder)
        let mount = scene.bob.folder.file("mount")
        #expect(mkdir(mount, 0o700) == 0)
        #expect(try await scene.bob.run("config", "set", "files.dir", mount).status == .exited(0))
        let hanging = try Injection.hangingDisk(at: mount, root: scene.bob.path, board: board)
        var server = try scene.serveBob(with: hanging)
        let sender = try scene.serveAlice()
        try await server.waitUntilListening()
        try await sender.waitUntilListening()
        let source = scene.alice.folder.file("x.txt")
        try TestFile.write("x", to: source)
        let sending = try scene.alice.start("send-file", "bob", source)
        try await eventually("the offer is there") {
            try HistoryProbe(scene.bob.historyPath).transfers.contains { !$0.isOutgoing }
        }
        try await chatGoesOn(scene)
        #expect(try HistoryProbe(scene.bob.historyPath).transfers.allSatisfy { $0.state == "offered" })

        // Nor does the end of the program wait for it.
        server.signal(SIGTERM)
        let status = try await server.waitForExit()
        #expect(status == .exited(0), "\(server.errorOutput.suffix(2_000))")

        server = try scene.serveBob(with: hanging)
        try await server.waitUntilListening()
        try await chatGoesOn(scene)
        try TestFile.write("", to: mount + ".awake")
        let sent = try await sending.waitForExit()
        #expect(sent == .exited(0), "\(sending.errorOutput)")
        #expect(TestFile.names(in: mount) == ["x.txt"])
        for process in [server, sender] { try await process.killNow() }
    }

    @Test(
        "a file that is offered from a disk that does not answer holds up itself, and nothing else",
        .enabled(if: SmallDisk.isPossible, "only root can mount a second disk"))
    func hangingSource() async throws {
        let scene = try await KillScene()
        let board = try Injection.Board(in: scene.alice.folder)
        // A disk of its own: the files of one disk wait for each other.
        let disk = try await SmallDisk()
        let mount = disk.path
        try TestFile.write("far", to: mount + "/far.txt")
        let near = scene.alice.folder.file("near.txt")
        try TestFile.write("near", to: near)
        // Offered while it answers; Bob comes when it does not.
        #expect(try await scene.alice.run("send-file", "bob", mount + "/far.txt", "--queue").status == .exited(0))
        let sender = try scene.serveAlice(
            with: .hangingDisk(at: mount, root: scene.alice.path, board: board))
        try await sender.waitUntilListening()
        let server = try scene.serveBob()
        try await server.waitUntilListening()
        try await chatGoesOn(scene)
        let sent = try await scene.alice.run("send-file", "bob", near, "--timeout", "60")
        #expect(sent.status == .exited(0), "\(sent.errorOutput)")
        let downloads = scene.bob.path + "/downloads"
        #expect(TestFile.read(downloads + "/near.txt") == Array("near".utf8))
        try TestFile.write("", to: mount + ".awake")
        try await eventually("the other one follows", state: { scene.unfinished }) {
            TestFile.read(downloads + "/far.txt") == Array("far".utf8)
        }
        for process in [server, sender] { try await process.killNow() }
        try await disk.unmount()
    }

    /// Messages go both ways, and each side says who is online.
    private func chatGoesOn(_ scene: KillScene) async throws {
        for (from, to) in [(scene.alice, "bob"), (scene.bob, "alice"), (scene.alice, "bob")] {
            let sent = try await from.run("send", to, "chat goes on", "--timeout", "60")
            #expect(sent.status == .exited(0), "\(from.name): \(sent.errorOutput)")
        }
        let status = try await scene.bob.run("status")
        #expect(status.status == .exited(0) && status.output.contains("online"), "\(status.output)")
    }
}
