// The table of settings: every key of the product, its default, what it takes and what it refuses.

import BLIPNet
import ChatCore
import ChatTUI
import ChatWords
import TestSupport
import Testing

@testable import ChatSettings

@Suite struct SettingTests {
    private func problems(_ text: String) -> [ConfigurationError] {
        var problems: [ConfigurationError] = []
        _ = Configuration(text: text, home: "/home/jo", problems: &problems)
        return problems
    }

    /// PRODUCT, "Config", by section.
    static let product: [(section: String, keys: String)] = [
        ("", "name listen"),
        ("net", "connect_timeout keepalive reconnect_max tls limit_up limit_down"),
        (
            "ui",
            "list list_width details hints mouse theme color glyphs time date seconds nick_width group_minutes "
                + "edit_mode enter escape_ms title up_edits_last"
        ),
        ("ui.unicode", "width emoji ambiguous bidi"),
        ("input", "paste_confirm_lines paste_as_file_lines typing_send history spell_command"),
        ("read", "receipts mark"),
        ("notify", "bell desktop command show_text quiet_hours"),
        ("files", "dir ask auto_accept_max partial_keep_days open_command hash preview"),
        ("history", "keep delete_files page"),
        ("security", "require_verified key_change hide_address sandbox"),
    ]

    @Test("Tor: off, on or nothing else; the control port of a tor is on this machine")
    func tor() {
        for (line, isGood) in [
            ("tor = \"off\"", true), ("tor = \"on\"", true), ("tor = \"only\"", true), ("tor = \"yes\"", false),
            ("tor = true", false), ("tor_control = \"\"", true), ("tor_control = \"unix:/run/tor/control\"", true),
            ("tor_control = \"127.0.0.1:9051\"", true), ("tor_control = \"[::1]:9051\"", true),
            ("tor_control = \"unix:tor\"", false), ("tor_control = \"127.0.0.1:0\"", false),
            ("tor_control = \"192.0.2.1:9051\"", false), ("tor_control = \"tor.example.org:9051\"", false),
        ] { #expect(problems("[reach]\n\(line)\n").isEmpty == isGood, "\(line)") }
        var problems: [ConfigurationError] = []
        let text = "[reach]\ntor = \"only\"\ntor_control = \"unix:/x\"\n"
        let configuration = Configuration(text: text, home: "/home/jo", problems: &problems)
        var chat = ChatConfiguration(name: "jo", listen: nil, downloadsFolder: "/x")
        #expect(chat.reach.tor == .off && chat.reach.torControl == nil)
        configuration.apply(to: &chat)
        #expect(chat.reach.tor == .only && chat.reach.torControl == .unix(path: "/x") && !configuration.startsTor)
    }

    @Test("REACH 6: there is no server that our user has not named: no relay, no observer, no tor")
    func servers() {
        var chat = ChatConfiguration(name: "jo", listen: nil, downloadsFolder: "/x")
        Configuration().apply(to: &chat)
        #expect(chat.relays.isEmpty && chat.reach.observer == nil)
        #expect(chat.reach.tor == .off && chat.reach.torControl == nil)
    }

    @Test("there is a setting for every key of the product")
    func complete() {
        for (section, keys) in Self.product {
            for key in keys.split(separator: " ").map(String.init) {
                let path = SettingPath(section: section, contact: nil, name: key)
                #expect(Setting.at(path) != nil, "\(path.text)")
            }
        }
        #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
    }

    @Test(
        "the defaults are those of the product",
        arguments: [
            ("ui.list", "\"auto\""), ("ui.details", "\"auto\""), ("ui.hints", "true"), ("ui.mouse", "true"),
            ("ui.theme", "\"terminal\""), ("ui.color", "\"auto\""), ("ui.time", "\"HH:mm\""), ("ui.seconds", "false"),
            ("ui.escape_ms", "25"), ("ui.title", "true"), ("ui.unicode.width", "\"auto\""),
            ("ui.unicode.emoji", "\"draw\""), ("ui.unicode.bidi", "\"auto\""), ("input.paste_confirm_lines", "1"),
            ("input.paste_as_file_lines", "20"), ("input.typing_send", "true"), ("input.history", "1000"),
            ("read.receipts", "\"send\""), ("read.mark", "\"visible\""), ("notify.bell", "\"all\""),
            ("notify.desktop", "\"auto\""), ("notify.show_text", "false"), ("files.ask", "true"),
            ("files.auto_accept_max", "0"), ("files.partial_keep_days", "14"), ("files.hash", "\"sha256\""),
            ("files.preview", "\"off\""), ("history.keep", "\"forever\""), ("history.delete_files", "false"),
            ("history.page", "200"), ("security.require_verified", "false"), ("security.key_change", "\"block\""),
            ("security.hide_address", "false"), ("security.sandbox", "true"),
        ])
    func defaults(key: String, value: String) throws {
        let path = try #require(SettingPath(typed: key))
        let setting = try #require(Setting.at(path))
        #expect(setting.value(Configuration(), path)?.text == value)
    }

    @Test("a value that cannot be is refused with what can be written")
    func refusals() {
        #expect(
            problems("[ui]\nlist = \"maybe\"\nhints = 1\nescape_ms = 0\nlist_width = 7")
                == [
                    ConfigurationError(
                        position: TextPosition(line: 2, column: 1), reason: "ui.list cannot be \"maybe\"",
                        advice: "write \"auto\", \"on\" or \"off\""),
                    ConfigurationError(
                        position: TextPosition(line: 3, column: 1), reason: "ui.hints cannot be 1",
                        advice: "write true or false"),
                    ConfigurationError(
                        position: TextPosition(line: 4, column: 1), reason: "ui.escape_ms cannot be 0",
                        advice: "write a number from 1 to 1000"),
                    ConfigurationError(
                        position: TextPosition(line: 5, column: 1), reason: "ui.list_width cannot be 7",
                        advice: "write \"auto\" or a number from 8 to 40"),
                ])
    }

