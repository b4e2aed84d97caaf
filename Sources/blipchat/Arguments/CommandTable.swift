// The commands and their options: the only place where the command line is described.

import Arguments
import ChatCore

extension CommandRow {
    static let table: [CommandRow] = talking + people + looking + keeping + configuring + running

    private static let talking: [CommandRow] = [
        .init(
            .screen, ScreenCommand.self, operands: "[ADDRESS|CONTACT]", count: 0...1, "open the chat in this terminal",
            details: """
                Given an address, adds it as a contact and opens the chat; given a contact, opens the chat with them.
                If blipchat is already running (serve, another screen), attaches to that one.
                """,
            options: [
                listen,
                .init("--plain", "lines instead of a screen: for screen readers, dumb terminals and pipes"),
            ]),
        .init(
            .send, SendCommand.self, operands: "WHO [TEXT...|-]", count: 1...Int.max,
            "send one message and wait until it is delivered",
            details: """
                Prints the message's id. The words are joined with spaces; - reads the message from standard input.
                Without --queue it waits up to --timeout (10 seconds) for the peer to store the message. If that takes
                longer, the message stays queued and goes out as soon as blipchat is running and the peer is online.
                With --lines it stores each non-empty line and prints its id as it arrives, even while earlier ones
                are waiting; at the end of the input it waits until all are delivered, up to --timeout for each in
                turn. With --id you can safely repeat the command if you do not know how it ended: a message with
                this id is sent only once.
                """,
            options: [
                .init("--queue", "store the message and return at once"),
                .init("--id", value: "UUID", "your own id for the message (one message only)"),
                .init("--lines", "with -: send each line of standard input as a message, as it arrives"),
                .init("--require-verified", "send nothing to a contact whose key you have not verified"),
            ]),
        .init(
            .sendFile, SendFileCommand.self, operands: "WHO FILE...|-", count: 2...Int.max,
            "offer files and wait until the peer has them",
            details: """
                Without --queue it waits up to 10 seconds for the peer to get the offers, then until the files are
                transferred and verified; it stops waiting after 10 minutes without any progress. --timeout sets both
                times. Offers stay queued. A folder is sent with all files in it and its subfolders, but without
                links. If a file in it cannot be sent, the command names the file, even with --quiet, and ends with
                code 7. - sends standard input and needs --name.
                """,
            options: [
                .init("--queue", "store the offers and return at once"),
                .init("--name", value: "NAME", "offer the file under another name"),
                .init("--caption", value: "TEXT", "a line of text to go with the file"),
            ]),
        .init(
            .receive, ReceiveCommand.self, "wait for others to offer files, and accept them",
            details: """
                Prints where it saved each file. Asks before accepting one, unless --accept sets a size limit.
                Waits forever, or up to --timeout for the first offer. With --once the exit code says what happened
                to the file.
                """,
            options: [
                .init("--from", value: "WHO", "only files from WHO"),
                .init("--once", "stop after one file"),
                .init("--accept", value: "MAXSIZE", "accept files up to this size without asking, like 500M"),
                .init("--output", short: "o", value: "DIR|-", "save in DIR; - writes one file to standard output"),
                listen,
            ]),
    ]

