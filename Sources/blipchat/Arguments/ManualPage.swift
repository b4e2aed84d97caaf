// The manual pages blipchat(1), blipchat-config(5) and blipchat-protocol(7), made from the tables that make the program:
// `blipchat manual | man -l -`.

import Arguments
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI

/// A page, by the word that asks for it.
enum ManualPage: String, CaseIterable {
    case program = "blipchat"
    case configuration = "config"
    case `protocol`

    /// As `man` calls it.
    var name: String { self == .program ? "blipchat" : "blipchat-\(rawValue)" }

    var section: Int {
        switch self {
        case .program: 1
        case .configuration: 5
        case .protocol: 7
        }
    }

    /// In the macros of man(7).
    func source() throws(CommandError) -> String {
        switch self {
        case .program: try Self.programPage()
        case .configuration: Self.configurationPage()
        case .protocol: Self.protocolPage()
        }
    }

    private func begin(_ summary: String) -> ManualSource {
        ManualSource(
            title: name.uppercased(), section: section, name: name, summary, source: "blipchat \(Version.text)")
    }

    /// The other pages.
    private func end(_ page: inout ManualSource) {
        page.seeAlso(
            Self.allCases.filter { $0 != self }.map { "\($0.name)(\($0.section))" } + ["blipwire(1)"])
    }

    // MARK: blipchat(1)

    private static func programPage() throws(CommandError) -> String {
        var page = program.begin("a chat from terminal to terminal")
        page.heading("SYNOPSIS")
        page.literal(["blipchat [OPTIONS] [ADDRESS|CONTACT]", "blipchat COMMAND [OPTIONS] ..."])
        page.heading("DESCRIPTION")
        page.paragraph(
            """
            Messages and files between two terminals, without an account and without a server.

            Without a command it opens the screen. There, F1 shows all keys and commands.
            """)
        page.heading("COMMANDS")
        for command in CommandSpecification.table where command.name != .screen {
            page.item(HelpText.usage(command), sentence(command.summary, command.details))
            for option in command.options { page.subitem(option.usage, option.help) }
        }
        page.heading("OPTIONS")
        for option in CommandSpecification.of(.screen).options + OptionSpecification.global {
            page.item(option.usage, option.help)
        }
        page.heading("KEYS OF THE SCREEN")
        page.paragraph("You can bind others: /bind, or [keys] in the settings.")
        list(ScreenManual.keys, on: &page)
        page.heading("COMMANDS OF THE SCREEN")
        page.paragraph("Tab completes names, paths and values.")
        list(ScreenManual.commands, on: &page)
        page.heading("ENVIRONMENT")
        for variable in EnvironmentVariable.all { page.item(variable.name, variable.words) }
        page.heading("FILES")
        for file in try files() { page.item(file.path, file.words) }
        page.paragraph("\nWith $BLIPCHAT_HOME or --data-dir all of them are in that folder.")
        page.heading("EXIT STATUS")
        for code in ExitCode.allCases {
            if let meaning = code.meaning { page.item("\(code.rawValue)", meaning) }
        }
        page.heading("EXAMPLES")
        for example in ManualExample.all { page.item(example.line, example.words) }
        program.end(&page)
        return page.text
    }

    private static func list(_ groups: [ScreenManual.Group], on page: inout ManualSource) {
        for group in groups where !group.entries.isEmpty {
            page.subheading(group.title)
            for entry in group.entries { page.item(entry.label, entry.words) }
        }
    }

    private static func sentence(_ summary: String, _ details: String) -> String {
        summary + "." + (details.isEmpty ? "" : "\n" + details)
    }

    /// Where the default profile keeps its files.
    private static func files() throws(CommandError) -> [(path: String, words: String)] {
        // The names of variables replace their values, with the slash that a path from the root begins with.
        let paths = try HomePaths(
            environment: ["HOME": "/~", "XDG_RUNTIME_DIR": "/$XDG_RUNTIME_DIR"], dataFolder: nil, profile: nil)
        return [
            (paths.configuration, "the settings, see blipchat-config(5)"),
            (paths.themes + "/", "themes of your own"),
            (paths.identity, "your key: whoever has it can pass for you"),
            (paths.history, "messages, contacts and what waits to be sent"),
            (paths.downloads + "/", "where files go"),
            (paths.log + "/", "the log: events, without any text of a message"),
            (paths.inputHistory, "the lines that you typed"),
            (paths.socket, "where commands find the running blipchat"),
        ].map { (String($0.0.dropFirst()), $0.1) }
    }

