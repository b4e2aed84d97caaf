// config.toml and the folders: what is understood, and how a slip is found.

import BLIPNet
import ChatCore
import ChatTUI
import ChatWords
import Glibc
import TestSupport
import Testing

@testable import ChatSettings

@Suite struct ConfigurationTests {
    private func error(_ text: String) -> ConfigurationError? {
        do {
            _ = try Configuration(text: text, home: "/home/jo")
            return nil
        } catch {
            return error
        }
    }

    @Test("reads every key, with comments, blanks and both kinds of strings")
    func reading() throws {
        let configuration = try Configuration(
            text: """
                # mine
                name = "Jo \\"J\\" \\u00e9"   # a name
                listen='[::]:4985'\r

                [files]
                dir = "~/in"
                [ ui ]
                glyphs = "ascii"
                """, home: "/home/jo")
        #expect(configuration.name == "Jo \"J\" é")
        #expect(configuration.listen == .host("::", port: 4985))
        #expect(configuration.downloads == "/home/jo/in")
        #expect(configuration.screen.glyphs == .ascii)
    }

    @Test("reads how long messages are kept, for all and for single contacts")
    func keeping() throws {
        let configuration = try Configuration(
            text: """
                [history]
                keep = 90
                [contact."Ann \\"A\\" Lee"]
                keep = "forever"
                [contact."bob"]
                keep = "7"
                """, home: nil)
        #expect(configuration.keep == .days(90))
        #expect(configuration.contacts.mapValues(\.keep) == ["Ann \"A\" Lee": .forever, "bob": .days(7)])
        #expect(error("[history]\nkeep = 0")?.position == TextPosition(line: 2, column: 1))
        #expect(error("[history]\nkeep = \"soon\"")?.reason == "history.keep cannot be \"soon\"")
        #expect(error("[contact]\nkeep = 7")?.reason == "whose?")
        #expect(error("[contact.bob]\nkeep = 7")?.advice == "write [contact.\"NAME\"]")
        #expect(error("[contact.\"bob\"]\nname = \"x\"")?.reason == "unknown key contact.name")
        #expect(error("[contact.\"a\"]\nkeep = 1\nkeep = 2")?.reason == "contact.keep appears twice")
    }

    @Test("reads sizes as numbers and with units, and the days that unfinished files are kept")
    func files() throws {
        let configuration = try Configuration(
            text: """
                [net]
                limit_up = 1000
                limit_down = "500k"
                [files]
                auto_accept_max = "20M"
                partial_keep_days = 3
                """, home: nil)
        #expect(configuration.uploadLimit == 1000)
        #expect(configuration.downloadLimit == 500_000)
        #expect(configuration.acceptsFilesUpTo == 20_000_000)
        #expect(configuration.partialKeepDays == 3)
        for line in ["limit_up = -1", "limit_up = \"fast\"", "limit_up = true", "limit_up = \"99999999999999999T\""] {
            #expect(error("[net]\n\(line)")?.position == TextPosition(line: 2, column: 1), "\(line)")
        }
        for line in ["partial_keep_days = -1", "partial_keep_days = 36501", "partial_keep_days = \"3\""] {
            #expect(error("[files]\n\(line)")?.position == TextPosition(line: 2, column: 1), "\(line)")
        }
    }