    private static let people: [CommandRow] = [
        .init(
            .id, IdentityCommand.self, "show your address, to share with others",
            details: "The first line is the address. Creates your key if you do not have one yet."),
        .init(
            .identityCode, IdentityCodeCommand.self, "show your address as a QR code, for others to scan",
            details: "White on black. --json gives the rows of modules, with 1 for dark."),
        .init(.fingerprint, FingerprintCommand.self, "show the fingerprint of your key"),
        .init(
            .identityBackup, IdentityBackupCommand.self, operands: "FILE", count: 1...1,
            "write your key to FILE, sealed with a passphrase",
            details: """
                Anyone with this file and its passphrase can impersonate you. blipchat asks for the passphrase on the
                terminal, or reads it from the first line of --passphrase-file. The history is not in the file: see
                blipchat backup.
                """,
            options: [passphraseFile]),
        .init(
            .identityRestore, IdentityRestoreCommand.self, operands: "FILE", count: 1...1,
            "restore your key from a backup",
            details: """
                Your contacts know you by this key, so you are the same person to them. Use it on one machine only. No
                blipchat may be running on this home.
                """,
            options: [
                passphraseFile,
                .init("--replace", "set aside an existing key (it is not deleted)"),
            ]),
        .init(
            .identityPassphrase, PassphraseCommand.self, "seal your key with a passphrase, or change it",
            details: """
                Unless your key is sealed, anyone who can read the disk has it. With a sealed key, the screen, serve
                and any command that has to connect on its own ask for the passphrase once, when they start; commands
                that go through a running blipchat do not ask. To start without a terminal, give the passphrase as the
                first line of the descriptor of --passphrase-fd, or as the systemd credential blipchat.passphrase. If
                you forget it, nobody can open the key again: keep a backup. For a sealed key, --passphrase-fd takes
                the current passphrase and, on the next line, the new one.
                """,
            options: [.init("--remove", "remove the passphrase, which leaves the key unprotected")]),
        .init(
            .contactsList, ListContactsCommand.self, "list your contacts",
            options: [.init("--names", "only their names, one per line")]),
        .init(
            .contactsShow, ShowContactCommand.self, operands: "WHO", count: 1...1, "show what you know about a contact"),
        .init(
            .contactsAdd, AddContactCommand.self, operands: "ADDRESS", count: 1...PastedAddress.most,
            "add someone by their address",
            details: """
                An address is blip://HOST:PORT/PEER-ID#NAME (or ?name=NAME, in quotes) or just HOST:PORT. It is stored at
                once, whether or not they can be reached. Without a PEER-ID, blipchat pins the first key that answers,
                as unverified.
                """,
            options: [.init("--name", value: "NAME", "what to call them")]),
        .init(
            .contactsRemoveAddress, ChangeContactCommand.self, operands: "WHO ADDRESS", count: 2...2,
            "forget one of a contact's addresses",
            details: "ADDRESS is one listed by contacts show, or its HOST:PORT."),
        .init(.contactsRename, ChangeContactCommand.self, operands: "WHO NAME", count: 2...2, "rename a contact"),
        .init(
            .contactsRemove, RemoveContactCommand.self, operands: "WHO", count: 1...1,
            "remove a contact and the chat with them",
            details:
                "Asks first, unless the chat is empty. export WHO --format json keeps a copy that import can read back.",
            options: [.yes]),
        .init(
            .contactsBlock, ChangeContactCommand.self, operands: "WHO", count: 1...1, "refuse everything from a contact"
        ),
        .init(.contactsUnblock, ChangeContactCommand.self, operands: "WHO", count: 1...1, "unblock a contact"),
        .init(
            .contactsVerify, VerifyContactCommand.self, operands: "WHO [NUMBER...]", count: 1...Int.max,
            "compare the safety number with a contact",
            details: """
                Without NUMBER, prints the 60 digits, which are the same on both sides if nobody is in the middle. With
                the 60 digits that your contact reads to you (spaces do not matter), compares them: if they match, the
                contact becomes verified; if not, the command ends with code 5. If another key answers, prints its
                number too.
                """),
        .init(
            .contactsAcceptKey, AcceptKeyCommand.self, operands: "WHO [NUMBER...]", count: 1...Int.max,
            "accept the new key of a contact whose key has changed",
            details: """
                A changed key means a new machine or installation of theirs, or someone in the middle; blipchat sends
                nothing until you decide. contacts verify WHO prints both numbers. With the 60 digits of the new one,
                as your contact reads them to you in person or by phone, the contact becomes verified; if the digits
                differ, the command ends with code 5 and changes nothing. Without NUMBER it accepts the key unverified.
                History and queue stay. To refuse the key: contacts block WHO.
                """),
        .init(
            .invite, InviteCommand.self, "make words and a link that let one person in",
            details: """
                Prints four words to say (tiger-lemon-orbit-cable@HOST) and a link to send. Either works once: who enters one
                of them with blipchat join is a contact of yours at once, without a request. It needs a blipchat that runs
                here and takes calls. The words need a relay, or that both of you are in the same network, and work for 10
                minutes, at most 1 hour; the link works for a day. Put the link in quotes.
                """,
            options: [
                .init("--for", value: "TIME", "how long they work: 10m, 2h, 1d (at most 7d)"),
                .init("--at", value: "HOST", "the relay to wait at, where the other person has one and you have none"),
            ]),
        .init(
            .nearby, NearbyCommand.self, "show who is in this network",
            details: """
                Contacts in the same network find each other through avahi. Nobody else learns who you are, unless you let
                yourself be seen by name.
                """,
            options: [.init("--show", value: "TIME", "let yourself be seen by name: 10m (at most 1h)")]),
        .init(
            .reach, ReachCommand.self, "show how others can reach you",
            details: "Where you listen, whether your relays are joined, and how far Tor is. Docs/relay.md has more."),
        .init(
            .reachTest, ReachTestCommand.self, "call yourself along each of your ways",
            details: """
                Calls the addresses, relays and onion service by which others reach you, and says what answered. It takes up to 30 s.
                Many routers do not lead a call from inside to their public address: somebody outside may still reach you.
                Ends with 0 when at least one way works, else with 1.
                """),
        .init(
            .reachRenew, ReachCommand.self, "take new mailboxes with your relays, and another onion service",
            details: "Anyone who knows only the old ones cannot reach you by them any more. Contacts get the new ones."),
        .init(
            .routesList, RoutesCommand.self, operands: "WHO", count: 1...1, "show the ways to a contact",
            details: "In the order in which they are tried, with who has named them and what the last call met."),
        .init(
            .routesAdd, RoutesCommand.self, operands: "WHO ROUTE", count: 2...2, "add a way to a contact",
            details: "ROUTE is HOST:PORT, or HOST:PORT/RELAY-ID/MAILBOX for one by a relay."),
        .init(
            .routesRemove, RoutesCommand.self, operands: "WHO N", count: 2...2, "forget a way to a contact",
            details: "N is a number that routes list shows."),
        .init(
            .join, JoinCommand.self, operands: "WORDS|LINK|ADDRESS", count: 1...MeetWords.count,
            "use an invitation, or join a Socket.IO room",
            details: """
                WORDS are four words as blipchat invite prints them, with dashes or spaces between, and @HOST if it is there.
                LINK is blip://… as it prints it, too: who made it is a contact of yours, and you are one of theirs.
                ADDRESS is sio+tls://HOST[:PORT]/NAMESPACE, or sio:// without encryption, and may set what the server calls
                things: ?event=chatMessage&message=message&sender=sender. Put it in quotes. It also takes pin=SHA256 (the
                server's public key), ca=FILE and as=NAME. The room is stored like a contact: send, history, watch and the
                screen take its name. Its server reads everything, and names in it prove nothing. Docs/rooms.md says more.
                """,
            options: [.init("--name", value: "NAME", "what to call them, or the room")]),
        .init(
            .leave, LeaveCommand.self, operands: "ROOM", count: 1...1, "leave a room; its history stays",
            details: "contacts remove ROOM deletes the history as well. join brings you back."),
        .init(.requestsList, ListRequestsCommand.self, "list people who want to chat with you"),
        .init(
            .requestsApprove, ApproveRequestsCommand.self, operands: "IDS", count: 1...1,
            "accept someone as a contact: 3, or several: all, 1-4",
            options: [.init("--name", value: "NAME", "what to call them")]),
        .init(.requestsReject, RejectRequestsCommand.self, operands: "IDS", count: 1...1, "discard requests"),
    ]

