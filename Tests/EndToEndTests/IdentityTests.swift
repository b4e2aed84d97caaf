// Keys on the command line: kept, sealed, taken to another machine, and compared.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct IdentityTests {
        @Test("a backup makes another home the same person, and only with the passphrase")
        func backup() async throws {
            let old = try BlipchatHome("alice")
            let secret = old.folder.file("passphrase")
            try TestFile.write("correct horse battery\n", to: secret)
            let address = try await old.address()
            let file = old.folder.file("key.backup")
            let made = try await old.run("id", "backup", file, "--passphrase-file", secret)
            #expect(made.status == .exited(0), "\(made.errorOutput)")
            #expect(TestFile.permissions(file) == 0o600)
            expectOneSentence(try await old.run("id", "backup", file, "--passphrase-file", secret), 7, file, "already")

            let new = try BlipchatHome("alice")
            let wrong = new.folder.file("wrong")
            try TestFile.write("correct horse batteries\n", to: wrong)
            expectOneSentence(
                try await new.run("id", "restore", file, "--passphrase-file", wrong), 11, "the passphrase is wrong")
            expectOneSentence(try await new.run("id", "restore", file), 2, "--passphrase-file")
            let restored = try await new.run("id", "restore", file, "--passphrase-file", secret)
            #expect(restored.status == .exited(0), "\(restored.errorOutput)")
            #expect(TestFile.permissions(new.path + "/identity.key") == 0o600)
            #expect(try await new.address() == address)

            // A lost one is not replaced without a word where there is a history.
            #expect(try await new.run("contacts", "add", "127.0.0.1:9", "--name", "dee").status == .exited(0))
            let key = TestFile.text(new.path + "/identity.key")
            unlink(new.path + "/identity.key")
            let another = try await new.run("id")
            #expect(another.status == .exited(0) && another.errorOutput.contains("there is a history here, but no key"))
            try TestFile.write(key, to: new.path + "/identity.key")

            // A damaged one is, when that is asked for.
            try TestFile.write("no key", to: new.path + "/identity.key")
            expectOneSentence(
                try await new.run("id", "restore", file, "--passphrase-file", secret), 7, "contains no key")
            let mended = try await new.run("id", "restore", file, "--passphrase-file", secret, "--replace")
            #expect(mended.status == .exited(0) && mended.errorOutput.contains("identity.key.damaged"))
            #expect(TestFile.text(new.path + "/identity.key.damaged") == "no key")
            #expect(try await new.address() == address)

            // Another key is not replaced by the way.
            let other = try BlipchatHome("carol")
            let before = try await other.address()
            expectOneSentence(
                try await other.run("id", "restore", file, "--passphrase-file", secret), 2, "--replace")
            #expect(try await other.address() == before)
            let server = try await Server(other)
            let busy = try await other.run("id", "restore", file, "--passphrase-file", secret, "--replace")
            expectOneSentence(busy, 9, "running")
            try await server.stop()
            let replaced = try await other.run("id", "restore", file, "--passphrase-file", secret, "--replace")
            #expect(replaced.status == .exited(0), "\(replaced.errorOutput)")
            #expect(replaced.errorOutput.contains("identity.key."))
        }

        @Test("the passphrase is asked for twice on a terminal and never shown")
        func prompt() async throws {
            let home = try BlipchatHome("alice")
            _ = try await home.address()
            let file = home.folder.file("key.backup")
            let terminal = try home.terminal("id", "backup", file)
            try await eventually("it asks", state: { terminal.text }) {
                terminal.text.contains("Passphrase for the backup:")
            }
            try terminal.type("correct horse\u{7F}e battery\r")
            try await eventually("it asks", state: { terminal.text }) {
                terminal.text.contains("Repeat the passphrase:")
            }
            try terminal.type("correct horse battery\r")
            #expect(try await terminal.process.waitForExit() == .exited(0))
            #expect(!terminal.text.contains("horse"))
            let secret = home.folder.file("passphrase")
            try TestFile.write("correct horse battery", to: secret)
            let restored = try await home.run("id", "restore", file, "--passphrase-file", secret)
            #expect(restored.status == .exited(0), "\(restored.errorOutput)")
        }

        @Test("the safety number is the same on both sides; comparing it makes a contact verified")
        func verify() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob, "--accept-requests")
            try await alice.add(bob.address(), as: "bob")
            #expect(try await alice.run("send", "bob", "hi").status == .exited(0))
            let number = try await alice.run("contacts", "verify", "bob")
            #expect(number.status == .exited(0), "\(number.errorOutput)")
            let digits = number.lines.prefix(3).joined(separator: " ")
            #expect(digits.filter(\.isNumber).count == 60)
            #expect(number.lines.last == "unverified")
            let seen = try await bob.run("contacts", "verify", "alice", digits)
            #expect(seen.status == .exited(0), "\(seen.errorOutput)")
            #expect(seen.lines.last == "verified")
            let wrong = (digits.first == "0" ? "1" : "0") + digits.dropFirst()
            expectOneSentence(try await alice.run("contacts", "verify", "bob", wrong), 5, "bob", "differ")
            #expect(try await alice.run("contacts", "verify", "bob").lines.last == "unverified")
            expectOneSentence(try await alice.run("contacts", "verify", "bob", "123"), 2, "60 digits")
            try await server.stop()
        }

        @Test("where only verified contacts are written to, send says that it waits for that, and goes out afterwards")
        func requireVerified() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob, "--accept-requests")
            try await alice.add(bob.address(), as: "bob")
            #expect(try await alice.run("send", "bob", "one").status == .exited(0))
            #expect(try await alice.run("config", "set", "security.require_verified", "true").status == .exited(0))
            expectOneSentence(try await alice.run("send", "bob", "two"), 5, "bob", "not verified", "contacts verify")
            #expect(try await alice.run("config", "set", "security.require_verified", "false").status == .exited(0))
            #expect(try await alice.run("send", "bob", "three").status == .exited(0))
            #expect(try await bob.texts("alice") == ["one", "two", "three"])
            try await server.stop()
        }
    }
}
