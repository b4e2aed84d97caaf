// The commands and their options: the only place where the command line is described.

import ChatCore

extension CommandSpecification {
    static let table: [CommandSpecification] = talking + people + looking + keeping + configuring + running

    private static let talking: [CommandSpecification] = [
        .init(
            .screen, operands: "[ADDRESS|CONTACT]", count: 0...1, "open the chat on this terminal",
            details: """
                With an address, adds it as a contact and opens the chat; with a contact, opens the chat with it.
                Beside a running blipchat (serve, another screen) it shows the chat of that one.
                """,
            options: [
                listen,
                .init("--plain", "lines instead of a screen: for screen readers, dumb terminals and pipes"),
            ]),
        .init(
            .send, operands: "WHO [TEXT...|-]", count: 1...Int.max, "send one message and wait until it is delivered",
            details: """
                Prints the message's id. The words are joined by blanks; - reads the message from standard input.
                Without --queue it waits until the peer has stored the message, at most --timeout (10 seconds); what
                is not delivered by then stays queued and goes out whenever blipchat runs and the peer is there.
                With --lines each line that is not empty is stored, and its id printed, as it comes, also while those
                before it wait; at the end of the input it waits until all are delivered, each in its turn at most
                --timeout. With --id the same command can be given again when its outcome is not known: what is there
                under this id is not sent a second time.
                """,
            options: [
                .init("--queue", "store the message and return at once"),
                .init("--id", value: "UUID", "the id of the message, which you make (one message only)"),
                .init("--lines", "with -: each line of standard input is a message, sent as it comes"),
                .init("--require-verified", "send nothing to a contact whose key you have not compared"),
            ]),
        .init(
            .sendFile, operands: "WHO FILE...|-", count: 2...Int.max, "offer files and wait until the peer has them",
            details: """
                Without --queue it waits at most 10 seconds for the peer to get the offers, then until the files are
                transferred and verified; gives up after 10 minutes without any progress. --timeout stands for both
                times. What is offered stays queued. A folder is sent with all files in it and beneath it; links are
                left out. A file of it that cannot be sent is named, also with --quiet, and the command ends with code
                7. - sends standard input and needs --name.
                """,
            options: [
                .init("--queue", "store the offers and return at once"),
                .init("--name", value: "NAME", "offer the file under another name"),
                .init("--caption", value: "TEXT", "a line of text beside the file"),
            ]),
        .init(
            .receive, "wait for files that others offer, and take them",
            details: """
                Prints where each file is. Asks before it takes one, unless --accept says how large files may be.
                Waits for ever, or at most --timeout for the first offer. The exit code of --once says what became
                of the file.
                """,
            options: [
                .init("--from", value: "WHO", "only files from WHO"),
                .init("--once", "end when one file is here"),
                .init("--accept", value: "MAXSIZE", "take files up to this size without asking, like 500M"),
                .init("--output", short: "o", value: "DIR|-", "save in DIR; - writes one file to standard output"),
                listen,
            ]),
    ]

