// Whose files: root in a user's home, and our own key in a folder that is sent.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct OwnerTests {
        @Test(
            "root with a user's HOME leaves nothing there, and the user can go on",
            .enabled(if: geteuid() == 0, "only root can be somebody else"))
        func sudo() async throws {
            let alice = try BlipchatHome("alice")
            let folder = alice.folder.path
            #expect(chmod(folder, 0o755) == 0)
            let user = try alice.folder.makeFolder("user")
            #expect(chown(user, 12_345, 12_345) == 0)
            /// Runs a command on the home below `user`, as the user or as root.
            func run(_ words: [String], asUser: Bool) async throws -> CommandOutcome {
                let drop = asUser ? "$) = $( = 12345; $> = $< = 12345;" : ""
                let process = try ChildProcess(
                    ["perl", "-e", drop + "exec @ARGV", alice.command] + words,
                    environment: ["HOME": user, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], folder: alice.folder)
                let status = try await process.waitForExit()
                return CommandOutcome(status: status, output: process.output, errorOutput: process.errorOutput)
            }
            func foreign() -> [String] {
                var found: [String] = []
                func look(_ path: String) {
                    var status = stat()
                    guard lstat(path, &status) == 0 else { return }
                    if status.st_uid != 12_345 { found.append(path) }
                    guard status.st_mode & S_IFMT == S_IFDIR, let stream = opendir(path) else { return }
                    defer { closedir(stream) }
                    while let entry = readdir(stream) {
                        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                        }
                        if name != ".", name != ".." { look("\(path)/\(name)") }
                    }
                }
                look(user)
                return found
            }
            let commands = [
                ["config", "set", "ui.hints", "false"], ["id"], ["contacts", "list"], ["history", "al"],
                ["contacts", "add", "127.0.0.1:9", "--name", "al"], ["send", "al", "hi", "--queue"], ["status"],
                ["id", "passphrase", "--no-input"], ["serve"], ["--plain"],
            ]
            // In a home that is still to be made, and in one that is there.
            for isMade in [false, true] {
                if isMade {
                    let made = try await run(["contacts", "add", "127.0.0.1:9", "--name", "al"], asUser: true)
                    guard made.status == .exited(0) else {
                        // The program may lie where nobody else can reach it.
                        Issue.record("the user cannot run it: \(made.errorOutput)")
                        return
                    }
                }
                for command in commands {
                    expectOneSentence(try await run(command, asUser: false), 7, "belongs to user 12345", "without sudo")
                }
                let doctor = try await run(["doctor"], asUser: false)
                #expect(doctor.status == .exited(7) && doctor.output.contains("belongs to user 12345"), "\(doctor)")
                expectOneSentence(try await run(["doctor", "--fix"], asUser: false), 7, "belongs to user 12345")
                #expect(foreign() == [])
            }
            #expect(try await run(["contacts", "list"], asUser: true).status == .exited(0))
            #expect(try await run(["send", "al", "hi", "--queue"], asUser: true).status == .exited(0))
        }

        @Test("a folder with our home in it goes without the key and the history, and says so; alone they are refused")
        func ownKey() async throws {
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob, "--accept-requests", "--accept-files", "100M")
            let outer = try TemporaryDirectory()
            let alice = try BlipchatHome("alice", in: outer.path)
            try await alice.add(bob.address(), as: "bob")
            try TestFile.write("x", to: outer.file("letter.txt"))
            #expect(link(alice.path + "/identity.key", outer.file("holiday.jpg")) == 0)
            let sent = try await alice.run("send-file", "bob", outer.path, "-q", timeout: .seconds(120))
            // Each file that stays here is named, also with -q, and a folder that is incomplete is no success.
            #expect(sent.status == .exited(7), "\(sent)")
            let top = outer.path.split(separator: "/").last ?? ""
            for path in ["alice/identity.key", "alice/history.sqlite", "holiday.jpg"] {
                let words = "blipchat: \(top)/\(path): not sent: it is your key or your history, which stays here\n"
                #expect(sent.errorOutput.contains(words), "\(sent)")
            }
            #expect(!sent.errorOutput.contains("letter.txt"), "\(sent)")
            #expect(sent.errorOutput.contains("files in it not sent, named above"), "\(sent)")
            let transfers = try await bob.transfers()
            let names = Set(transfers.compactMap(\.name))
            #expect(names.contains("letter.txt"))
            #expect(!names.contains { $0.hasPrefix("identity.key") || $0.hasPrefix("history.sqlite") }, "\(names)")
            #expect(!names.contains("holiday.jpg") && !names.contains("input_history"))
            for path in [alice.path + "/identity.key", alice.path + "/history.sqlite", outer.file("holiday.jpg")] {
                expectOneSentence(try await alice.run("send-file", "bob", path), 2, "which blipchat never sends")
            }
            let input = try await alice.run(
                "send-file", "bob", "-", "--name", "x", input: alice.path + "/identity.key")
            expectOneSentence(input, 2, "standard input", "which blipchat never sends")
            #expect(try await bob.transfers().count == transfers.count)
            try await server.stop()
        }
    }
}
