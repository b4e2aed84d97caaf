// Two installations of real processes, one of which is killed again and again while messages and files go over.

import BLIPNet
import Glibc
import TestSupport
import Testing
import Workbench

/// Alice writes, Bob receives. What was promised is kept here, to be compared with the disks.
final class KillScene {
    let alice: BlipchatHome
    let bob: BlipchatHome
    private(set) var proxies: [FaultProxy] = []
    private let alicesHost: String
    private let bobsHost: String
    private let alicePort: UInt16
    private let bobPort: UInt16
    private(set) var written: [String] = []
    /// Ids that `send` has printed: they are on Alice's disk.
    private(set) var printed: Set<String> = []
    private let file: String
    private var fileCount = 0

    /// The homes are where the system keeps temporary files, or in these folders. When `isFaulted`, all calls go
    /// through `proxies`.
    init(alicesFolder: String? = nil, bobsFolder: String? = nil, isFaulted: Bool = false) async throws {
        alice = try BlipchatHome("alice", in: alicesFolder)
        bob = try BlipchatHome("bob", in: bobsFolder)
        for home in [alice, bob] {
            try home.writeConfiguration("[net]\nreconnect_max = 1\n[limits]\nretry_seconds = 0\n")
        }
        alicePort = try PlainServer.freePort()
        bobPort = try PlainServer.freePort()
        // Each is reached at 127.0.0.1, behind which its proxy passes calls on to another address at the same port.
        (alicesHost, bobsHost) = isFaulted ? ("127.0.0.3", "127.0.0.2") : ("127.0.0.1", "127.0.0.1")
        if isFaulted {
            proxies = try [(alicesHost, alicePort), (bobsHost, bobPort)].map { host, port in
                try FaultProxy(listen: .host("127.0.0.1", port: port), target: .host(host, port: port))
            }
        }
        file = alice.folder.file("picture.bin")
        try TestFile.generate(file, size: 200_000)
        // Each knows the other before anything goes wrong.
        let server = try serveBob()
        let sender = try serveAlice()
        try await server.waitUntilListening()
        try await sender.waitUntilListening()
        for (home, other, name) in [(alice, bob, "bob"), (bob, alice, "alice")] {
            let printed = try await other.run("id").lines.first.map(String.init) ?? ""
            let address = printed.replacingHost(with: "127.0.0.1")
            let added = try await home.run("contacts", "add", address, "--name", name)
            #expect(added.status == .exited(0), "\(added.errorOutput)")
        }
        try await write(1, files: 0)
        try await drain()
        for process in [server, sender] { try await process.killNow() }
    }

    func serveBob(with injection: Injection = .none) throws -> ChildProcess {
        try bob.serve(host: bobsHost, port: bobPort, "--accept-files", "10M", with: injection)
    }

    func serveAlice(with injection: Injection = .none) throws -> ChildProcess {
        try alice.serve(host: alicesHost, port: alicePort, with: injection)
    }

    /// Lets Alice write so many lines and offer so many files, by commands that go through her running instance if
    /// there is one. They may fail when it dies under them; what they have printed counts.
    func write(_ lines: Int, files: Int, with injection: Injection = .none) async throws {
        let texts = (0..<lines).map { "line \(written.count + $0)" }
        written += texts
        let input = alice.folder.file("input")
        try TestFile.write(texts.joined(separator: "\n") + "\n", to: input)
        let process = try alice.start(["send", "bob", "-", "--lines", "--queue"], with: injection, input: input)
        let status = try await process.waitForExit()
        if case .exited = status {
            alice.expectOrderlyEnd(process, status, "send", allowed: [0, 3, 7, 8, 9])
        } else {
            #expect(status == .signalled(SIGKILL), "\(process.errorOutput)")
        }
        printed.formUnion(process.outputLines.map(String.init))
        for _ in 0..<files {
            fileCount += 1
            // Once the transfer runs the command would wait for its end, which may be cycles away.
            let sending = try alice.start("send-file", "bob", file, "--name", "picture \(fileCount).bin")
            try await eventually("send-file has offered or ended", state: { sending.errorOutput }) {
                sending.output.hasSuffix("\n") || sending.poll() != nil
            }
            printed.formUnion(sending.outputLines.map(String.init))
            try await sending.killNow()
        }
    }

