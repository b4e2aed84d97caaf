// The settings of the running program: changed by /set, read again by /reload, and what takes effect when.

import ChatCore
import ChatTUI
import ChatWords
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ChatSettings

@Suite struct SettingsKeeperTests {
    private final class Applied: Sendable {
        private let configurations = Mutex<[Configuration]>([])

        func append(_ configuration: Configuration) { configurations.withLock { $0.append(configuration) } }

        var all: [Configuration] { configurations.withLock { $0 } }
    }

    private let directory: TemporaryDirectory
    private let file: ConfigurationFile
    private let applied = Applied()

    init() throws {
        directory = try TemporaryDirectory()
        file = ConfigurationFile(paths: HomePaths(home: directory.path), home: "/home/jo")
    }

    private func keeper() throws -> SettingsKeeper {
        SettingsKeeper(file: file, atStart: try file.read()) { [applied] configuration in
            applied.append(configuration)
        }
    }

    @Test("/set writes the file, keeps its comments, and gives the screen and the chat what is new")
    func set() async throws {
        try TestFile.write("# mine\n[ui]\ntheme = \"light\" # by day\n", to: file.path)
        let keeper = try keeper()
        let reply = await keeper.carryOut(.set(key: "ui.theme", words: "dark"))
        #expect(reply.lines == ["ui.theme = \"dark\""])
        #expect(reply.settings?.theme == "dark")
        #expect(reply.theme == .dark)
        #expect(TestFile.text(file.path) == "# mine\n[ui]\ntheme = \"dark\" # by day\n")
        #expect(TestFile.permissions(file.path) == 0o600)
        let limit = await keeper.carryOut(.set(key: "net.limit_up", words: "500k"))
        #expect(!limit.isError)
        #expect(applied.all.last?.uploadLimit == 500_000)
    }

    @Test("the values that a setting can have are known for completion, and the themes that there are")
    func choices() throws {
        try TestFile.write("text = \"default\"\n", to: try directory.makeFolder("themes") + "/mine.toml")
        let choices = try keeper().choices
        #expect(choices["ui.edit_mode"] == ["emacs", "vi"])
        #expect(choices["ui.hints"] == ["true", "false"])
        #expect(choices["ui.list_width"] == ["auto"])
        #expect(choices["ui.time"] == [] && choices["notify.command"] == [])
        #expect(choices["ui.theme"]?.contains("mine") == true && choices["ui.theme"]?.contains("dark") == true)
    }

    @Test("a theme that cannot be read any more leaves the colours, and keeps nothing else from taking effect")
    func brokenTheme() async throws {
        let theme = try directory.makeFolder("themes") + "/mine.toml"
        try TestFile.write("text = \"default\"\n", to: theme)
        try TestFile.write("[ui]\ntheme = \"mine\"\n", to: file.path)
        let keeper = try keeper()
        try TestFile.write("text = \"bold crimson\"\n", to: theme)
        let reply = await keeper.carryOut(.set(key: "net.limit_up", words: "500k"))
        #expect(reply.isError && reply.lines.first == "net.limit_up = \"500k\"")
        #expect(reply.lines.contains { $0.contains("mine.toml:1") })
        #expect(reply.theme == nil && reply.settings != nil)
        #expect(applied.all.last?.uploadLimit == 500_000)
    }

    @Test("a new name is taken over at once")
    func name() async throws {
        let keeper = try keeper()
        #expect(await keeper.carryOut(.set(key: "name", words: "Jo")).lines == ["name = \"Jo\""])
        #expect(applied.all.last?.name == "Jo")
    }

