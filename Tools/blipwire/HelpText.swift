// The help texts and the manual page, made from the commands' specifications so that they cannot say anything else than what is parsed.

internal import Arguments
internal import Workbench

enum HelpText {
    /// The help of one command.
    static func of(_ command: CommandSpecification<CommandName>) -> String {
        HelpLayout.command(command, of: "blipwire", options: command.options + Blipwire.options)
    }

    /// The help of the whole.
    static var overview: String {
        let commands = Blipwire.commands.map { $0.specification }
        return "Usage: blipwire COMMAND ...\n\nA workbench for the protocols of blipchat.\n\nCommands:\n"
            + commands.map { "  \($0.usage)\n      \($0.summary)\n" }.joined()
            + "\nProfiles, which serve and client offer to the other side:\n"
            + HelpLayout.rows(WorkbenchProfile.allCases.map { ($0.rawValue, $0.summary) })
            + "\nExit codes:\n"
            + HelpLayout.rows(ExitCode.allCases.compactMap { code in code.meaning.map { ("\(code.rawValue)", $0) } })
            + "\nblipwire COMMAND --help says more about a command.\n"
    }

    /// Command lines that the manual page shows; each of them is parsed by a test.
    static let examples = [
        ("blipwire serve --listen 127.0.0.1:4990 --insecure", "answer the profiles, without TLS"),
        ("blipwire client ws://127.0.0.1:4990/", "check every one of them"),
        ("blipwire tap --listen 127.0.0.1:4991 --target 127.0.0.1:4990", "show what goes through"),
        ("blipwire bench ws://127.0.0.1:4990/ --what seq", "count echoes, one at a time"),
    ]

    /// The dissector that Wireshark and tshark can load.
    static let dissector = (
        path: "/usr/share/blipwire/blip.lua",
        words: """
        shows BLIP in Wireshark and tshark; after make install it is in /usr/local/share/blipwire. Wireshark does not look
        there: link it into your folder for plugins in Lua, or name it to tshark.
          mkdir -p ~/.local/lib/wireshark/plugins
          ln -s /usr/share/blipwire/blip.lua ~/.local/lib/wireshark/plugins/
          tshark -X lua_script:/usr/share/blipwire/blip.lua -r FILE -Y blipnet
        Its first lines say more.
        """
    )

    /// blipwire(1) in the macros of man(7).
    static var manual: String {
        var page = ManualSource(
            title: "BLIPWIRE", section: 1, name: "blipwire", "a workbench for the protocols of blipchat",
            source: "blipwire")
        page.heading("SYNOPSIS")
        page.literal(["blipwire COMMAND ..."])
        page.heading("DESCRIPTION")
        page.paragraph(
            """
            For those who write or test another implementation: it serves and calls BLIP over WebSocket, with and without
            TLS, with the code that blipchat itself runs.
            """)
        page.heading("COMMANDS")
        for command in Blipwire.commands.map({ $0.specification }) {
            page.item("blipwire \(command.usage)", "\(command.summary).\n\(command.details)")
            for option in command.options { page.subitem(option.usage, option.help) }
        }
        page.heading("PROFILES")
        page.paragraph("The requests that serve and client answer.")
        for profile in WorkbenchProfile.allCases { page.item(profile.rawValue, profile.summary) }
        page.heading("FILES")
        page.item(dissector.path, dissector.words)
        page.heading("EXIT STATUS")
        for code in ExitCode.allCases {
            if let meaning = code.meaning { page.item("\(code.rawValue)", meaning) }
        }
        page.heading("EXAMPLES")
        for (line, words) in examples { page.item(line, words) }
        page.seeAlso(["blipchat(1)", "blipchat-protocol(7)"])
        return page.text
    }
}