    // MARK: blipchat-config(5)

    private static func configurationPage() -> String {
        var page = configuration.begin("the settings of blipchat")
        page.heading("DESCRIPTION")
        page.paragraph(
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
        page.paragraph(
            """
            A theme is a file themes/NAME.toml beside config.toml, chosen by ui.theme or /theme NAME. It says how each
            part of the screen looks, like error = "bold red on 52", and the colours of names, like
            nicks = "green yellow 111". Anything it leaves out comes from the theme that base = "dark" names.
            """)
        page.item("Parts", Theme.Part.allCases.map(\.rawValue).joined(separator: ", "))
        page.item("Built in", Theme.builtIn.map(\.name).joined(separator: ", "))
        page.heading("EXAMPLES")
        page.literal(
            ManualExample.configuration.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        configuration.end(&page)
        return page.text
    }

    // MARK: blipchat-protocol(7)

    private static func protocolPage() -> String {
        var page = self.protocol.begin("what two blipchats say to each other")
        page.heading("DESCRIPTION")
        page.paragraph(
            """
            A link is one connection. From below: TCP, usually to port \(PeerAddress.defaultPort), or a relay; TLS 1.3 with
            a certificate on both sides, whose key is the whole identity; WebSocket (RFC 6455) with the subprotocol
            BLIP_3+\(LinkConnecting.application); BLIP, which cuts messages into frames, so that an urgent one overtakes a
            file; and the requests below. Either side may call; then both are equal.

            protocol.md has every byte, with test vectors. Debian's package puts it into /usr/share/doc/blipchat.
            """)
        page.heading("IDENTITY")
        page.paragraph(
            """
            A peer id is the SHA-256 of the public key (SubjectPublicKeyInfo, DER) in base32, in lower case and without
            padding: 52 characters. An address is blip://HOST:PORT/PEER-ID#NAME; port, id and name may be left out.
            The safety number that two people compare is made from both keys.
            """)
        page.heading("REQUESTS")
        page.paragraph("Before hello has been answered with accepted, everything else gets error 403.")
        for request in ChatProfile.allCases { page.item(request.rawValue, request.manualWords) }
        page.heading("DELIVERY")
        page.paragraph(
            """
            A sender keeps a message until its reply has come, and sends it again, with the same id, on this link or a
            later one. A receiver answers when its database has committed the message, and answers an id that it has
            stored already in the same way.
            """)
        page.heading("LIMITS")
        page.paragraph(
            """
            What a peer may do before blipchat refuses. These are settings; settings.md says what each of them limits.
            """)
        for setting in Setting.limits {
            let path = SettingPath(typed: setting.key)
            let standard = path.flatMap { setting.value(Configuration(), $0) }.map { ", usually \($0.text)" } ?? ""
            page.item(setting.key, setting.form.words + standard)
        }
        self.protocol.end(&page)
        return page.text
    }
}

extension ChatProfile {
    /// Its purpose, with what its reply says.
    var manualWords: String {
        switch self {
        case .hello: "who I am: name, program, where I take calls. Reply: accepted, pending, or error 403"
        case .accepted: "my user has approved the request of your user"
        case .message: "a text. The empty reply says that it is stored"
        case .edit: "the new text of an earlier message of mine"
        case .retract: "an earlier message of mine is taken back"
        case .react: "a reaction to a message, or none any more"
        case .read: "my user has seen everything up to this message"
        case .typing: "my user types, or has stopped"
        case .presence: "my user is away, or here"
        case .routes: "how I can be reached"
        case .fileOffer: "a file that you may have: name, size, time, caption"
        case .fileGet: "give me these bytes of it"
        case .fileDigest: "the SHA-256 of its first bytes"
        case .fileBundle: "all of up to 128 small files at once"
        case .fileLanes: "open so many more connections for my files"
        case .punch: "call me at the same moment as I call you: where my calls come out"
        case .punchGo: "now"
        case .fileStatus: "what has become of a file: accepted, declined, cancelled, complete"
        }
    }
}