    @Test("what is only read at the start says so")
    func nextStart() async throws {
        let keeper = try keeper()
        #expect(
            await keeper.carryOut(.set(key: "listen", words: "127.0.0.1:0")).lines
                == ["listen = \"127.0.0.1:0\" (at the next start)"])
        #expect(
            await keeper.carryOut(.reload).lines == ["The settings have been reloaded; at the next start: listen"])
        #expect(await keeper.carryOut(.unset(key: "listen")).isError == false)
        #expect(await keeper.carryOut(.reload).lines == ["The settings have been reloaded"])
        #expect(await keeper.carryOut(.unset(key: "listen")).lines == ["listen was not set"])
    }

    @Test("a file that is gone is said, and nothing is set beside what it held before that is known")
    func gone() async throws {
        try TestFile.write("name = \"Jo\"\n", to: file.path)
        let keeper = try keeper()
        #expect(unlink(file.path) == 0)
        let refused = await keeper.carryOut(.set(key: "ui.seconds", words: "true"))
        #expect(refused.isError && refused.lines.first?.contains("config.toml: is gone") == true, "\(refused.lines)")
        #expect(!file.exists)
        let reply = await keeper.carryOut(.reload)
        #expect(reply.lines.first?.hasPrefix("\(file.path) is gone: nothing is set any more") == true, "\(reply.lines)")
        #expect(await keeper.carryOut(.reload).lines == ["The settings have been reloaded"])
        #expect(await keeper.carryOut(.set(key: "ui.seconds", words: "true")).lines == ["ui.seconds = true"])
    }

    @Test("a file that cannot be read changes nothing, and the place is said")
    func broken() async throws {
        let keeper = try keeper()
        try TestFile.write("[ui]\nlist = 3\n", to: file.path)
        let reply = await keeper.carryOut(.reload)
        #expect(reply.isError && reply.settings == nil)
        #expect(reply.lines[0].hasPrefix("\(file.path):2:1: ui.list cannot be 3 (write \"auto\""))
        #expect(applied.all.isEmpty)
        try TestFile.write("[ui]\nlist = 3\nmosue = true\n", to: file.path)
        let second = await keeper.carryOut(.reload)
        #expect(second.lines.count == 2)
        #expect(second.lines.last == "\(file.path):3:1: unknown key ui.mosue (did you mean ui.mouse?)")
        try TestFile.write(String(repeating: "x = 1\n", count: 30), to: file.path)
        let third = await keeper.carryOut(.reload)
        #expect(third.lines.count == 9 && third.lines.last == "and 22 more (blipchat config check lists them all)")
    }

    @Test(
        "what cannot be set is refused before anything is written",
        arguments: [
            ("ui.thme", "dark", "did you mean ui.theme?"), ("ui.theme", "drak", "did you mean dark?"),
            ("ui.list", "maybe", "write \"auto\", \"on\" or \"off\""), ("keys", "x", "blipchat config list"),
        ])
    func refusals(key: String, words: String, advice: String) async throws {
        let reply = await (try keeper()).carryOut(.set(key: key, words: words))
        #expect(reply.isError)
        #expect(reply.lines[0].contains(advice), "\(reply.lines)")
        #expect(!SmallFile.exists(file.path))
    }

    @Test("what would make messages go because of their age is asked about, whatever it is called, and nothing else is")
    func keep() async throws {
        try TestFile.write("[history]\nkeep = 30\n[contact.\"Erin\"]\nkeep = \"forever\"\n", to: file.path)
        let keeper = try keeper()
        let text = TestFile.text(file.path)
        let deleting: [SettingsRequest] = [
            .set(key: "history.keep", words: "2"), .set(key: "keep", words: "29"),
            .set(key: "contact.Erin.keep", words: "90"), .unset(key: "contact.erin.keep"),
            .unset(key: "contact.\"Erin\".keep"), .set(key: "contact.Bob.keep", words: "3"),
        ]
        for request in deleting {
            #expect(await keeper.carryOut(request) == .question, "\(request)")
            #expect(TestFile.text(file.path) == text)
        }
        for request: SettingsRequest in [
            .set(key: "keep", words: "31"), .set(key: "contact.Bob.keep", words: "31"),
            .set(key: "contact.Bob.keep", words: "forever"), .unset(key: "history.keep"),
            .set(key: "ui.hints", words: "off"),
        ] {
            #expect(await !keeper.carryOut(request).asks, "\(request)")
        }
        #expect(await keeper.carryOut(.confirmed(deleting[1])).lines == ["keep = 29"])
        #expect(applied.all.last?.keep == .days(29))
    }

    @Test("beside a slip elsewhere nothing is written, unless it mends that")
    func besideSlip() async throws {
        let text = "[ui]\nhints = 3\n"
        let keeper = try keeper()
        try TestFile.write(text, to: file.path)
        let reply = await keeper.carryOut(.set(key: "ui.mouse", words: "off"))
        #expect(reply.isError)
        #expect(reply.lines[0].contains("ui.hints cannot be 3, so the file is unchanged"), "\(reply.lines)")
        #expect(TestFile.text(file.path) == text)
        #expect(await !keeper.carryOut(.set(key: "ui.hints", words: "off")).isError)
        #expect(TestFile.text(file.path) == "[ui]\nhints = false\n")
        // What is no setting is taken out, too.
        try TestFile.write("[ui]\nhintz = true\nmouse = false\n", to: file.path)
        let unset = await keeper.carryOut(.unset(key: "ui.hintz"))
        #expect(!unset.isError && unset.settings?.mouse == false, "\(unset.lines)")
        #expect(TestFile.text(file.path) == "[ui]\nmouse = false\n")
        // Also a value that cannot be read, and with slips beside it.
        try TestFile.write("[ui]\nmouse = Flase\nhintz = 1\n", to: file.path)
        let first = await keeper.carryOut(.unset(key: "ui.mouse"))
        #expect(first.isError && first.lines[0].contains("ui.mouse is no longer set, but there are still errors:"))
        #expect(TestFile.text(file.path) == "[ui]\nhintz = 1\n")
        try TestFile.write("\u{FEFF}[ui]\r\nmouse = Flase", to: file.path)
        #expect(await !keeper.carryOut(.set(key: "ui.mouse", words: "off")).isError)
        #expect(TestFile.text(file.path).unicodeScalars.elementsEqual("\u{FEFF}[ui]\r\nmouse = false".unicodeScalars))
        #expect(await !keeper.carryOut(.set(key: "ui.list", words: "on")).isError)
        #expect(
            TestFile.text(file.path).unicodeScalars.elementsEqual(
                "\u{FEFF}[ui]\r\nmouse = false\r\nlist = \"on\"\r\n".unicodeScalars))
        try TestFile.write("[ui]\nmouse = false\n", to: file.path)
        #expect(await keeper.carryOut(.unset(key: "ui.hintz")).lines[0].contains("did you mean ui.hints?"))
    }

    @Test("/set shows what is set, a section, or one key with what it can be")
    func showing() async throws {
        try TestFile.write("[ui]\nhints = false\n[contact.\"Ann\"]\nnotify = \"off\"\n", to: file.path)
        let keeper = try keeper()
        let own = await keeper.carryOut(.show(nil)).lines
        #expect(own.contains("ui.hints = false") && own.contains("contact.\"Ann\".notify = \"off\""))
        #expect(await keeper.carryOut(.show("ui")).lines.contains("ui.mouse = true"))
        let notify = await keeper.carryOut(.show("notify")).lines
        #expect(notify.contains("notify.bell = \"all\"") && notify.contains("contact.\"Ann\".notify = \"off\""))
        let one = await keeper.carryOut(.show("ui.list")).lines
        #expect(one.count == 2 && one[0].hasPrefix("ui.list = \"auto\": ") && one[1].contains("\"on\" or \"off\""))
        #expect(await keeper.carryOut(.show("ui.lsit")).isError)
        #expect(await keeper.carryOut(.themes).lines[0].contains("terminal (this one), dark"))
    }
}
