// The manual pages blipchat(1) and blipchat-config(5), made from the tables of commands and settings in the macros of
// man(7): `blipchat manual | man -l -`.

import Arguments
import ChatHost
import ChatSettings
import ChatTUI

enum ManualPage {
    /// blipchat(1): the commands.
    static let program: String = {
        var page = Roff(title: "BLIPCHAT", section: 1, name: "blipchat", "a chat from terminal to terminal")
        page.heading("SYNOPSIS")
        page.line("blipchat [OPTIONS] [ADDRESS|CONTACT]")
        page.line("blipchat COMMAND [OPTIONS] ...")
        page.heading("DESCRIPTION")
        page.text("Messages and files between two terminals, without an account and without a server.")
        page.text("Without a command it opens the screen. There, F1 shows all keys and commands.")
        page.heading("COMMANDS")
        for command in CommandSpecification.table where command.name != .screen {
            page.item(HelpText.usage(command), command.summary + ".")
            if !command.details.isEmpty { page.text(command.details) }
            for option in command.options { page.subItem(option.usage, option.help) }
        }
        page.heading("OPTIONS")
        for option in CommandSpecification.of(.screen).options + OptionSpecification.global {
            page.item(option.usage, option.help)
        }
        page.heading("EXIT STATUS")
        for code in ExitCode.allCases {
            if let meaning = code.meaning { page.item("\(code.rawValue)", meaning) }
        }
        page.heading("SEE ALSO")
        page.line("blipchat-config(5)")
        return page.source
    }()

    /// blipchat-config(5): the settings.
    static let configuration: String = {
        var page = Roff(title: "BLIPCHAT-CONFIG", section: 5, name: "config.toml", "the settings of blipchat")
        page.heading("DESCRIPTION")
        page.text(
            """
            The file is $XDG_CONFIG_HOME/blipchat/config.toml, or config.toml in $BLIPCHAT_HOME; blipchat config path
            prints its name. It is a strict subset of TOML: sections, and keys with text, whole numbers, true and
            false. Settings that you leave out keep their defaults. blipchat config check finds every error; /set KEY
            VALUE and blipchat config set KEY VALUE change one setting and keep comments. On /reload or SIGHUP a
            running blipchat reads the file again; settings marked "at the next start" wait until then.
            """)
        page.heading("SETTINGS")
        for setting in Setting.all {
            let path = SettingPath(typed: setting.key)
            let standard = path.flatMap { setting.value(Configuration(), $0) }.map { " Default: \($0.text)." } ?? ""
            let effect = setting.effect == .nextStart ? " At the next start." : ""
            page.item(setting.key, "\(setting.summary): \(setting.form.words).\(standard)\(effect)")
        }
        page.heading("THEMES")
        page.text(
            """
            A theme is a file themes/NAME.toml beside config.toml, chosen by ui.theme or /theme NAME. It says how each
            part of the screen looks, like error = "bold red on 52", and the colours of names, like
            nicks = "green yellow 111". Anything it leaves out comes from the theme that base = "dark" names.
            """)
        page.text("Parts: " + Theme.Part.allCases.map(\.rawValue).joined(separator: ", ") + ".")
        page.text("Built in: " + Theme.builtIn.map(\.name).joined(separator: ", ") + ".")
        page.heading("SEE ALSO")
        page.line("blipchat(1)")
        return page.source
    }()
}

/// The source of a manual page.
private struct Roff {
    private(set) var source: String

    init(title: String, section: Int, name: String, _ summary: String) {
        source = ".TH \(title) \(section) \"\" \"blipchat \(Version.text)\"\n"
        heading("NAME")
        source += Self.escaped(name) + " \\- " + Self.escaped(summary) + "\n"
    }

    mutating func heading(_ words: String) { source += ".SH \(words)\n" }

    mutating func line(_ words: String) { source += Self.escaped(words) + "\n.br\n" }

    mutating func text(_ words: String) {
        for line in words.split(separator: "\n") { source += Self.escaped(String(line)) + "\n" }
    }

    mutating func item(_ label: String, _ words: String) {
        source += ".TP\n.B \"\(Self.quoted(label))\"\n"
        text(words)
    }

    mutating func subItem(_ label: String, _ words: String) {
        source += ".RS\n"
        item(label, words)
        source += ".RE\n"
    }

    /// As text at the beginning of a line.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }

    /// As an argument of a macro in quotation marks.
    private static func quoted(_ text: String) -> String {
        escaped(text).replacing("\"", with: "\\(dq")
    }
}
