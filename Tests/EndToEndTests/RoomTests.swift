// Socket.IO rooms with real servers: blipchat beside a client of python-socketio and a web page, and what becomes of lines
// when the server or blipchat dies.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite(.enabled(ChatRoom.reason) { await PythonEnvironment.socketIO5.isAvailable })
    struct RoomTests {
        /// Sends in the long form of the test of restarts.
        private static let sends = getenv("BLIPCHAT_ROOM_SENDS").flatMap { Int(String(cString: $0)) }

        /// Lines of a file, to be sent one by one.
        private func lines(_ lines: [String], for home: BlipchatHome) throws -> String {
            let path = home.folder.file("lines")
            try TestFile.write(lines.map { "\($0)\n" }.joined(), to: path)
            return path
        }

        @Test("each line arrives once everywhere, in the server's order", arguments: [false, true])
        func together(tls: Bool) async throws {
            let room = try await ChatRoom(tls: tls)
            let (alice, bob) = (try await room.member("alice"), try await room.member("bob"))
            let (first, second) = (try await Server(alice), try await Server(bob))
            let python = try await RoomGuest.python(in: room)
            try await room.waitForPeople(3)

            // One after the other: all have the same conversation.
            for round in 1...3 {
                for home in [alice, bob] {
                    let outcome = try await home.run("send", "garden", "\(home.name) \(round)")
                    #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
                }
                try await eventually("they are there", state: { python.state }) {
                    let last = try await alice.texts("garden").last
                    return try last == "bob \(round)" && python.heard.texts.last == "bob \(round)"
                }
                try python.tell(["say": "python \(round)"])
                try await eventually("the answer is there", state: { python.state }) {
                    for home in [alice, bob] where try await home.texts("garden").last != "python \(round)" {
                        return false
                    }
                    return true
                }
            }
            let inTurn = (1...3).flatMap { round in ["alice", "bob", "python"].map { "\($0) \(round)" } }
            #expect(try room.log.texts == inTurn && python.heard.texts == inTurn)
            for home in [alice, bob] {
                let history = try await home.history("garden")
                #expect(history.compactMap(\.text) == inTurn)
                for line in history {
                    let sender = line.text?.split(separator: " ").first.map(String.init)
                    #expect(line.from == (sender == home.name ? "me" : "garden"))
                    #expect(line.sender == (sender == home.name ? nil : sender))
                    #expect(line.state == "delivered")
                }
            }

            // All at once: each has its own lines in their order, and those of the others in the server's.
            let count = 20
            let sending = try [alice, bob].map { home in
                let path = try lines((0..<count).map { "\(home.name) at once \($0)" }, for: home)
                return try home.start("send", "garden", "-", "--lines", input: path)
            }
            for number in 0..<count { try python.tell(["say": "python at once \(number)", "id": Self.id(number)]) }
            for process in sending { #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)") }
            let total = inTurn.count + 3 * count
            try await eventually("all of it is everywhere", state: { python.state }) {
                let counts = [try await alice.texts("garden").count, try await bob.texts("garden").count]
                return try counts == [total, total] && python.heard.texts.count == total
            }
            let said = try room.log.texts
            #expect(try said.count == total && python.heard.texts == said)
            for home in [alice, bob] {
                let history = try await home.history("garden")
                for isOwn in [true, false] {
                    let texts = history.filter { ($0.from == "me") == isOwn }.compactMap(\.text)
                    #expect(texts == said.filter { $0.hasPrefix("\(home.name) ") == isOwn })
                }
                #expect(history.allSatisfy { $0.from != "me" || $0.state == "delivered" })
            }
            try await python.leave()
            for server in [first, second] { try await server.stop() }
            try await room.stop()
        }

        private static func id(_ number: Int) -> String {
            "0190aaaa-bbbb-7ccc-8ddd-\("\(100_000_000_000 + number)")"
        }

        @Test("a file of 64 KiB arrives intact in both directions")
        func files() async throws {
            let room = try await ChatRoom()
            let (alice, bob) = (try await room.member("alice"), try await room.member("bob"))
            let (first, second) = (try await Server(alice), try await Server(bob))
            let python = try await RoomGuest.python(in: room)
            try await room.waitForPeople(3)
            let (ours, theirs) = (alice.folder.file("ours.bin"), alice.folder.file("theirs.bin"))
            try TestFile.generate(ours, size: 65_536, seed: 1)
            try TestFile.generate(theirs, size: 65_536, seed: 2)
            // It ends when whole files of a MiB do.
            #expect(TestFile.size(ours).map { $0 >= 65_536 } == true)

            let outcome = try await alice.run("send-file", "garden", ours)
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            try python.tell(["file": theirs])
            try await eventually("everybody has them", state: { python.state }) {
                let counts = [try await alice.transfers().count, try await bob.transfers().count]
                return try counts == [2, 2] && python.heard.count(of: "binaryEvent") == 2
            }
            let sums = [try await sha256(ours), try await sha256(theirs)]
            let binaries = try python.heard.filter { $0.event == "binaryEvent" }
            #expect(binaries.map(\.sha256) == sums && binaries.map(\.name) == ["ours.bin", "theirs.bin"])
            // They wait until they are accepted, whoever sent them.
            for (home, names) in [(alice, ["theirs.bin"]), (bob, ["ours.bin", "theirs.bin"])] {
                #expect(TestFile.names(in: home.path + "/downloads") == [])
                let accepted = try await home.run("transfers", "accept", "all")
                #expect(accepted.status == .exited(0), "\(accepted.errorOutput)")
                try await eventually("\(home.name) has them") {
                    try await home.transfers().allSatisfy { $0.state == "complete" }
                }
                #expect(TestFile.names(in: home.path + "/downloads") == names)
                for name in names {
                    #expect(try await sha256(home.path + "/downloads/" + name) == sums[name == "ours.bin" ? 0 : 1])
                }
            }
            try await python.leave()
            for server in [first, second] { try await server.stop() }
            try await room.stop()
        }

        @Test("ten questions at once are answered, each once")
        func acknowledgements() async throws {
            let room = try await ChatRoom()
            let alice = try await room.member("alice")
            let server = try await Server(alice)
            let python = try await RoomGuest.python(in: room)
            try await room.waitForPeople(2)
            try python.tell(["ackTest": "10"])
            try await eventually("they are answered", state: { python.state }) {
                try python.heard.count(of: "done") == 1
            }
            #expect(try room.log.count(of: "answer") == 10)
            #expect(try await Set(alice.texts("garden")) == Set((0..<10).map { "question \($0)" }))
            #expect(try await alice.history("garden").allSatisfy { $0.sender == "room" })
            try await python.leave()
            try await server.stop()
            try await room.stop()
        }

        @Test("what the server does not acknowledge is delivered by its echo; without that it stays emitted")
        func marks() async throws {
            for (options, state, code) in [
                (["--silent"], "delivered", Int32(0)), (["--silent", "--others"], "sent", 3),
            ] {
                let room = try await ChatRoom(options: options)
                let alice = try await room.member("alice")
                let server = try await Server(alice)
                try await room.waitForPeople(1)
                // Longer than blipchat waits for an acknowledgement.
                let outcome = try await alice.run("send", "garden", "hello", "--timeout", "15")
                #expect(outcome.status == .exited(code), "\(options): \(outcome.errorOutput)")
                let history = try await alice.history("garden")
                #expect(history.map(\.text) == ["hello"] && history.map(\.state) == [state])
                #expect(try await alice.status().queued == 0)
                #expect(try room.log.texts == ["hello"])
                try await server.stop()
                try await room.stop()
            }
        }

        @Test("a server that stops and starts in the middle loses nothing, and nothing is shown twice")
        func restarts() async throws {
            let (sends, restarts) = Self.sends.map { ($0, 20) } ?? (200, 5)
            let long = Duration.seconds(Self.sends == nil ? 180 : 1800)
            let room = try await ChatRoom("--replay", "\(sends)")
            let (alice, bob) = (try await room.member("alice"), try await room.member("bob"))
            let (first, second) = (try await Server(alice), try await Server(bob))
            let python = try await RoomGuest.python(in: room)
            try await room.waitForPeople(3)

            let texts = (0..<sends).map { "line \($0)" }
            let sending = try alice.start(
                "send", "garden", "-", "--lines", "--queue", input: try lines(texts, for: alice))
            for restart in 1...restarts {
                let mark = sends * restart / (restarts + 1)
                try await eventually(
                    "\(mark) lines have come", timeout: long, state: { first.process.errorOutput }
                ) { try room.log.lines.count >= mark }
                // Once it says goodbye and once it does not.
                try await room.stop(restart.isMultiple(of: 2) ? SIGTERM : SIGKILL)
                try await room.start()
            }
            #expect(try await sending.waitForExit() == .exited(0), "\(sending.errorOutput)")
            try await eventually("everything has come", timeout: long, state: { first.process.errorOutput }) {
                try room.log.lines.count >= sends
            }
            try await eventually("everybody has everything", timeout: long, state: { second.process.errorOutput }) {
                let count = try await bob.texts("garden").count
                return try count >= sends && python.heard.lines.count >= sends
            }
            try await eventually("all of it is confirmed", timeout: long) { try await alice.status().queued == 0 }
            let ids = sending.outputLines.map(String.init)
            #expect(try room.log.lines.compactMap(\.id) == ids && room.log.texts == texts)
            // A lost connection leaves one line in doubt.
            #expect(try room.log.compactMap(\.line).count <= sends + restarts)
            #expect(try python.heard.texts == texts)
            #expect(try await bob.texts("garden") == texts)
            let history = try await alice.history("garden")
            #expect(history.map(\.id) == ids && history.allSatisfy { $0.state == "delivered" })
            try await python.leave()
            for server in [first, second] { try await server.stop() }
            try await room.stop()
        }

        @Test("kill -9 of blipchat in the middle: what was shown with a mark is there, and goes out once")
        func killed() async throws {
            let room = try await ChatRoom("--replay", "1000")
            let alice = try await room.member("alice")
            let python = try await RoomGuest.python(in: room)
            try await room.waitForPeople(1)

            // Without the server: what waits is kept.
            try await room.stop()
            var server = try await Server(alice)
            for number in 0..<5 {
                #expect(try await alice.run("send", "garden", "early \(number)", "--queue").status == .exited(0))
            }
            try await server.kill()
            let early = (0..<5).map { "early \($0)" }
            #expect(try await alice.history("garden").map(\.text) == early)
            #expect(try await alice.history("garden").allSatisfy { $0.state == "pending" })
            try await room.start()

            // With it: killed again and again while lines go out.
            var ids = try await alice.history("garden").map(\.id)
            var texts = early
            let kills = 5
            for round in 1...kills {
                server = try await Server(alice)
                let own = (0..<40).map { "round \(round) line \($0)" }
                let sending = try alice.start(
                    "send", "garden", "-", "--lines", "--queue", input: try lines(own, for: alice))
                let mark = texts.count + 3 * round
                try await eventually("some have come", state: { server.process.errorOutput }) {
                    try room.log.lines.count >= mark
                }
                try await server.kill()
                try await sending.waitForExit()
                let shown = sending.outputLines.map(String.init)
                // What was shown with an id is there. One more may be that was not shown.
                let history = try await alice.history("garden")
                #expect(history.map(\.id).starts(with: ids + shown), "round \(round)")
                ids = history.map(\.id)
                texts += own.prefix(history.count - texts.count)
                #expect(history.map(\.text) == texts)
            }
            server = try await Server(alice)
            try await eventually("everything has gone out", state: { server.process.errorOutput }) {
                try await alice.status().queued == 0
            }
            #expect(try room.log.lines.compactMap(\.id) == ids && room.log.texts == texts)
            // One line is in doubt at each kill, and all that may be on their way where the server took more than two seconds to
            // acknowledge the first (`RoomSendingTests` counts them in simulated time).
            #expect(try room.log.compactMap(\.line).count <= texts.count + 16 * (kills + 1))
            try await eventually("the others have it", state: { python.state }) {
                try python.heard.lines.count == texts.count
            }
            #expect(try python.heard.texts == texts)
            let history = try await alice.history("garden")
            #expect(history.map(\.id) == ids && history.allSatisfy { $0.state == "delivered" })
            try await python.leave()
            try await server.stop()
            try await room.stop()
        }

        /// What the page shows.
        private struct Page: Decodable {
            struct Line: Decodable, Equatable {
                var sender: String
                var text: String
            }
            var status: String
            var people: String
            var lines: [Line]
        }

        @Test(
            "a web page with the JavaScript client and a terminal talk to each other",
            .enabled(if: access(RoomGuest.chromium, X_OK) == 0, "chromium is not installed"),
            .enabled("PyPI cannot be reached: no JavaScript client") { await RoomGuest.script() != nil })
        func page() async throws {
            let room = try await ChatRoom("--script", try #require(await RoomGuest.script()))
            let alice = try await room.member("alice")
            let watch = try alice.start("--json", "watch", "garden", "--listen", "127.0.0.1:0")
            let picture = getenv("BLIPCHAT_ROOM_PICTURE").map { String(cString: $0) } ?? alice.folder.file("page.png")
            let page = try await RoomGuest.page(of: room, as: "web", picture: picture)
            try await room.waitForPeople(2)

            try page.tell(["type": "Hello from the page: <b>größer</b> 🌱"])
            try await eventually("the terminal has the line", state: { "\(page.state)\n\(watch.errorOutput)" }) {
                try await alice.history("garden").count == 1
            }
            let line = try #require(try await alice.history("garden").first)
            #expect(line.text == "Hello from the page: <b>größer</b> 🌱" && line.sender == "web")
            #expect(watch.output.contains(#""id":"\#(line.id)""#), "\(watch.output)")

            #expect(try await alice.run("send", "garden", "Hello from the terminal: <i>&amp;</i>").status == .exited(0))
            let (ours, theirs) = (alice.folder.file("ours.bin"), alice.folder.file("theirs.bin"))
            try TestFile.generate(ours, size: 65_536, seed: 1)
            try TestFile.generate(theirs, size: 65_536, seed: 2)
            #expect(try await alice.run("send-file", "garden", ours).status == .exited(0))
            try page.tell(["file": theirs])
            let sums = [try await sha256(ours), try await sha256(theirs)]
            let shown = [
                Page.Line(sender: "web", text: "Hello from the page: <b>größer</b> 🌱"),
                Page.Line(sender: "alice", text: "Hello from the terminal: <i>&amp;</i>"),
                Page.Line(sender: "alice", text: "ours.bin, 65536 bytes, SHA-256 \(sums[0])"),
                Page.Line(sender: "web", text: "theirs.bin, 65536 bytes, SHA-256 \(sums[1])"),
            ]
            try await eventually("the page shows everything", state: { page.state }) {
                try page.latest(Page.self)?.lines.count == shown.count
            }
            let last = try #require(try page.latest(Page.self))
            #expect(last.lines == shown)
            #expect(last.people == "Here: alice, web" && last.status == "connected by websocket")
            #expect(try await alice.run("transfers", "accept", "all").status == .exited(0))
            try await eventually("the terminal has the file") {
                try await alice.transfers().allSatisfy { $0.state == "complete" }
            }
            #expect(try await sha256(alice.path + "/downloads/theirs.bin") == sums[1])
            try await page.leave()
            #expect(TestFile.read(picture).starts(with: [0x89, 0x50, 0x4E, 0x47]))
            watch.signal(SIGTERM)
            try await watch.waitForExit()
            try await room.stop()
        }
    }
}