    private static let looking: [CommandRow] = [
        .init(
            .history, HistoryCommand.self, operands: "WHO", count: 1...1, "print a conversation, oldest message first",
            details: "Works offline and while blipchat is running. DATE is 2026-11-21 or RFC 3339.",
            options: [
                count("only the last N messages; with --around: N messages in all (21)"), since, until,
                .init("--around", value: "ID", "the message with this id, and those before and after it"),
            ]),
        .init(
            .search, SearchCommand.self, operands: "[QUERY...]", count: 0...Int.max,
            "find words in all conversations, newest first",
            details: """
                All words must occur. A word also finds longer words that begin with it or, if there are none, words
                that contain it. "a phrase" keeps words together; -word leaves messages out (put -- before a query that
                begins with one: search -- -word other). Filters: from:NAME from:me in:NAME
                has:file has:link after:DAY before:DAY on:DAY is:unread; a DAY is 2026-11-21, 2026-11, today or
                yesterday. Works offline.
                Returns 0 with hits and 1 without, like grep.
                """,
            options: [
                .init("--in", value: "WHO", "only in the conversation with WHO"),
                .init("--from", value: "WHO", "only what WHO wrote; \"me\" for yourself"),
                since, until,
                .init("--files", "only files"),
                count("at most N hits (50)"),
            ]),
        .init(
            .watch, WatchCommand.self, operands: "[WHO]", count: 0...1, "follow what happens, like tail -f",
            details: """
                Prints messages, files, requests, and who comes and goes; with WHO, only what concerns them. Follows
                the running blipchat, or connects on its own if there is none. Ends on a signal, or when the blipchat
                that it follows ends.
                """,
            options: [listen]),
        .init(
            .transfersList, ListTransfersCommand.self, "list offered files, newest first",
            options: [.init("--unfinished", "only those still running or waiting")]),
        .init(
            .transfersAccept, ChangeTransferCommand.self, operands: "NUMBERS", count: 1...1,
            "accept an offered file: 8, or several: all, 4-23, 4,6",
            options: [.init("--into", value: "DIR", "save it in DIR instead of the downloads folder")]),
        .init(
            .transfersDecline, ChangeTransferCommand.self, operands: "NUMBERS", count: 1...1,
            "decline offered files, numbered as for accept"),
        .init(.transfersPause, ChangeTransferCommand.self, operands: "NUMBERS", count: 1...1, "pause transfers"),
        .init(
            .transfersResume, ChangeTransferCommand.self, operands: "NUMBERS", count: 1...1, "resume paused transfers"),
        .init(.transfersCancel, ChangeTransferCommand.self, operands: "NUMBERS", count: 1...1, "cancel transfers"),
        .init(
            .transfersLimit, LimitRateCommand.self, operands: "up|down|NUMBER RATE|off", count: 2...2,
            "limit how fast files are transferred",
            details: """
                RATE is in bytes per second, like 500k (500,000; k, M, G are powers of 1000, Ki, Mi, Gi of 1024). It
                lasts until the running blipchat ends; limit_up and limit_down in the [net] section of config.toml
                are permanent.
                """),
        .init(.transfersWatch, WatchTransfersCommand.self, "follow transfers, like watch"),
    ]

