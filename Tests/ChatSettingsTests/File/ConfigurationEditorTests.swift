// Changing one setting leaves the rest of the file as it was.

import Testing

@testable import ChatSettings

@Suite struct ConfigurationEditorTests {
    private func path(_ typed: String) throws -> SettingPath { try #require(SettingPath(typed: typed)) }

    private func set(_ typed: String, _ value: ConfigurationValue, in text: String) throws -> String {
        var editor = ConfigurationEditor(text)
        editor.set(try path(typed), to: value)
        return editor.text
    }

    static let file = """
        # mine

        name = "Jo"   # my name
        [ ui ]
        # the colours
        theme='dark' # at night
          hints = true

        # files come here
        [files]
        dir = "/in"

        """

    @Test("a CR at the end stays where it is", arguments: ["[keys]\r", "a = 1\r\n[keys]\r", "\r", "a = 1\n\r"])
    func strayReturn(text: String) { #expect(ConfigurationEditor(text).text == text) }

    @Test("changes a value in its place and keeps the comment behind it")
    func inPlace() throws {
        #expect(
            try set("ui.theme", .string("light"), in: Self.file)
                == Self.file.replacing("'dark'", with: "\"light\""))
        #expect(
            try set("ui.hints", .bool(false), in: Self.file) == Self.file.replacing("true", with: "false"))
        #expect(
            try set("name", .string("a\"b\u{1B}"), in: Self.file)
                == Self.file.replacing("\"Jo\"", with: "\"a\\\"b\\u001b\""))
    }

    @Test("adds a key behind the last one of its section")
    func newKey() throws {
        #expect(
            try set("ui.mouse", .bool(false), in: Self.file)
                == Self.file.replacing("  hints = true\n", with: "  hints = true\nmouse = false\n"))
        #expect(
            try set("listen", .string("h:1"), in: Self.file)
                == Self.file.replacing("# my name\n", with: "# my name\nlisten = \"h:1\"\n"))
    }

    @Test("adds a section at the end, and a key above the first section's comment")
    func newSection() throws {
        #expect(
            try set("ui.unicode.ambiguous", .integer(2), in: Self.file)
                == Self.file + "\n[ui.unicode]\nambiguous = 2\n")
        #expect(
            try set("contact.Ann Lee.notify", .string("off"), in: Self.file)
                == Self.file + "\n[contact.\"Ann Lee\"]\nnotify = \"off\"\n")
        #expect(try set("keys.Alt-/", .string("help"), in: "") == "[keys]\n\"Alt-/\" = \"help\"\n")
        #expect(try set("name", .string("x"), in: "") == "name = \"x\"\n")
        #expect(
            try set("name", .string("x"), in: "# about files\n[files]\n") == "name = \"x\"\n\n# about files\n[files]\n")
        #expect(
            try set("name", .string("x"), in: "# mine\n\n[files]\n") == "# mine\nname = \"x\"\n\n[files]\n")
    }

    private static let rules = """
        # mine
        [contact."Bob"]
        # quiet
        receipts = "off"

        [contact."carl"]
        notify = "off"
        [ui]
        hints = true

        """

    @Test("what is set for a contact goes along with the name, and what was left under the new one goes")
    func renamed() {
        var editor = ConfigurationEditor(Self.rules)
        let moved = editor.moveContact("bob", to: "R\"ob")
        #expect(moved && editor.text == Self.rules.replacing("\"Bob\"", with: "\"R\\\"ob\""))
        var other = ConfigurationEditor(Self.rules)
        let taken = other.moveContact("Bob", to: "Carl")
        #expect(taken)
        #expect(
            other.text
                == Self.rules.replacing("\"Bob\"", with: "\"Carl\"")
                .replacing("[contact.\"carl\"]\nnotify = \"off\"\n", with: ""))
        let isThere = other.moveContact("nobody", to: "x")
        #expect(!isThere)
    }

    @Test("what is set for a contact is set for another name, too, and then for that one alone")
    func copied() {
        var editor = ConfigurationEditor(Self.rules)
        let copied = editor.copyContact("BOB", to: "Rob")
        let section = "[contact.\"Bob\"]\n# quiet\nreceipts = \"off\"\n\n"
        #expect(
            copied
                && editor.text
                    == Self.rules.replacing(section, with: section.replacing("Bob", with: "Rob") + section)
        )
        _ = editor.moveContact("bob", to: nil)
        #expect(editor.text == Self.rules.replacing("\"Bob\"", with: "\"Rob\""))
        var other = ConfigurationEditor(Self.rules)
        let taken = other.copyContact("Bob", to: "CARL")
        #expect(taken && !other.text.contains("notify") && other.text.contains("[contact.\"CARL\"]"))
        let isThere = other.copyContact("nobody", to: "x")
        let isOther = other.copyContact("bob", to: "Bob")
        #expect(!isThere && !isOther)
    }

    @Test("what is set for a contact goes with it")
    func removed() {
        var editor = ConfigurationEditor(Self.rules)
        let removed = editor.moveContact("BOB", to: nil)
        #expect(removed && editor.text == "# mine\n[contact.\"carl\"]\nnotify = \"off\"\n[ui]\nhints = true\n")
    }

    @Test("keeps ends of lines as they are")
    func lineEnds() throws {
        // Each line ends as it did, and a last line that had no end has none.
        #expect(try set("ui.list", .string("on"), in: "[ui]\nlist = \"off\"\r\n# x") == "[ui]\nlist = \"on\"\r\n# x")
        #expect(
            try set("ui.hints", .bool(true), in: "[ui]\nlist = \"off\"\r\n") == "[ui]\nlist = \"off\"\r\nhints = true\n"
        )
        #expect(
            try set("ui.list", .string("on"), in: "[ui]\r\nhints = true # x\r\n")
                == "[ui]\r\nhints = true # x\r\nlist = \"on\"\r\n")
        #expect(try set("ui.list", .string("on"), in: "[ui]") == "[ui]\nlist = \"on\"\n")
    }

    @Test("takes a key out and leaves its comment")
    func unset() throws {
        var editor = ConfigurationEditor(Self.file)
        #expect(editor.unset(try path("ui.hints")))
        #expect(editor.unset(try path("name")))
        #expect(!editor.unset(try path("ui.mouse")))
        #expect(
            editor.text
                == Self.file.replacing("  hints = true\n", with: "").replacing("name = \"Jo\"   # my", with: "# my"))
    }

    @Test("what is set is read back, for every setting and every value that it has", arguments: Setting.all.map(\.key))
    func readBack(key: String) throws {
        let typed = key.replacing("contact.", with: "contact.Ann \"A\".").replacing("keys.NAME", with: "keys.Alt-z")
            .replacing("NAME", with: "word")
        let setting = try #require(Setting.at(try path(typed)))
        var values: [ConfigurationValue] = [
            .bool(true), .bool(false), .string("word"), .string("~/x"), .string("host:1"), .string("22:00-07:30"),
            .string("palette"), .integer(1), .integer(30), .integer(1 << 20), .string(""), .string("auto"),
            .string("forever"),
        ]
        values += setting.form.words.split(separator: "\"").map { .string(String($0)) }
        var taken = 0
        for value in values {
            var wanted = Configuration()
            guard setting.put(&wanted, value, Setting.Context(path: try path(typed), home: "/home/jo")) else {
                continue
            }
            taken += 1
            for text in ["", Self.file, "[ui]\n[files]\n[keys]\n"] {
                let base = try Configuration(text: text, home: "/home/jo")
                var expected = base
                _ = setting.put(&expected, value, Setting.Context(path: try path(typed), home: "/home/jo"))
                let changed = try set(typed, value, in: text)
                #expect(try Configuration(text: changed, home: "/home/jo") == expected, "\(value) in \(changed)")
                var editor = ConfigurationEditor(changed)
                #expect(editor.unset(try path(typed)))
            }
        }
        #expect(taken > 0, "no value is taken by \(key)")
    }
}
