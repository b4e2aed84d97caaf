// What `make install` and the packages bring: each file is there, says what its readers accept, and goes again.

import ChatHost
import Glibc
import TestSupport
import Testing

@testable import blipchat

@Suite("Packaging") struct PackagingTests {
    /// An installation below a folder, of the programs that were built with the tests.
    private struct Installation {
        let folder: TemporaryDirectory
        let prefix: String

        init(prefix: String) throws {
            folder = try TemporaryDirectory()
            self.prefix = prefix
        }

        var root: String { folder.file("root") }

        func carryOut(_ action: String) async throws -> [String] {
            let program = try #require(BlipchatProgram.path)
            let script = try ChildProcess(
                [
                    TestFile.repository + "/Scripts/install_files.sh", action, "all",
                    String(program.dropLast("/blipchat".count)),
                ],
                environment: [
                    "PATH": "/usr/bin:/bin", "HOME": folder.path, "PREFIX": prefix, "DESTDIR": root, "STRIP": "",
                ],
                folder: folder)
            let status = try await script.waitForExit()
            try #require(status == .exited(0), "\(script.errorOutput)")
            return script.outputLines.map(String.init)
        }

        /// Every file below the folder.
        func files() -> [String] { Self.files(in: root) }

        private static func files(in folder: String) -> [String] {
            TestFile.names(in: folder).flatMap { name in
                let path = "\(folder)/\(name)"
                return TestFile.size(path + "/.") == nil ? [path] : files(in: path)
            }
        }
    }

    @Test(
        "everything on the list is installed, nothing else, and uninstall takes exactly that away",
        arguments: ["/usr", "/opt/blip"])
    func installs(prefix: String) async throws {
        let installation = try Installation(prefix: prefix)
        let list = try await installation.carryOut("list")
        _ = try await installation.carryOut("install")
        #expect(installation.files().sorted() == list.sorted())
        for file in list { #expect(TestFile.size(file) ?? 0 > 0, "\(file) is empty") }
        #expect(TestFile.permissions(installation.root + prefix + "/bin/blipchat") == 0o755)
        for page in ["man1/blipchat.1", "man5/blipchat-config.5", "man7/blipchat-protocol.7", "man1/blipwire.1"] {
            #expect(list.contains("\(installation.root)\(prefix)/share/man/\(page)"))
        }
        let service = try #require(list.first { $0.hasSuffix("/blipchat.service") })
        #expect(TestFile.text(service).contains("\nExecStart=\(prefix)/bin/blipchat serve"))
        let scripts = TestFile.repository + "/Examples/scripts"
        try #require(TestFile.names(in: scripts).contains("echo_bot.py"))
        for script in TestFile.names(in: scripts) {
            let installed = "\(installation.root)\(prefix)/share/doc/blipchat/examples/\(script)"
            #expect(TestFile.read(installed) == TestFile.read("\(scripts)/\(script)"), "\(script)")
            #expect(TestFile.permissions(installed) == 0o755, "\(script)")
        }
        #expect(
            TestFile.read(installation.root + prefix + "/share/blipwire/blip.lua")
                == TestFile.read(TestFile.repository + "/Tools/wireshark/blip.lua"))
        let own = installation.root + prefix + "/share/doc/another"
        try #require(mkdir(own, 0o755) == 0)
        try TestFile.write("of another program", to: own + "/file")
        _ = try await installation.carryOut("uninstall")
        #expect(installation.files() == [own + "/file"])
        for folder in ["doc/blipchat", "doc/blipwire", "blipwire"] {
            #expect(TestFile.size("\(installation.root)\(prefix)/share/\(folder)/.") == nil, "\(folder)")
        }
    }

    private static func isInstalled(_ program: String) -> Bool { access("/usr/bin/" + program, X_OK) == 0 }

    /// What `command` with the installed `file` says; empty and 0 where nothing is wrong.
    private func validate(_ command: [String], _ file: String) async throws {
        let installation = try Installation(prefix: "/usr")
        _ = try await installation.carryOut("install")
        let path = try #require(installation.files().first { $0.hasSuffix("/" + file) })
        let program = try ChildProcess(
            command + [path], environment: ["PATH": "/usr/bin:/bin", "HOME": installation.folder.path],
            folder: installation.folder)
        let status = try await program.waitForExit()
        #expect(status == .exited(0), "\(program.output)\(program.errorOutput)")
    }

    @Test(
        "the desktop entry is valid",
        .enabled(
            if: isInstalled("desktop-file-validate"),
            "desktop-file-validate is not installed (apt install desktop-file-utils)"))
    func desktopEntry() async throws {
        try await validate(["desktop-file-validate"], "org.blipchat.blipchat.desktop")
    }

    @Test(
        "the AppStream data are valid",
        .enabled(if: isInstalled("appstreamcli"), "appstreamcli is not installed (apt install appstream)"))
    func metadata() async throws {
        try await validate(["appstreamcli", "validate", "--no-net"], "org.blipchat.blipchat.metainfo.xml")
        let text = TestFile.text(TestFile.repository + "/Packaging/org.blipchat.blipchat.metainfo.xml.in")
        #expect(text.contains("version=\"@VERSION@\""))
    }
}
