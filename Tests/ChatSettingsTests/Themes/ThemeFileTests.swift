// Themes as files: what is read, and how a slip is found.

import ChatTUI
import ChatWords
import TestSupport
import Testing

@testable import ChatSettings

@Suite struct ThemeFileTests {
    private func problem(_ text: String) -> ConfigurationError? {
        do {
            _ = try ThemeFile.read(text, name: "mine")
            return nil
        } catch {
            return error
        }
    }

    @Test("every built-in theme is read back from its file", arguments: Theme.builtIn.map(\.name))
    func roundTrip(name: String) throws {
        let theme = try #require(Theme.builtIn.first { $0.name == name })
        #expect(try ThemeFile.read(ThemeFile.text(of: theme), name: name) == theme)
    }

    @Test("a look whose letters and ground are alike is refused")
    func unreadable() {
        let error = problem("error = \"bold red on red\"\n")
        #expect(error?.reason.contains("is unreadable") == true)
        #expect(problem("error = \"bold red on 52\"\nquiet = \"dim\"\n") == nil)
    }

    @Test("a file says only what is different from its base")
    func base() throws {
        let theme = try ThemeFile.read(
            "base = \"dark\"\nerror = \"bold bright-red on 52\" # loud\nnicks = \"green 111\"\n", name: "mine")
        #expect(theme.name == "mine")
        #expect(theme[.error] == Style(.ansi(9), on: .palette(52), .bold))
        #expect(theme.nicks == [.green, .palette(111)])
        #expect(theme[.good] == Theme.dark[.good])
    }

    @Test(
        "a slip is found where it was made",
        arguments: [
            ("eror = \"red\"", 1, "did you mean error?"), ("base = \"drak\"", 1, "did you mean \"dark\"?"),
            ("base = \"mine\"", 1, "write \"terminal\""),
            ("\nerror = \"redd\"", 2, "write it like"), ("error = 3", 1, "put it in quotation marks"),
            ("nicks = \"\"", 1, "write 1 to 16"), ("error = \"red on\"", 1, "write it like"),
            ("error = \"red bold\"", 1, "write it like"), ("error = \"256\"", 1, "write it like"),
        ])
    func slips(text: String, line: Int, advice: String) throws {
        let found = try #require(problem(text))
        #expect(found.position == TextPosition(line: line, column: 1))
        #expect(found.advice?.contains(advice) == true, "\(found)")
    }

    @Test("a theme of the folder goes before a built-in one of its name, and both are offered")
    func folder() throws {
        let directory = try TemporaryDirectory()
        let folder = ThemeFolder(path: directory.path)
        try TestFile.write("error = \"blue\"", to: directory.file("dark.toml"))
        try TestFile.write("x", to: directory.file("mine.toml"))
        #expect(folder.names == ["terminal", "dark", "light", "high-contrast", "mine"])
        #expect(try folder.theme(named: "dark")[.error] == Style(.blue))
        #expect(try folder.theme(named: "light") == .light)
        #expect(throws: CommandError.self) { try folder.theme(named: "mine") }
        #expect(throws: CommandError(.usage, "theme lihgt", "there is no such theme", advice: "did you mean light?")) {
            try folder.theme(named: "lihgt")
        }
        #expect(throws: CommandError.self) { try folder.theme(named: "../x") }
    }
}