    /// A text that is about to be written by a command of the caller's own.
    func nextText() -> String {
        written.append("line \(written.count)")
        return written.last ?? ""
    }

    /// The ids that a command of the caller's own has printed.
    func note(printed process: ChildProcess) { printed.formUnion(process.outputLines.map(String.init)) }

    /// Bob's user lets transfers go on that wait for him after an error of his disk.
    func resumePaused() async throws {
        for (index, transfer) in try HistoryProbe(bob.historyPath).transfers.enumerated()
        where ["paused", "offered"].contains(transfer.state) {
            let word = transfer.state == "paused" ? "resume" : "accept"
            _ = try await bob.run("transfers", word, "\(index + 1)")
        }
    }

    /// What must hold at every moment.
    func check(_ when: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let (sender, receiver) = (try HistoryProbe(alice.historyPath), try HistoryProbe(bob.historyPath))
        Invariants.check(
            sender: sender, receiver: receiver, written: written, when, sourceLocation: sourceLocation)
        #expect(
            printed.isSubset(of: sender.outgoing.map(\.id)), "what was shown as stored is stored, \(when)",
            sourceLocation: sourceLocation)
    }

    /// Nothing waits any more.
    var isDrained: Bool {
        get throws {
            let (sender, receiver) = (try HistoryProbe(alice.historyPath), try HistoryProbe(bob.historyPath))
            return sender.outboxCount == 0 && receiver.outboxCount == 0
                && sender.transfers.allSatisfy { $0.state == "complete" }
                && receiver.transfers.allSatisfy { $0.state == "complete" }
        }
    }

    func drain() async throws {
        try await eventually(
            "everything arrives", state: { self.unfinished }
        ) { try self.isDrained }
    }

    /// What still waits, for the report of a test that fails.
    var unfinished: String {
        guard let sender = try? HistoryProbe(alice.historyPath), let receiver = try? HistoryProbe(bob.historyPath)
        else { return "the histories cannot be read" }
        let waiting = sender.transfers.filter { $0.state != "complete" }
        let open = receiver.transfers.filter { $0.state != "complete" }
        return "outboxes \(sender.outboxCount), \(receiver.outboxCount)\n\(waiting)\n\(open)"
    }

    /// Runs both undisturbed until everything has arrived, and compares everything.
    func finish(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let server = try serveBob()
        try await server.waitUntilListening()
        let sender = try serveAlice()
        try await sender.waitUntilListening()
        try await drain()
        for process in [server, sender] {
            process.signal(SIGTERM)
            let status = try await process.waitForExit()
            #expect(status == .exited(0), "\(process.errorOutput.suffix(2_000))", sourceLocation: sourceLocation)
        }
        let (sent, received) = (try HistoryProbe(alice.historyPath), try HistoryProbe(bob.historyPath))
        Invariants.checkDrained(sender: sent, receiver: received, written: written, sourceLocation: sourceLocation)
        try check("at the end", sourceLocation: sourceLocation)
        let whole = TestFile.read(file)
        let incoming = received.transfers.filter { !$0.isOutgoing }
        for transfer in incoming {
            #expect(TestFile.read(transfer.path) == whole, "\(transfer)", sourceLocation: sourceLocation)
        }
        // Nothing lies about but what is said to be there: no partial file, no second copy.
        let names = TestFile.names(in: bob.path + "/downloads")
        #expect(
            Set(names.map { bob.path + "/downloads/" + $0 }) == Set(incoming.map(\.path)),
            sourceLocation: sourceLocation)
    }
}

extension String {
    /// The address `blip://HOST:PORT/...` with another host.
    fileprivate func replacingHost(with host: String) -> String {
        let parts = split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? "blip://\(host):\(parts[2])" : self
    }
}