    private static let people: [CommandSpecification] = [
        .init(
            .id, "show your address, to give to others",
            details: "The first line is the address. Makes your key when there is none yet."),
        .init(
            .identityCode, "show your address as a QR code, to be photographed",
            details: "White on black. --json gives the rows of modules, 1 for a dark one."),
        .init(.fingerprint, "show the fingerprint of your key"),
        .init(
            .identityBackup, operands: "FILE", count: 1...1, "write your key to FILE, sealed with a passphrase",
            details: """
                Who has this file and the passphrase can be you. The passphrase is asked for on the terminal, or is the
                first line of the file that --passphrase-file names. The history is not in it: see blipchat backup.
                """,
            options: [passphraseFile]),
        .init(
            .identityRestore, operands: "FILE", count: 1...1, "take the key of a backup",
            details: """
                Your contacts know you by this key, so you are the same person to them. Use it on one machine only. No
                blipchat may run on this home meanwhile.
                """,
            options: [
                passphraseFile,
                .init("--replace", "put another key that is there aside (it is not deleted)"),
            ]),
        .init(
            .identityPassphrase, "seal your key with a passphrase, or change it",
            details: """
                Who has the disk has your key, unless it is sealed. The passphrase is then asked for once at each start
                of the screen, of serve, and of a command that has to connect by itself; beside a running blipchat
                nothing asks. For a start without a terminal it is the first line of the descriptor of --passphrase-fd,
                or the credential blipchat.passphrase of systemd. Without it nobody opens the key again: keep a backup.
                Of a sealed key --passphrase-fd gives the present passphrase and, on the next line, the new one.
                """,
            options: [.init("--remove", "take the passphrase away; the key lies open again")]),
        .init(.contactsList, "list your contacts", options: [.init("--names", "only their names, one on a line")]),
        .init(.contactsShow, operands: "WHO", count: 1...1, "show what is known of a contact"),
        .init(
            .contactsAdd, operands: "ADDRESS", count: 1...PastedAddress.most, "add somebody by their address",
            details: """
                An address is blip://HOST:PORT/PEER-ID#NAME (or ?name=NAME, in quotes) or just HOST:PORT. It is stored at
                once, whether or not they can be reached. Without a PEER-ID the first key that answers is pinned, as
                unverified.
                """,
            options: [.init("--name", value: "NAME", "what to call them")]),
        .init(
            .contactsRemoveAddress, operands: "WHO ADDRESS", count: 2...2,
            "forget an address at which a contact was called",
            details: "ADDRESS is one that contacts show lists, or its HOST:PORT."),
        .init(.contactsRename, operands: "WHO NAME", count: 2...2, "call a contact something else"),
        .init(
            .contactsRemove, operands: "WHO", count: 1...1, "remove a contact and the chat with it",
            details:
                "Asks first, unless nothing was ever written. export WHO --format json keeps a copy that can be read back.",
            options: [.yes]),
        .init(.contactsBlock, operands: "WHO", count: 1...1, "refuse everything from a contact"),
        .init(.contactsUnblock, operands: "WHO", count: 1...1, "take a contact back"),
        .init(
            .contactsVerify, operands: "WHO [NUMBER...]", count: 1...Int.max,
            "compare the safety number with a contact",
            details: """
                Without NUMBER prints the 60 digits, which are the same on both sides if nobody is in between. With the
                60 digits that the other one reads to you (blanks do not count) it compares them: equal ones make the
                contact verified; others end with code 5. Where another key answers, its number is printed as well.
                """),
        .init(
            .contactsAcceptKey, operands: "WHO [NUMBER...]", count: 1...Int.max,
            "accept the key that answers in place of a contact's known one",
            details: """
                A changed key is a new machine or installation of theirs, or somebody in between; nothing is sent until
                you decide. contacts verify WHO prints both numbers. With the 60 digits of the new one, as the other one
                reads them to you in person or by telephone, the contact is verified; other digits end with code 5 and
                change nothing. Without NUMBER the key is accepted unverified. History and queue stay. To refuse it,
                contacts block WHO.
                """),
        .init(.requestsList, "list people who want to chat with you"),
        .init(
            .requestsApprove, operands: "IDS", count: 1...1, "accept somebody as a contact: 3, or several: all, 1-4",
            options: [.init("--name", value: "NAME", "what to call them")]),
        .init(.requestsReject, operands: "IDS", count: 1...1, "forget requests"),
    ]