    @Test(
        "an unknown key names the one that is meant",
        arguments: [
            ("[ui]\nthme = \"x\"", "did you mean ui.theme?"), ("[net]\ntheme = \"x\"", "did you mean ui.theme?"),
            ("[ui]\nambiguous = 1", "did you mean ui.unicode.ambiguous?"),
            ("[notfy]\nbell = \"all\"", "did you mean notify.bell?"),
            ("[contact.\"bob\"]\nnotfy = \"all\"", "did you mean contact.notify?"),
            ("NAME = 1", "did you mean name?"),
        ])
    func nearest(text: String, advice: String) {
        #expect(problems(text).map(\.advice) == [advice])
    }

    @Test(
        "a line of [keys] is checked",
        arguments: [
            ("\"Alt-zz\" = \"help\"", "Alt-zz is not a key"),
            ("\"Alt-z\" = \"hlep\"", "did you mean help?"), ("x = \"help\"", "types text"),
            ("\"Alt-z\" = 3", "write the name of an action"),
        ])
    func keys(line: String, advice: String) throws {
        let problem = try #require(problems("[keys]\n" + line).first)
        #expect(problem.position == TextPosition(line: 2, column: 1))
        #expect(problem.advice?.contains(advice) == true, "\(problem)")
    }

    @Test("what would do nothing, or not what it says, is refused with what to write")
    func meaningless() throws {
        func advice(_ text: String) throws -> String { try #require(problems(text).first?.advice) }
        #expect(try advice("[keys]\n\"Ctrl-m\" = \"palette\"").contains("terminals send Enter for Ctrl-m"))
        #expect(try advice("[keys]\n\"Ctrl-Alt-i\" = \"palette\"").contains("Alt-Tab"))
        #expect(problems("[keys]\n\"Ctrl-m\" = \"\"").isEmpty)
        #expect(try advice("[alias]\nquit = \"/away\"").contains("/quit"))
        #expect(problems("[alias]\nq2 = \"/away\"").isEmpty)
        #expect(try advice("[ui]\ntime = \"%H:%M\"").contains("HH:mm"))
        let keep = try #require(SettingPath(typed: "contact.keep"))
        #expect(Setting.advice(for: keep).contains("contact.NAME.keep"))
    }

    @Test("a broken section does not blame the keys below it")
    func brokenSection() {
        #expect(problems("[ui\nlist = \"on\"\n[files]\nask = 3").map(\.position.line) == [1, 4])
    }

    @Test("takes what people type, with and without quotation marks")
    func typed() throws {
        func value(_ key: String, _ words: String) throws -> ConfigurationValue? {
            let path = try #require(SettingPath(typed: key))
            return try #require(Setting.at(path)).value(typed: words, at: path, home: "/home/jo")
        }
        #expect(try value("ui.theme", "dark") == .string("dark"))
        #expect(try value("ui.theme", "\"dark\"") == .string("dark"))
        #expect(try value("name", "\"Ann Lee\"") == .string("Ann Lee"))
        #expect(try value("name", "Ann \"Lee\"") == .string("Ann \"Lee\""))
        #expect(try value("name", "\"\"") == nil)
        #expect(try value("name", "A\u{202E}b") == nil, "no name that a contact could not have")
        #expect(try value("ui.hints", "off") == .bool(false))
        #expect(try value("ui.list", "off") == .string("off"))
        #expect(try value("history.keep", "90") == .integer(90))
        #expect(try value("net.limit_up", "500k") == .string("500k"))
        #expect(try value("notify.quiet_hours", "22:00-07:00") == .string("22:00-07:00"))
        #expect(try value("notify.quiet_hours", "22-7") == nil)
        #expect(try value("notify.command", "notify-send 'a b'") == .string("notify-send 'a b'"))
        #expect(try value("notify.command", "notify-send 'a b") == nil)
        #expect(try value("notify.command", "'/opt/my tool' 'a b'") == .string("'/opt/my tool' 'a b'"))
        #expect(try value("contact.Ann Lee.notify", "off") == .string("off"))
        #expect(try value("keys.Alt-.", "help") == .string("help"))
    }

    @Test("what the file says reaches the screen and the chat")
    func mapping() throws {
        let configuration = try Configuration(
            text: """
                [ui]
                theme = "light"
                list_width = 30
                [ui.unicode]
                ambiguous = 2
                [read]
                receipts = "off"
                [input]
                typing_send = false
                [notify]
                quiet_hours = "22:00-07:00"
                [files]
                ask = false
                [history]
                delete_files = true
                [security]
                hide_address = true
                require_verified = true
                [net]
                connect_timeout = 3
                reconnect_max = 7
                [keys]
                "Alt-/" = "help"
                [alias]
                hi = "/msg bob hello"
                [contact."Bob"]
                notify = "off"
                receipts = "send"
                auto_accept_max = "1M"
                """, home: nil)
        #expect(configuration.screen.theme == "light")
        #expect(configuration.screen.listWidth == 30)
        #expect(configuration.screen.ambiguous == 2)
        #expect(configuration.screen.quietHours == ScreenSettings.QuietHours(from: 22 * 60, to: 7 * 60))
        #expect(configuration.screen.keys == ["Alt-/": "help"])
        #expect(configuration.screen.aliases == ["hi": "/msg bob hello"])
        #expect(configuration.screen.notifyByName == ["bob": .off])
        var chat = ChatConfiguration(name: "x", listen: nil, downloadsFolder: "/x")
        configuration.apply(to: &chat)
        #expect(!chat.sendsReceipts && !chat.sendsTyping && chat.deletesFiles && chat.hidesAddress)
        #expect(chat.requiresVerified)
        #expect(chat.acceptsFilesUpTo == .max)
        #expect(chat.limits.network.connectTime == .seconds(3))
        #expect(chat.reconnect.maximum == .seconds(7))
        #expect(chat.contactRules.rule(named: "BOB") == .init(sendsReceipts: true, acceptsFilesUpTo: 1_000_000))
        #expect(chat.contactRules.rule(named: "ann") == .init())
    }
}