    @Test("says where an unknown key stands, and which is meant")
    func unknownKey() {
        #expect(
            error("name = \"x\"\n  lisetn = \"h:1\"")
                == ConfigurationError(
                    position: TextPosition(line: 2, column: 3), reason: "unknown key lisetn",
                    advice: "did you mean listen?"))
    }

    @Test(
        "refuses what it does not understand, at the place",
        arguments: [
            ("name", 1, 5), ("name = ", 1, 8), ("name = \"x", 1, 10), ("name = 5", 1, 1), ("name = x", 1, 8),
            ("name = \"x\" y", 1, 12), ("[files\n", 1, 7), ("[[files]]", 1, 2), ("name = [1]", 1, 8),
            ("name = \"a\"\nname = \"b\"", 2, 1), ("name = \"\\q\"", 1, 11), ("name = \"\\uD800\"", 1, 11),
            ("é = 1", 1, 1), ("[files]\ndir = \"relative\"", 2, 1), ("listen = \"a b\"", 1, 1), ("name = \"\"", 1, 1),
            ("name = \"\\u12", 1, 11), ("ui.theme = \"dark\"", 1, 3), ("name = \"\"\"a\"\"\"", 1, 8),
            ("\n [foo]", 2, 2), ("[ui]]", 1, 5), ("[ui]\ntime = \"lunch\"", 2, 1),
        ])
    func refusals(text: String, line: Int, column: Int) {
        #expect(error(text)?.position == TextPosition(line: line, column: column), "\(text)")
    }

    @Test(
        "says what is meant instead",
        arguments: [
            ("ui.theme = \"dark\"", "write [ui] on a line of its own, and theme below it"),
            ("[ui]\nunicode.emoji = \"name\"", "write [unicode] on a line of its own, and emoji below it"),
            ("[notfy]", "did you mean [notify]?"), ("name = \"\"\"a", "write it on one line, with \\n between"),
        ])
    func advice(text: String, advice: String) {
        #expect(error(text)?.advice == advice, "\(text)")
    }

    @Test("refuses a section that stands there twice, and names the first one")
    func sections() {
        let twice = error("[ui]\nhints = true\n[ui.unicode]\n[ui]\nmouse = true")
        #expect(
            twice
                == ConfigurationError(
                    position: TextPosition(line: 4, column: 1), reason: "[ui] appears twice",
                    advice: "put its keys below line 1"))
        #expect(
            error("[contact.\"a\"]\n[contact.\"b\"]\n[contact.\"a\"]")?.reason == "[contact.\"a\"] appears twice")
        #expect(error("[contact.\"a\"]\nkeep = 1\n[contact.\"b\"]\nkeep = 1") == nil)
    }

    @Test("refuses what stands there twice in other spellings that mean the same")
    func spellings() {
        #expect(
            error("[keys]\n\"alt-g\" = \"help\"\n  \"Alt-g\" = \"transfers\"")
                == ConfigurationError(
                    position: TextPosition(line: 3, column: 3),
                    reason: "keys.Alt-g is the same as keys.alt-g in line 2", advice: "remove one"))
        #expect(
            error("[keys]\n\"F9\" = \"help\"\n\"Ctrl-a b\" = \"quit\"")
                == ConfigurationError(
                    position: TextPosition(line: 3, column: 1),
                    reason: "keys.\"Ctrl-a b\": Ctrl-a b would never work: Ctrl-a alone is line-start "
                        + "(unbind Ctrl-a first)"))
        #expect(error("[keys]\n\"Ctrl-a\" = \"\"\n\"Ctrl-a b\" = \"quit\"") == nil)
        #expect(error("[keys]\n\"Enter\" = \"\"")?.reason.contains("only key that sends") == true)
        #expect(error("[keys]\n\"Enter\" = \"\"\n\"F9\" = \"send\"") == nil)
        #expect(error("[keys]\n\"Esc\" = \"quit\"")?.reason.contains("goes back") == true)
        #expect(error("[ui]\nhints = False")?.advice == "write true or false")
        #expect(error("[keys]\n\"M-g\" = \"help\"\n\"Alt-g\" = \"help\"")?.position.line == 3)
        #expect(error("[keys]\n\"Alt-G\" = \"help\"\n\"Alt-g\" = \"help\"") == nil, "with Shift it is another key")
        let twice = error("[contact.\"Ann\"]\nkeep = 1\n[contact.\"aNN\"]\nnotify = \"off\"")
        #expect(twice?.position == TextPosition(line: 3, column: 1))
        #expect(twice?.reason == "[contact.\"aNN\"] appears twice")
    }

    @Test("what is set goes where it stands already, however that is spelled")
    func editsSpellings() {
        var editor = ConfigurationEditor("[keys]\n\"alt-g\" = \"help\"\n[contact.\"Ann\"]\nkeep = 1\n")
        editor.set(SettingPath(section: "keys", contact: nil, name: "Alt-g"), to: .string("transfers"))
        editor.set(SettingPath(section: "contact", contact: "ann", name: "typing_send"), to: .bool(true))
        #expect(
            editor.text
                == "[keys]\n\"alt-g\" = \"transfers\"\n[contact.\"Ann\"]\nkeep = 1\ntyping_send = true\n")
    }

    @Test("says what a number can be", arguments: ["99999999999999999999999", "1.5", "+5", "1e3"])
    func numbers(text: String) {
        let problem = error("[net]\nconnect_timeout = \(text)")
        #expect(problem?.reason == "\(text) is not a whole number, or is too large")
        #expect(problem?.advice?.hasPrefix("write a number from 1 to ") == true, "\(String(describing: problem))")
        #expect(problem?.position == TextPosition(line: 2, column: 19))
    }

    @Test("says where a file stops being UTF-8")
    func bytes() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("config.toml")
        try TestFile.write(Array("name = \"x\"\n# \u{E9}".utf8) + [0xE9, 0x0A], to: path)
        do throws(CommandError) {
            _ = try Configuration.load(from: path, home: nil)
            Issue.record("read")
        } catch {
            #expect(error.subject == path + ":2:4")
        }
    }

    @Test("a byte order mark at the beginning, and a link in the place of the file, are no obstacle")
    func markAndLink() throws {
        let directory = try TemporaryDirectory()
        let paths = HomePaths(home: directory.path)
        let real = directory.file("dotfile.toml")
        try TestFile.write(Array("\u{FEFF}name = \"x\"\n".utf8), to: real)
        symlink(real, paths.configuration)
        let file = ConfigurationFile(paths: paths, home: nil)
        _ = try file.set(typed: "name", to: "y")
        #expect(TestFile.text(real) == "\u{FEFF}name = \"y\"\n")
        var status = stat()
        #expect(lstat(paths.configuration, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test("a key that is not known can be taken out")
    func unset() throws {
        let directory = try TemporaryDirectory()
        let paths = HomePaths(home: directory.path)
        try TestFile.write("naem = \"x\"\nname = \"y\"\n", to: paths.configuration)
        let file = ConfigurationFile(paths: paths, home: nil)
        #expect(try file.unset(typed: "naem"))
        #expect(TestFile.text(paths.configuration) == "name = \"y\"\n")
        #expect(throws: CommandError.self) { try file.unset(typed: "naem") }
    }

    @Test("survives any text", arguments: 0..<300)
    func anyText(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let pieces = [
            "[", "]", "=", "\"", "'", "\\", "u", "name", "files", "\n", "\r\n", "#", " ", "\u{0}", "é", "12", ".",
        ]
        let text = (0..<30).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        _ = try? Configuration(text: text, home: nil)
    }

    @Test("keeps everything under BLIPCHAT_HOME, and --data-dir before it")
    func home() throws {
        let paths = try HomePaths(environment: ["BLIPCHAT_HOME": "/a/"], dataFolder: nil, profile: nil)
        #expect(paths == HomePaths(home: "/a"))
        #expect(paths.history == "/a/history.sqlite")
        #expect(paths.identity == "/a/identity.key")
        #expect(paths.downloads == "/a/downloads")
        #expect(paths.socket == "/a/blipchat.sock")
        let other = try HomePaths(environment: ["BLIPCHAT_HOME": "/a"], dataFolder: "/b", profile: "work")
        let own = HomePaths(home: "/b/profiles/work")
        let files: [KeyPath<HomePaths, String>] = [
            \.configuration, \.data, \.downloads, \.socket, \.lock, \.log, \.inputHistory,
        ]
        for file in files { #expect(other[keyPath: file] == own[keyPath: file]) }
        #expect(other.sharedProfile == nil)
        // Also the default profile's key and history, and those of the other profiles, are not to be sent.
        #expect(other.privateFiles.folders == ["/b/profiles/work", "/b"])
        #expect(other.privateFiles.profiles == ["/b/profiles"])
    }

    @Test("uses the XDG folders otherwise")
    func xdg() throws {
        let paths = try HomePaths(
            environment: ["HOME": "/h", "XDG_RUNTIME_DIR": "/run/u", "XDG_DATA_HOME": "relative"], dataFolder: nil,
            profile: "work")
        #expect(paths.data == "/h/.local/share/blipchat/work")
        #expect(paths.configuration == "/h/.config/blipchat/config.toml")
        #expect(paths.socket == "/run/u/blipchat/work.sock")
        #expect(paths.downloads == "/h/Downloads")
    }

    @Test("refuses a profile that would leave the folder", arguments: ["", "..", "a/b", "a\u{0}", "é", "a b"])
    func badProfile(name: String) {
        #expect(throws: CommandError.self) {
            try HomePaths(environment: ["HOME": "/h"], dataFolder: nil, profile: name)
        }
    }

    @Test("finds the desktop's downloads folder")
    func userDirs() {
        let text = "# x\nXDG_DESKTOP_DIR=\"$HOME/D\"\nXDG_DOWNLOAD_DIR=\"$HOME/Empfangen\"\n"
        #expect(XDGUserFolders.downloads(inUserDirs: text, home: "/h") == "/h/Empfangen")
        #expect(XDGUserFolders.downloads(inUserDirs: "XDG_DOWNLOAD_DIR=\"/srv\"", home: "/h") == "/srv")
        #expect(XDGUserFolders.downloads(inUserDirs: "XDG_DOWNLOAD_DIR=\"$(x)\"", home: "/h") == nil)
    }

    @Test("makes its folders for their owner only")
    func permissions() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: CommandError.self) { try HomePaths.absolute("") }
        let paths = HomePaths(home: directory.file("a/b"))
        try paths.createFolders()
        for folder in ["a", "a/b", "a/b/log"] { #expect(TestFile.permissions(directory.file(folder)) == 0o700) }
        try ConfigurationFile(paths: paths, home: nil).set(SettingPath(section: "", name: "name"), to: .string("x"))
        #expect(TestFile.permissions(paths.configuration) == 0o600)
        try TestFile.write("x", to: directory.file("file"))
        #expect(throws: CommandError.self) { try HomePaths.createFolder(directory.file("file")) }
        #expect(throws: CommandError.self) { try HomePaths.createFolder(directory.file("file/below")) }
    }
}
