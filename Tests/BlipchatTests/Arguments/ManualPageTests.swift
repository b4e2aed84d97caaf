// The manual pages: complete, and source that troff reads as it is meant.

import Arguments
import ChatCore
import ChatSettings
import ChatTUI
import Glibc
import TestSupport
import Testing

@testable import blipchat

@Suite struct ManualPageTests {
    private func escaped(_ text: String) -> String { ManualSource.escaped(text).replacing("\"", with: "\\(dq") }

    @Test("every command with its options is in blipchat(1)", arguments: CommandSpecification.table.map(\.name))
    func commands(name: CommandName) throws {
        let command = CommandSpecification.of(name)
        let page = try ManualPage.program.source()
        if name != .screen { #expect(page.contains(escaped(HelpText.usage(command)))) }
        for option in command.options { #expect(page.contains(escaped(option.usage))) }
    }

    @Test("every key and every command of the screen is in blipchat(1)")
    func screen() throws {
        let page = try ManualPage.program.source()
        let entries = (ScreenManual.keys + ScreenManual.commands).flatMap(\.entries)
        #expect(entries.count > 100)
        for entry in entries { #expect(page.contains(".B \"\(escaped(entry.label))\"\n"), "\(entry.label)") }
    }

    private static func sources(below folder: String) -> [String] {
        TestFile.names(in: folder).flatMap { name in
            name.hasSuffix(".swift") ? ["\(folder)/\(name)"] : sources(below: "\(folder)/\(name)")
        }
    }

    @Test("every variable that the sources read is in blipchat(1), and no other")
    func environment() throws {
        let reading = try Regex(
            #"(?:environment\[|environment\(|getenv\(|variable\(|value\(|folder\(|isMeant\(|in \[)"([A-Z_]{2,}|[a-z]+_proxy)"(?:, "([A-Z_]{2,})"\])?"#
        )
        var read: Set<Substring> = []
        for file in Self.sources(below: TestFile.repository + "/Sources") {
            for match in TestFile.text(file).matches(of: reading) {
                read.formUnion((1...2).compactMap { match.output[$0].substring })
            }
        }
        let named = Set(EnvironmentVariable.all.flatMap { $0.name.split(separator: ", ") })
        #expect(named.symmetricDifference(read).sorted() == [])
    }

    @Test("every setting is in blipchat-config(5) and in the document", arguments: Setting.all.map(\.key))
    func settings(key: String) throws {
        #expect(try ManualPage.configuration.source().contains(".B \"\(escaped(key))\""))
        let document = TestFile.text(TestFile.repository + "/Docs/settings.md")
        #expect(key.hasPrefix("limits.") || document.contains("`\(key)`"), "\(key) is not in Docs/settings.md")
    }

    @Test("every request is in blipchat-protocol(7)", arguments: ChatProfile.allCases)
    func requests(request: ChatProfile) throws {
        let page = try ManualPage.protocol.source()
        #expect(page.contains(".B \"\(escaped(request.rawValue))\"\n\(escaped(request.manualWords))".prefix(70)))
    }

    @Test("every example is a command line that is understood")
    func examples() async throws {
        for example in ManualExample.all {
            let folder = try TemporaryDirectory()
            // As a shell reads it.
            let shell = try ChildProcess(
                ["/bin/sh", "-c", "printf '%s\\0' \(example.line)"], environment: ["PATH": "/usr/bin:/bin"],
                folder: folder)
            #expect(try await shell.waitForExit() == .exited(0))
            let words = shell.output.split(separator: "\0").map(String.init)
            #expect(words.first == "blipchat")
            #expect(throws: Never.self) { try ArgumentParser.blipchat.parse(Array(words.dropFirst())) }
        }
        let home = try BlipchatHome("jo")
        try #require(mkdir(home.path, 0o700) == 0)
        try TestFile.write(ManualExample.configuration, to: home.path + "/config.toml")
        let check = try await home.run("config", "check")
        #expect(check.status == .exited(0), "\(check.output)\(check.errorOutput)")
    }

    @Test("no line begins with what troff would take for a request", arguments: ManualPage.allCases)
    func troff(page: ManualPage) throws {
        let macros: Set<Substring> = [
            ".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".BR", ".RS", ".RE", ".nf", ".fi",
        ]
        for line in try page.source().split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(macros.contains(line.prefix { $0 != " " }), "\(line)")
        }
    }

    @Test(
        "mandoc finds nothing to complain about",
        .enabled(if: access("/usr/bin/mandoc", X_OK) == 0, "mandoc is not installed (apt install mandoc)"),
        arguments: ManualPage.allCases)
    func lint(page: ManualPage) async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("page.\(page.section)")
        try TestFile.write(try page.source(), to: file)
        let mandoc = try ChildProcess(
            ["mandoc", "-Tlint", "-Wall", file], environment: ["PATH": "/usr/bin:/bin"], folder: folder)
        let status = try await mandoc.waitForExit()
        #expect(status == .exited(0) && mandoc.output.isEmpty, "\(mandoc.output)\(mandoc.errorOutput)")
    }

    @Test("an unknown page is refused with the names of those that are there")
    func unknown() async throws {
        let home = try BlipchatHome("alice")
        let outcome = try await home.run("manual", "confg")
        #expect(outcome.status == .exited(2))
        #expect(outcome.errorOutput.contains("confg: there is no such page (did you mean config?)"))
    }
}
