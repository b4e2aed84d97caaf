// Two real programs that find each other: invitations, and a real relay between them.

import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct ReachTests {
        /// A line of `reach --json` or `routes list --json`.
        private struct ReachLine: Decodable {
            struct Relay: Decodable {
                var host: String
                var state: String
            }
            var type: String
            var reachable: Bool?
            var relays: [Relay]?
            var standing: String?
            var address: String?
            var words: String?
            var relay: String?
            var met: String?
            var `class`: String?
        }

        private func read(_ line: some StringProtocol) throws -> ReachLine {
            try JSONDecoder().decode(ReachLine.self, from: Data(line.utf8))
        }

        private func waitUntilJoined(_ server: Server) async throws {
            try await eventually("the relay is joined", state: { server.process.errorOutput }) {
                let output = try await server.home.run("reach", "--json").output
                return try read(output).relays?.first?.state == "joined"
            }
        }

        @Test(
            "four words that one says and the other one enters, through a real relay; the second one comes too late",
            .enabled(if: RelayProgram.isInstalled, "\(RelayProgram.missing)"))
        func words() async throws {
            let relay = try await RelayProgram()
            let (alice, bob, carol) = (
                try BlipchatHome("alice"), try BlipchatHome("bob"), try BlipchatHome("carol")
            )
            #expect(try await alice.run("config", "set", "reach.relay", relay.uri).status == .exited(0))
            // The relay of this test is on this machine.
            #expect(try await bob.run("config", "set", "limits.private_routes", "1").status == .exited(0))
            let server = try await Server(alice)
            try await waitUntilJoined(server)
            let invitation = try read(try await alice.run("invite", "--json").output)
            let words = try #require(invitation.words)
            #expect(invitation.relay == "127.0.0.1:\(relay.port)")
            let said = "\(words)@127.0.0.1:\(relay.port)".uppercased()
            let met = try await bob.run("join", said, "--json")
            #expect(met.status == .exited(0), "\(met.errorOutput)")
            #expect(try read(met.output).met != nil)
            let sent = try await bob.run("send", "alice", "good morning")
            #expect(sent.status == .exited(0), "\(sent.errorOutput)")
            #expect(try await alice.texts("bob") == ["good morning"])
            #expect(try await alice.run("requests", "list").output.isEmpty)
            let late = try await carol.run("join", said)
            #expect(late.status == .exited(8) && late.errorOutput.contains("nobody waits with these words"))
            let mistyped = try await carol.run("join", "tiger-lemno-orbit-cable")
            #expect(mistyped.status == .exited(2), "\(mistyped.errorOutput)")
            try await server.stop()
        }

        @Test(
            "a link that one shows and the other one joins: the first message comes through the relay",
            .enabled(if: RelayProgram.isInstalled, "\(RelayProgram.missing)"))
        func relay() async throws {
            let relay = try await RelayProgram()
            let (alice, bob) = (try BlipchatHome("alice"), try BlipchatHome("bob"))
            #expect(try await alice.run("config", "set", "reach.relay", relay.uri).status == .exited(0))
            #expect(try await bob.run("config", "set", "security.hide_address", "true").status == .exited(0))
            let server = try await Server(alice)
            try await waitUntilJoined(server)
            let link = try #require(try read(try await alice.run("invite", "--for", "10m", "--json").output).address)
            // Bob is in another house: the host leads him nowhere.
            let host = "127.0.0.1:\(try server.port)"
            #expect(link.contains(host) && link.contains("once="))
            let relayed = link.replacing(host, with: "", maxReplacements: 1)
            #expect(try await bob.run("join", relayed, "--name", "alice").status == .exited(0))
            let sent = try await bob.run("send", "alice", "good morning")
            #expect(sent.status == .exited(0), "\(sent.errorOutput)")
            #expect(try await alice.texts("bob") == ["good morning"])
            #expect(try await alice.run("requests", "list").output.isEmpty)
            // An answer goes back while Bob is there.
            let bobsServer = try await Server(bob)
            #expect(try await alice.run("send", "bob", "and to you").status == .exited(0))
            let routes = try await bob.run("routes", "list", "alice", "--json").lines.map {
                try read($0)
            }
            #expect(routes.map(\.class) == ["relay", "relay"] && routes.contains { $0.standing == "in-use" })
            try await bobsServer.stop()
            try await server.stop()
        }

        /// Why the networks of Tests/Rigs/nat.sh cannot be made here; `nil`: they can.
        private static let lackOfNetworks: String? = {
            guard geteuid() == 0 else { return "two homes behind NAT need root" }
            let programs = ["strelaysrv", "stdiscosrv", "nft", "ip", "python3"]
            let missing = programs.filter { name in
                !["/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/"].contains { access($0 + name, X_OK) == 0 }
            }
            guard missing.isEmpty else { return "not installed: \(missing.joined(separator: ", "))" }
            guard let folder = try? TemporaryDirectory(),
                let trial = try? ChildProcess(
                    ["unshare", "-nm", "mount", "-t", "tmpfs", "none", folder.path],
                    environment: ["PATH": "/usr/bin:/bin"], folder: folder)
            else { return "processes cannot be started" }
            while trial.poll() == nil { usleep(1000) }
            return trial.poll() == .exited(0) ? nil : "this machine makes no network namespaces"
        }()

        @Test(
            "two homes behind real NAT: the first message, and a machine that moves while a file goes on (make reach: all of it)",
            .enabled(if: lackOfNetworks == nil, "\(lackOfNetworks ?? "")"), .timeLimit(.minutes(10)))
        func networks() async throws {
            let folder = try TemporaryDirectory()
            let process = try ChildProcess(
                ["python3", "\(TestFile.repository)/Tests/Rigs/reach.py", "--short"],
                environment: [
                    "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "BLIPCHAT": BlipchatProgram.path ?? "",
                    "TMPDIR": folder.path, "HOME": folder.path, "REACH_RIG": "bt\(getpid() % 9999)",
                    // The tests that run beside this one have the processors, too.
                    "REACH_PATIENCE": "6",
                ], folder: folder)
            #expect(
                try await process.waitForExit(timeout: .seconds(540)) == .exited(0),
                "\(process.output)\(process.errorOutput)")
            #expect(process.output.contains("ok    relay"))
        }

        /// Whether there is a tor for a network of this machine.
        private static let hasTor = ["/usr/sbin/tor", "/usr/bin/tor"].contains { (path: String) in
            access(path, X_OK) == 0
        }

        @Test(
            "chats by a real Tor network of this machine, strangers who say words, nothing but Tor (make reach-tor)",
            .enabled(if: hasTor, "tor is not installed (apt install tor)"), .timeLimit(.minutes(15)))
        func tor() async throws {
            // Paths of sockets are short.
            let folder = try TemporaryDirectory(in: "/tmp")
            let process = try ChildProcess(
                ["python3", "\(TestFile.repository)/Tests/Rigs/reach_tor.py", "--short"],
                environment: [
                    "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "BLIPCHAT": BlipchatProgram.path ?? "",
                    "TMPDIR": folder.path, "HOME": folder.path, "REACH_TOR_BASE": "\(20_000 + getpid() % 200 * 150)",
                    // The tests that run beside this one have the processors, too.
                    "REACH_PATIENCE": "3",
                ], folder: folder)
            #expect(
                try await process.waitForExit(timeout: .seconds(840)) == .exited(0),
                "\(process.output)\(process.errorOutput)")
            for scenario in ["first", "words", "only"] { #expect(process.output.contains("ok    \(scenario)")) }
        }

        @Test("an invitation says when nobody outside can call, and needs somebody who takes calls")
        func honest() async throws {
            let alice = try BlipchatHome("alice")
            let alone = try await alice.run("invite")
            #expect(alone.status == .exited(8) && alone.errorOutput.contains("nobody can call you now"))
            let server = try await Server(alice)
            let shown = try await alice.run("invite")
            let link = try #require(shown.lines.last)
            #expect(shown.status == .exited(0) && link.hasPrefix("blip://127.0.0.1:"))
            #expect(shown.errorOutput.contains("Only people in this network can reach you."))
            let bob = try BlipchatHome("bob")
            #expect(try await bob.run("join", String(link)).status == .exited(0))
            #expect(try await bob.run("send", "alice", "let in at once").status == .exited(0))
            #expect(try await alice.texts("bob") == ["let in at once"])
            #expect(try await alice.run("config", "set", "reach.relay", "pool").status == .exited(2))
            try await server.stop()
        }

        @Test("ways to a contact are added and forgotten by their number")
        func routes() async throws {
            let server = try await Server(BlipchatHome("bob"), "--accept-requests")
            let alice = try BlipchatHome("alice")
            try await alice.add(try await server.home.address(), as: "bob")
            #expect(try await alice.run("routes", "add", "bob", "192.0.2.7:5000").status == .exited(0))
            let shown = try await alice.run("routes", "list", "bob").lines
            #expect(shown.count == 2 && shown.contains { $0.contains("192.0.2.7:5000") })
            #expect(try await alice.run("routes", "add", "bob", "nonsense::::").status == .exited(2))
            let number = try #require(shown.firstIndex { $0.contains("192.0.2.7") }) + 1
            #expect(try await alice.run("routes", "remove", "bob", "\(number)").status == .exited(0))
            #expect(try await alice.run("routes", "list", "bob").lines.count == 1)
            try await server.stop()
        }
    }
}
