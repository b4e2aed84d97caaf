// A key that is sealed with a passphrase: who is asked for it, who is not, and what a wrong one is called.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct PassphraseTests {
        private static let secret = "correct horse battery"

        /// Runs a command whose descriptor 3 has these lines.
        private func run(_ home: BlipchatHome, _ command: String, _ lines: String...) async throws -> CommandOutcome {
            let file = home.folder.file("lines-\(UInt64.random(in: 0 ... .max))")
            try TestFile.write(lines.map { $0 + "\n" }.joined(), to: file)
            return try await home.shell("exec \"$0\" \(command) --passphrase-fd 3 3<'\(file)'")
        }

        private func sealed(_ name: String) async throws -> BlipchatHome {
            let home = try BlipchatHome(name)
            _ = try await home.address()
            let outcome = try await run(home, "id passphrase", Self.secret)
            #expect(outcome.status == .exited(0) && outcome.output.contains("sealed"), "\(outcome)")
            return home
        }

        @Test("is sealed, changed and opened again, in place, and only by whoever knows it")
        func changes() async throws {
            let home = try BlipchatHome("alice")
            expectOneSentence(try await run(home, "id passphrase", Self.secret), 10, "no key yet")
            let address = try await home.address()
            let path = home.path + "/identity.key"
            let open = TestFile.text(path)
            expectOneSentence(try await home.run("id", "passphrase"), 2, "--passphrase-fd")
            expectOneSentence(try await run(home, "id passphrase", "short"), 2, "8 to 1000 bytes")
            expectOneSentence(try await run(home, "id passphrase --remove"), 1, "has no passphrase")
            // Closed here: a test runner may hand down descriptors of any number.
            let closed = try await home.shell("exec \"$0\" id passphrase --passphrase-fd 9 9<&-")
            expectOneSentence(closed, 7, "--passphrase-fd 9")
            expectOneSentence(try await home.run("id", "passphrase", "--passphrase-fd", "x"), 2, "--passphrase-fd x")
            #expect(TestFile.text(path) == open)

            #expect(try await run(home, "id passphrase", Self.secret).status == .exited(0))
            #expect(TestFile.text(path).contains("ENCRYPTED") && TestFile.permissions(path) == 0o600)
            let wrong = try await run(home, "id passphrase", "correct horse", "another horse")
            expectOneSentence(wrong, 11, "the passphrase is wrong")
            expectOneSentence(try await run(home, "id passphrase", Self.secret), 2, "no line with the new passphrase")
            #expect(try await run(home, "id passphrase", Self.secret, "another horse").status == .exited(0))
            expectOneSentence(try await run(home, "id passphrase --remove", Self.secret), 11, "wrong")
            let opened = try await run(home, "--json id passphrase --remove", "another horse")
            #expect(opened.status == .exited(0) && opened.output.contains("\"sealed\":false"), "\(opened)")
            #expect(TestFile.text(path) == open)
            #expect(try await home.address() == address)
        }

        @Test("a start needs it, once; what tells who we are does not, and nothing does beside a running blipchat")
        func starts() async throws {
            let alice = try BlipchatHome("alice")
            let address = try await alice.address()
            #expect(try await run(alice, "id passphrase", Self.secret).status == .exited(0))
            #expect(try await alice.address() == address)
            #expect(try await alice.run("id", "fingerprint").status == .exited(0))
            #expect(try await alice.run("status").status == .exited(0))
            #expect(try await alice.run("contacts", "list").status == .exited(0))
            let doctor = try await alice.run("doctor")
            #expect(doctor.status == .exited(0) && doctor.output.contains("sealed with a passphrase"), "\(doctor)")

            let serve = "serve --listen 127.0.0.1:0"
            for (outcome, code, words) in [
                (try await alice.shell("exec \"$0\" \(serve)"), Int32(2), "blipchat cannot ask for it"),
                (
                    try await alice.run("contacts", "add", "127.0.0.1:9", "--name", "bob"), 2,
                    "blipchat cannot ask for it"
                ),
                (try await alice.run("--plain", "--no-input"), 2, "blipchat cannot ask for it"),
                (try await run(alice, serve, "wrong horse"), 11, "the passphrase is wrong"),
                (try await run(alice, serve, "x"), 11, "the passphrase is wrong"),
                (try await run(alice, serve), 2, "blipchat cannot ask for it"),
                (try await run(alice, "contacts add 127.0.0.1:9 --name bob", "wrong horse"), 11, "passphrase is wrong"),
            ] {
                expectOneSentence(outcome, code, words)
            }
            #expect(try await run(alice, "contacts add 127.0.0.1:9 --name bob", Self.secret).status == .exited(0))

            let lines = alice.folder.file("secret")
            try TestFile.write(Self.secret + "\nnot for us\n", to: lines)
            let process = try ChildProcess(
                ["/bin/sh", "-c", "exec \"$0\" \(serve) --passphrase-fd 3 3<'\(lines)'", alice.command],
                environment: alice.environment, folder: alice.folder)
            try await eventually("it is ready", state: { process.errorOutput }) {
                process.output.hasPrefix("listening ")
            }
            #expect(try await alice.run("send", "bob", "hi", "--queue").status == .exited(0))
            #expect(try await alice.run("status").output.contains("running"))
            let bob = try BlipchatHome("bob")
            try await bob.add(alice.address(), as: "alice")
            // Sealing it anew needs no restart.
            #expect(try await run(alice, "id passphrase", Self.secret, "another horse").status == .exited(0))
            #expect(try await alice.run("contacts", "rename", "bob", "rob").status == .exited(0))
            process.signal(SIGTERM)
            #expect(try await process.waitForExit() == .exited(0))
            expectOneSentence(try await run(alice, serve, Self.secret), 11, "the passphrase is wrong")
        }

        @Test("systemd may hand it over, and a terminal is asked for it, by serve and before the screen")
        func sources() async throws {
            let alice = try await sealed("alice")
            let folder = try TemporaryDirectory()
            try TestFile.write("wrong horse battery\n", to: folder.file("blipchat.passphrase"))
            let serve = "CREDENTIALS_DIRECTORY='\(folder.path)' exec \"$0\" serve --listen 127.0.0.1:0"
            expectOneSentence(try await alice.shell(serve), 11, "the passphrase is wrong")
            try TestFile.write(Self.secret + "\n", to: folder.file("blipchat.passphrase"))
            let process = try ChildProcess(
                ["/bin/sh", "-c", serve, alice.command], environment: alice.environment, folder: alice.folder)
            try await eventually("it is ready", state: { process.errorOutput }) {
                process.output.hasPrefix("listening ")
            }
            // A second screen asks for nothing.
            let attached = try alice.terminal()
            try await eventually("the screen", state: { attached.text }) { attached.text.contains("Attached") }
            try attached.type("\u{11}")
            #expect(try await attached.process.waitForExit() == .exited(0))
            process.signal(SIGTERM)
            #expect(try await process.waitForExit() == .exited(0))

            for (isScreen, sign) in [(false, "listening "), (true, "\u{1B}[?1049h")] {
                let terminal = try isScreen ? alice.terminal() : alice.terminal("serve", "--listen", "127.0.0.1:0")
                try await eventually("it asks", state: { terminal.text }) {
                    terminal.text.contains("Passphrase for your key:")
                }
                #expect(!terminal.text.contains(sign))
                try terminal.type(Self.secret + "\r")
                try await eventually("it starts", state: { terminal.text }) { terminal.text.contains(sign) }
                #expect(!terminal.text.contains("horse"))
                if isScreen { try terminal.type("\u{11}") } else { terminal.process.signal(SIGTERM) }
                #expect(try await terminal.process.waitForExit() == .exited(0), "\(terminal.text)")
            }
            let mistaken = try alice.terminal()
            try await eventually("it asks", state: { mistaken.text }) { mistaken.text.contains("Passphrase for") }
            try mistaken.type("incorrect horse\r")
            #expect(try await mistaken.process.waitForExit() == .exited(11))
            // What it wrote may be read after its end.
            try await eventually("it says why", state: { mistaken.text }) {
                mistaken.text.contains("the passphrase is wrong")
            }
            #expect(!mistaken.text.contains("\u{1B}[?1049h"))
        }

        @Test("a backup of a sealed key needs both passphrases, and a restored key says that it lies open")
        func backups() async throws {
            let alice = try await sealed("alice")
            let secret = alice.folder.file("passphrase")
            try TestFile.write("for the backup\n", to: secret)
            let file = alice.folder.file("key.backup")
            let command = "id backup '\(file)' --passphrase-file '\(secret)'"
            expectOneSentence(try await alice.shell("exec \"$0\" \(command)"), 2, "blipchat cannot ask for it")
            #expect(TestFile.size(file) == nil)
            #expect(try await run(alice, command, Self.secret).status == .exited(0))
            let restore = ["id", "restore", file, "--passphrase-file", secret]
            // The same key is there already, and stays sealed.
            let same = try await alice.run(restore[0], restore[1], restore[2], restore[3], restore[4])
            #expect(same.status == .exited(0) && same.errorOutput.isEmpty, "\(same)")
            #expect(TestFile.text(alice.path + "/identity.key").contains("ENCRYPTED"))
            let bob = try await sealed("bob")
            let other = try await bob.run(restore[0], restore[1], restore[2], restore[3], restore[4], "--replace")
            #expect(other.status == .exited(0) && other.errorOutput.contains("id passphrase seals it"), "\(other)")
            #expect(try await bob.address().contains(String(try await alice.address().suffix(20))) == false)
            #expect(try await bob.run("id", "fingerprint").output == alice.run("id", "fingerprint").output)
        }
    }
}