    private static let looking: [CommandSpecification] = [
        .init(
            .history, operands: "WHO", count: 1...1, "print a conversation, oldest message first",
            details: "Works without a network and beside a running blipchat. DATE is 2026-11-21 or RFC 3339.",
            options: [
                count("only the last N messages; with --around: N messages in all (21)"), since, until,
                .init("--around", value: "ID", "the message with this id and those before and after it"),
            ]),
        .init(
            .search, operands: "[QUERY...]", count: 0...Int.max, "find words in all conversations, newest first",
            details: """
                All words must occur; a word also finds longer ones that begin with it, and parts of words where none
                begins so. "a phrase" stays together, -word leaves messages out (a query that begins with one stands
                behind --: search -- -word other). Filters: from:NAME from:me in:NAME
                has:file has:link after:DAY before:DAY on:DAY is:unread; a DAY is 2026-11-21, 2026-11, today or
                yesterday. Works without a network.
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
            .watch, operands: "[WHO]", count: 0...1, "follow what happens, like tail -f",
            details: """
                Prints messages, files, who comes and goes, requests; with WHO only what concerns them. Follows the
                running blipchat, else connects itself. Ends with a signal,
                and when the blipchat ends that it follows.
                """,
            options: [listen]),
        .init(
            .transfersList, "list files that were offered, newest first",
            options: [.init("--unfinished", "only those that still run or wait")]),
        .init(
            .transfersAccept, operands: "NUMBERS", count: 1...1,
            "accept an offered file: 8, or several: all, 4-23, 4,6",
            options: [.init("--into", value: "DIR", "save it in DIR instead of the downloads folder")]),
        .init(.transfersDecline, operands: "NUMBERS", count: 1...1, "decline offered files, as accept names them"),
        .init(.transfersPause, operands: "NUMBERS", count: 1...1, "pause transfers"),
        .init(.transfersResume, operands: "NUMBERS", count: 1...1, "go on with paused transfers"),
        .init(.transfersCancel, operands: "NUMBERS", count: 1...1, "give transfers up"),
        .init(
            .transfersLimit, operands: "up|down|NUMBER RATE|off", count: 2...2, "limit how fast files move",
            details: """
                RATE is in bytes per second, like 500k (500,000; k, M, G are powers of 1000, Ki, Mi, Gi of 1024). It
                holds until the running blipchat ends; limit_up and limit_down in the section [net] of config.toml
                hold always.
                """),
        .init(.transfersWatch, "follow the transfers, like watch"),
    ]

    private static let keeping: [CommandSpecification] = [
        .init(
            .export, operands: "[WHO]", count: 0...1, "write the history, or one conversation, to a file",
            details: """
                text and html are for people; json has everything and can be read back by blipchat import. The same
                history gives the same bytes.
                """,
            options: [
                .init("--format", value: "text|json|html", "as what (text; json with --json)"),
                .init("--output", short: "o", value: "PATH", "where to; - is standard output (standard)"),
                .init("--files", "copy the files as well, to PATH.files"),
            ]),
        .init(
            .importHistory, operands: "FILE", count: 1...1, "add what an export in json has and this history has not",
            details: """
                Ids are kept, so importing twice changes nothing. Nothing of it is sent. Contacts are added as unverified
                and called like others when blipchat runs: who does not know your key sees a contact request.
                What is imported into a history with messages stands before them. Asks before it adds contacts to those
                that you have.
                """,
            options: [.yes]),
        .init(
            .forget, operands: "WHO [ID...]", count: 1...Int.max, "delete messages from this machine, for good",
            details: """
                With IDs these messages, else what --before or --all says. The text is taken out of the file, of the
                search index and of free space. The peer keeps what they have; /delete in the chat takes back an own
                message on both sides.
                """,
            options: [
                .init("--before", value: "DATE", "everything that was stored before DATE"),
                .init("--all", "the whole conversation; the contact stays"),
            ]),
        .init(
            .keep, operands: "WHO [DAYS|forever|default]", count: 1...2, "say how long a conversation is kept",
            details: """
                Without a time, shows it. Older messages are deleted for good, at the start and every six hours; what
                is not delivered yet stays. "default" goes back to config.toml: [history] keep, and keep in
                [contact."NAME"], which is "forever" unless it is set.
                """),
        .init(
            .backup, operands: "FILE", count: 1...1, "copy the history to a new file, while blipchat runs or not",
            details: "The copy is checked and complete when this returns. Your key is not in it: see blipchat id."),
        .init(
            .restore, operands: "FILE", count: 1...1, "put a copy made by blipchat backup in the place of the history",
            details: "The history that was there is kept beside it. No blipchat may run on this home."),
        .init(
            .doctor, "check the home: settings, key, history, search index, files, disk",
            details: """
                Says what was found and what to do. Returns 0 when nothing is broken, 9 when the history is, 7 for
                permissions and the disk, 2 for the settings. Changes nothing without --fix or --recover.
                """,
            options: [
                .init("--fix", "put right what can be: search index, counts, leftovers, permissions"),
                .init("--recover", "save what can be read of a damaged history into a new one; the old one is kept"),
            ]),
    ]

    private static let configuring: [CommandSpecification] = [
        .init(
            .configurationList, "print all settings with their values",
            options: [.init("--set", "only those that config.toml sets")]),
        .init(
            .configurationGet, operands: "KEY", count: 1...1, "print the value of a setting",
            details: "Returns 1 when it is not set and has no default."),
        .init(
            .configurationSet, operands: "KEY VALUE", count: 2...Int.max, "change a setting in config.toml",
            details: """
                Comments and the order of the file stay. Keys are like ui.theme, contact."Ann Lee".notify and
                keys."Alt-/". A blipchat that runs takes it over at /reload or on SIGHUP.
                """),
        .init(
            .configurationUnset, operands: "KEY", count: 1...1, "take a setting out of config.toml",
            details: "Returns 1 when it was not set."),
        .init(.configurationPath, "print where config.toml is"),
        .init(
            .configurationCheck, "check config.toml and the theme",
            details: "Prints every error as file:line:column with what to do, and returns 2 when there is one."),
        .init(
            .configurationTheme, operands: "[NAME]", count: 0...1, "print a theme as a file, or the names of all",
            details: "Start your own with: blipchat config theme dark > ~/.config/blipchat/themes/mine.toml"),
    ]

    private static let running: [CommandSpecification] = [
        .init(
            .serve, "run without a screen: keep connections, deliver, receive",
            details: """
                Prints "listening HOST:PORT" when it is ready and runs until SIGTERM or SIGINT. Other commands on the
                same home go through it.
                """,
            options: [
                listen,
                .init("--accept-requests", "accept everybody who asks (for tests and bots)"),
                .init("--accept-files", value: "MAXSIZE", "accept offered files up to this size, like 500M"),
                .init("--foreground", "as always: it stays in the foreground, for a service manager to watch"),
            ]),
        .init(
            .status, operands: "[WHO]", count: 0...1, "say who is connected and what is queued",
            details: """
                With --wait online it returns when WHO is online, or anybody without WHO: at once, later, or with code 1
                after --timeout (it waits for ever without).
                """,
            options: [.init("--wait", value: "online", "wait until somebody is online")]),
        .init(
            .demo, "try it alone: a chat with a second blipchat in the same process",
            details: "Everything is in a temporary folder that is removed at the end."),
        .init(
            .manual, operands: "[config]", count: 0...1, "print the manual page blipchat(1), or blipchat-config(5)",
            details: "Read it with: blipchat manual | man -l -"),
        .init(
            .completion, operands: "bash|zsh|fish", count: 1...1, "print what makes your shell complete blipchat",
            details: """
                bash:  blipchat completion bash > ~/.local/share/bash-completion/completions/blipchat
                zsh:   blipchat completion zsh > DIR/_blipchat, with DIR in fpath before compinit
                fish:  blipchat completion fish > ~/.config/fish/completions/blipchat.fish
                """),
        .init(.version, "say which version this is"),
        .init(.help, operands: "[COMMAND...]", count: 0...2, "say how a command is used"),
    ]

    private static let listen = OptionSpecification(
        "--listen", value: "HOST:PORT", "where others reach you; port 0 is any free one")
    private static let passphraseFile = OptionSpecification(
        "--passphrase-file", value: "FILE", "read the passphrase from FILE (- for standard input)")
    private static let since = OptionSpecification("--since", value: "DATE", "not older than DATE")
    private static let until = OptionSpecification("--until", value: "DATE", "older than DATE")

    private static func count(_ help: String) -> OptionSpecification {
        OptionSpecification("--count", short: "n", value: "N", help)
    }
}
