// What belongs to a name, several things at once, and the time zone: as people and scripts do it.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct NamesTests {
        @Test("what is set for a contact is theirs under a new name, whichever way the name comes, served or not")
        func renamed() async throws {
            let bob = try BlipchatHome("bob")
            let alice = try BlipchatHome("alice")
            let address = try await bob.address()
            try await alice.add(address, as: "bob")
            for (key, value) in [
                ("history.keep", "30"), ("contact.bob.keep", "forever"), ("contact.bob.notify", "off"),
            ] {
                #expect(try await alice.run("config", "set", key, value).status == .exited(0))
            }
            func expectSettings(of name: String) async throws {
                let lines = try await alice.run("config", "list", "--set").output
                #expect(
                    lines.contains("contact.\"\(name)\".keep = \"forever\"")
                        && lines.contains("contact.\"\(name)\".notify = \"off\""),
                    "\(lines)")
                #expect(lines.split(separator: "\n").count { $0.hasPrefix("contact.") } == 2, "\(lines)")
                #expect(try await alice.run("keep", name).output == "forever, as config.toml says\n")
            }
            try await alice.add(address, as: "rob")
            try await expectSettings(of: "rob")
            #expect(try await alice.run("contacts", "rename", "rob", "Rob B.").status == .exited(0))
            try await expectSettings(of: "Rob B.")
            let server = try await Server(alice)
            try await alice.add(address, as: "robby")
            try await expectSettings(of: "robby")
            #expect(try await alice.run("contacts", "rename", "robby", "bob").status == .exited(0))
            try await expectSettings(of: "bob")
            // A name that is somebody else's takes nothing from them.
            try await alice.add("blip://127.0.0.1:9", as: "carol")
            #expect(try await alice.run("contacts", "rename", "carol", "bob").status == .exited(2))
            try await expectSettings(of: "bob")
            try await server.stop()
            #expect(try await alice.run("contacts", "remove", "bob").status == .exited(0))
            #expect(try await alice.run("config", "list", "--set").output == "history.keep = 30\n")
        }

        @Test("a history that is restored under older names has what was set for its contacts")
        func restored() async throws {
            let bob = try BlipchatHome("bob")
            let alice = try BlipchatHome("alice")
            try await alice.add(bob.address(), as: "bob")
            let copy = alice.folder.file("copy")
            #expect(try await alice.run("backup", copy).status == .exited(0))
            #expect(try await alice.run("contacts", "rename", "bob", "rob").status == .exited(0))
            #expect(try await alice.run("config", "set", "contact.rob.keep", "forever").status == .exited(0))
            #expect(try await alice.run("restore", copy).status == .exited(0))
            #expect(try await alice.run("config", "list", "--set").output == "contact.\"bob\".keep = \"forever\"\n")
        }

        @Test("a profile has a name of its own in the file that all profiles share, and moves no other's settings")
        func profiles() async throws {
            let home = try BlipchatHome("jo")
            func run(_ line: String) async throws -> String {
                let outcome = try await home.shell("unset BLIPCHAT_HOME; " + line)
                #expect(outcome.status == .exited(0), "\(line): \(outcome.errorOutput)")
                return outcome.output
            }
            _ = try await run("$0 config set name Jo; $0 --profile work config set name Smith")
            #expect(try await run("$0 id").contains("#Jo\n"))
            #expect(try await run("$0 --profile work id").contains("#Smith\n"))
            #expect(try await run("$0 --profile play id").contains("#Jo\n"))
            #expect(try await run("$0 config list --set") == "name = \"Jo\"\nnames.work = \"Smith\"\n")
            let address = "blip://127.0.0.1:9"
            _ = try await run(
                "$0 contacts add \(address) --name bob; $0 --profile work contacts add \(address) --name bob")
            _ = try await run("$0 config set contact.bob.keep forever; $0 --profile work contacts rename bob rob")
            let settings = try await run("$0 config list --set")
            #expect(settings.contains("contact.\"bob\".keep") && settings.contains("contact.\"rob\".keep"))
        }

        @Test("several offers are answered at once, and who follows the transfers sees what is there already")
        func several() async throws {
            let bob = try await Server(BlipchatHome("bob"), "--accept-requests")
            let alice = try await Server(BlipchatHome("alice"))
            try await alice.home.add(bob.home.address(), as: "bob")
            let files = (1...4).map { alice.home.folder.file("f\($0)") }
            for file in files { try TestFile.write(file, to: file) }
            // A file that is taken without a question says how it ended, or nothing.
            let quiet = try await Server(BlipchatHome("carol"), "--accept-requests", "--accept-files", "1M")
            try await alice.home.add(quiet.home.address(), as: "carol")
            let told = try await alice.home.run("send-file", "carol", files[0])
            #expect(told.status == .exited(0) && told.errorOutput.contains("f1: complete"), "\(told)")
            let silent = try await alice.home.run("send-file", "--progress", "none", "carol", files[0])
            #expect(silent.status == .exited(0) && silent.errorOutput.isEmpty, "\(silent)")
            try await quiet.stop()
            let process = try alice.home.start(["send-file", "bob"] + files)
            try await eventually("bob has the offers") {
                try await bob.home.transfers().count { $0.state == "offered" } == 4
            }
            let watch = try bob.home.start("transfers", "watch")
            try await eventually("what waits is shown") { watch.outputLines.count { $0.contains("offered") } == 4 }
            let numbers = try await bob.home.transfers().compactMap(\.number).sorted()
            let some = try await bob.home.run("transfers", "accept", "\(numbers[0])-\(numbers[1])")
            #expect(some.status == .exited(0) && some.lines.count == 2, "\(some)")
            #expect(try await bob.home.run("transfers", "decline", "\(numbers[2]),\(numbers[2])").status == .exited(0))
            #expect(try await bob.home.run("transfers", "accept", "all").status == .exited(0))
            try await eventually("three are there") {
                try await bob.home.transfers().count { $0.state == "complete" } == 3
            }
            expectOneSentence(try await bob.home.run("transfers", "accept", "all"), 10, "all", "no matching transfer")
            watch.signal(SIGTERM)
            _ = try await watch.waitForExit()
            _ = try await process.waitForExit()
            try await alice.stop()
            try await bob.stop()
        }

        /// `unshare` gives the process files of its own, where the system lets it.
        private static let hasNamespaces: Bool = {
            guard let folder = try? TemporaryDirectory(),
                let outcome = try? ChildProcess(
                    ["unshare", "-rm", "true"], environment: ["PATH": "/usr/bin:/bin"], folder: folder)
            else { return false }
            while outcome.poll() == nil { usleep(1000) }
            return outcome.poll() == .exited(0) && TestFile.size("/etc/localtime") != nil
        }()

        @Test(
            "times are shown in the zone that the system has now, also when it changes",
            .enabled(if: hasNamespaces, "needs unshare(1) with mount namespaces, and /etc/localtime"))
        func zoneChanges() async throws {
            let home = try BlipchatHome("alice")
            try await home.add("blip://127.0.0.1:9/\(String(repeating: "a", count: 52))", as: "al")
            let zone = home.folder.file("localtime")
            try TestFile.write(Self.zoneFile(hours: 0), to: zone)
            let input = try Fifo(in: home.folder)
            let script = "mount --bind \(zone) /etc/localtime && unset TZ && exec \(home.command) --plain al"
            let process = try ChildProcess(
                ["unshare", "-rm", "sh", "-c", script], environment: home.environment, folder: home.folder,
                input: input.path)
            input.write("first\n")
            try await eventually("the first line") { process.output.contains("waiting: first") }
            try TestFile.write(Self.zoneFile(hours: 5), to: zone)
            // What tells a change is the second of the last one.
            var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
            #expect(utimensat(AT_FDCWD, zone, &times, 0) == 0)
            try await Task.sleep(for: .seconds(1))
            input.write("second\n")
            try await eventually("the second line") { process.output.contains("waiting: second") }
            func hour(_ text: String) -> Int? {
                process.outputLines.first { $0.contains("waiting: \(text)") }.flatMap { Int($0.prefix(2)) }
            }
            let (before, after) = (try #require(hour("first")), try #require(hour("second")))
            #expect([5, 6].contains((after - before + 24) % 24), "\(process.output)")
            input.write("/quit\n")
            _ = try await process.waitForExit()
        }

        /// A zone of RFC 8536 without changes: version 1, one type.
        private static func zoneFile(hours: UInt8) -> String {
            let seconds = UInt32(hours) * 3600
            var bytes: [UInt8] = Array("TZif".utf8) + Array(repeating: 0, count: 16)
            // isutcnt, isstdcnt, leapcnt, timecnt, typecnt, charcnt
            for count in [0, 0, 0, 0, 1, 4] as [UInt8] { bytes += [0, 0, 0, count] }
            bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: seconds >> UInt32($0)) } + [0, 0]
            bytes += Array("XYZ\0".utf8)
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