    private static let keeping: [CommandRow] = [
        .init(
            .export, ExportCommand.self, operands: "[WHO]", count: 0...1,
            "write the history, or one conversation, to a file",
            details: """
                text and html are for people; json has everything, and blipchat import can read it back. The same
                history always gives the same bytes.
                """,
            options: [
                .init("--format", value: "text|json|html", "the format (text; json with --json)"),
                .init("--output", short: "o", value: "PATH", "where to write; - is standard output (the default)"),
                .init("--files", "copy the files as well, to PATH.files"),
            ]),
        .init(
            .importHistory, ImportCommand.self, operands: "FILE", count: 1...1,
            "add what a json export has and this history lacks",
            details: """
                Ids are kept, so importing twice changes nothing. Nothing in the export is sent. Contacts are added as
                unverified, and blipchat calls them like any others: anyone who does not know your key sees a contact
                request. If the history already has messages, the imported ones come before them. Asks before adding
                contacts if you already have some.
                """,
            options: [.yes]),
        .init(
            .forget, ForgetCommand.self, operands: "WHO [ID...]", count: 1...Int.max,
            "delete messages from this machine, for good",
            details: """
                Deletes the messages with these IDs, or those that --before or --all selects. Their text is also erased
                from the search index and from free space in the file. The peer keeps their copy; /delete in the chat
                deletes a message of your own on both sides.
                """,
            options: [
                .init("--before", value: "DATE", "everything stored before DATE"),
                .init("--all", "the whole conversation; the contact stays"),
            ]),
        .init(
            .keep, KeepCommand.self, operands: "WHO [DAYS|forever|default]", count: 1...2,
            "set how long to keep a conversation",
            details: """
                Without a time, shows it. blipchat deletes older messages for good, when it starts and every six hours;
                undelivered ones stay. "default" goes back to config.toml: [history] keep, and keep in
                [contact."NAME"], which is "forever" unless you set it.
                """),
        .init(
            .backup, BackupCommand.self, operands: "FILE", count: 1...1,
            "copy the history to a new file, even while blipchat runs",
            details: "When this returns, the copy is complete and checked. Your key is not in it: see blipchat id."),
        .init(
            .restore, RestoreCommand.self, operands: "FILE", count: 1...1,
            "replace the history with a copy made by blipchat backup",
            details: "Keeps the old history beside it. No blipchat may be running on this home."),
        .init(
            .doctor, DoctorCommand.self, "check the home: settings, key, history, search index, files, disk",
            details: """
                Says what it found and what to do. Returns 0 if nothing is broken, 9 if the history is, 7 for
                permissions and the disk, 2 for the settings. Changes nothing without --fix or --recover.
                """,
            options: [
                .init("--fix", "repair what it can: search index, counts, leftovers, permissions"),
                .init("--recover", "save what is readable of a damaged history to a new one; the old one is kept"),
            ]),
    ]

