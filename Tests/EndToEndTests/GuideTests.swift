// Docs/guide.md: each of its shell commands is run as it stands there, in its order, by somebody who follows it.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct GuideTests {
        /// The lines of the page that begin with `$`, without that.
        private static let commands = TestFile.text(TestFile.repository + "/Docs/guide.md")
            .split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }

        /// What belongs to the system, and would change this one.
        private static let foreign: Set<Substring> = ["sudo", "man", "systemctl", "loginctl"]

        @Test(
            "each command of the guide does what it says, for somebody who follows the guide from its beginning to its end"
        )
        func commands() async throws {
            #expect(Self.commands.count > 15)
            let bob = try BlipchatHome("bob")
            let bobsServe = try await Server(bob, port: 0, "--accept-requests", "--accept-files", "10M")
            let bobsAddress = try #require(try await bob.run("id").lines.first)
            var jo = try BlipchatHome("jo")
            let folder = jo.folder.path
            #expect(mkdir(folder + "/photos", 0o700) == 0 && mkdir(jo.path, 0o700) == 0)
            // Where nobody else listens, and nobody from outside can call.
            try TestFile.write("listen = \"127.0.0.1:0\"\n", to: jo.path + "/config.toml")
            try TestFile.write("a report", to: folder + "/report.pdf")
            try TestFile.write("a photo", to: folder + "/photos/one.jpg")
            try TestFile.write("correct horse battery\n", to: folder + "/passphrase")
            var service: Server?
            for command in Self.commands {
                if Self.foreign.contains(command.prefix { $0 != " " }) {
                    // The service that it enables, as systemd would start it.
                    if command.contains("enable --now blipchat") { service = try await Server(jo) }
                    continue
                }
                var line = command.replacing("blip://203.0.113.7:4985/PEER-ID#bob", with: bobsAddress + "#bob")
                line = line.replacing("#bob#bob", with: "#bob")
                if line.contains("blipchat receive") {
                    let gift = jo.folder.file("gift.txt")
                    try TestFile.write("for jo", to: gift)
                    #expect(try await bob.run("send-file", "jo", gift, "--queue").status == .exited(0))
                }
                if line.contains(" id restore ") {
                    // On the new machine.
                    try await service?.stop()
                    jo = try BlipchatHome("jo")
                }
                // They ask on the terminal, which nobody has here.
                if line.contains(" id backup ") || line.contains(" id restore ") {
                    line += " --passphrase-file passphrase"
                }
                let process = try ChildProcess(
                    ["/bin/sh", "-c", "cd '\(folder)' && PATH=\"$(dirname '\(jo.command)'):$PATH\" && \(line)"],
                    environment: jo.environment, folder: jo.folder)
                let status = try await process.waitForExit()
                #expect(status == .exited(0), "\(command): \(process.output)\(process.errorOutput)")
            }
            #expect(TestFile.text(folder + "/gift.txt") == "for jo")
            #expect(try await bob.run("history", "jo").output.contains("on my way"))
            #expect(TestFile.text(folder + "/bob.html").contains("on my way"))
            try await bobsServe.stop()
        }
    }
}