    private static let configuring: [CommandRow] = [
        .init(
            .configurationList, ConfigListCommand.self, "print all settings with their values",
            options: [.init("--set", "only those that config.toml sets")]),
        .init(
            .configurationGet, ConfigGetCommand.self, operands: "KEY", count: 1...1, "print the value of a setting",
            details: "Returns 1 if it is not set and has no default."),
        .init(
            .configurationSet, ConfigSetCommand.self, operands: "KEY VALUE", count: 2...Int.max,
            "change a setting in config.toml",
            details: """
                Keeps the comments and the order of the file. Keys look like ui.theme, contact."Ann Lee".notify and
                keys."Alt-/". A running blipchat picks up the change on /reload or SIGHUP.
                """),
        .init(
            .configurationUnset, ConfigUnsetCommand.self, operands: "KEY", count: 1...1,
            "remove a setting from config.toml",
            details: "Returns 1 if it was not set."),
        .init(.configurationPath, ConfigPathCommand.self, "print where config.toml is"),
        .init(
            .configurationCheck, ConfigCheckCommand.self, "check config.toml and the theme",
            details: "Prints every error as file:line:column with what to do, and returns 2 if there is one."),
        .init(
            .configurationTheme, ConfigThemeCommand.self, operands: "[NAME]", count: 0...1,
            "print a theme as a file, or the names of all themes",
            details: "Start your own with: blipchat config theme dark > ~/.config/blipchat/themes/mine.toml"),
    ]

    private static let running: [CommandRow] = [
        .init(
            .serve, ServeCommand.self, "run without a screen: stay connected, deliver, receive",
            details: """
                Prints "listening HOST:PORT" when it is ready and runs until SIGTERM or SIGINT. Other commands on the
                same home go through it.
                """,
            options: [
                listen,
                .init("--accept-requests", "accept every contact request (for tests and bots)"),
                .init("--accept-files", value: "MAXSIZE", "accept offered files up to this size, like 500M"),
                .init(
                    "--on-message", value: "PROGRAM",
                    "run PROGRAM for each message, with its JSON on standard input; turns the sandbox off"),
                .init("--foreground", "stay in the foreground, as always (for service managers)"),
            ]),
        .init(
            .status, StatusCommand.self, operands: "[WHO]", count: 0...1, "show who is connected and what is queued",
            details: """
                With --wait online it returns as soon as WHO (or, without WHO, anyone) is online, or with code 1 after
                --timeout; without --timeout it waits forever.
                """,
            options: [.init("--wait", value: "online", "wait until someone is online")]),
        .init(
            .demo, DemoCommand.self, "try it alone: a chat with a second blipchat in the same process",
            details: "Keeps everything in a temporary folder and deletes it at the end."),
        .init(
            .manual, ManualCommand.self, operands: "[blipchat|config|protocol]", count: 0...1,
            "print a manual page: blipchat(1), blipchat-config(5), blipchat-protocol(7)",
            details: "Read it with: blipchat manual | man -l -"),
        .init(
            .completion, CompletionCommand.self, operands: "bash|zsh|fish", count: 1...1,
            "print the completion script for your shell",
            details: """
                bash:  blipchat completion bash > ~/.local/share/bash-completion/completions/blipchat
                zsh:   blipchat completion zsh > DIR/_blipchat, with DIR in fpath before compinit
                fish:  blipchat completion fish > ~/.config/fish/completions/blipchat.fish
                """),
        .init(.version, VersionCommand.self, "show which version this is"),
        .init(.help, HelpCommand.self, operands: "[COMMAND...]", count: 0...2, "show how to use a command"),
    ]

    private static let listen = OptionSpecification(
        "--listen", value: "HOST:PORT", "where others can reach you; port 0 picks a free one")
    private static let passphraseFile = OptionSpecification(
        "--passphrase-file", value: "FILE", "read the passphrase from FILE (- for standard input)")
    private static let since = OptionSpecification("--since", value: "DATE", "nothing older than DATE")
    private static let until = OptionSpecification("--until", value: "DATE", "only older than DATE")

    private static func count(_ help: String) -> OptionSpecification {
        OptionSpecification("--count", short: "n", value: "N", help)
    }
}
