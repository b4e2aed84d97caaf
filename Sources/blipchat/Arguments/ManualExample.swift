// The examples of the manual pages: each of them is parsed by a test as the program would parse it.

/// A command line and what it is for.
struct ManualExample: Sendable {
    let line: String
    let words: String

    static let all = [
        Self(line: "blipchat demo", words: "try it alone, with a contact that answers"),
        Self(line: "blipchat id", words: "show your address, to give it to a friend"),
        Self(
            line: "blipchat 'blip://203.0.113.7:4985/PEER-ID#bob'",
            words: "add a friend by an address, and open the chat"),
        Self(line: "blipchat bob", words: "open the chat with bob"),
        Self(line: "blipchat send bob \"on my way\"", words: "0: it is on bob's disk; 3: it goes out later"),
        Self(
            line: "blipchat send-file bob report.pdf photos/", words: "returns when bob's side has checked the files"),
        Self(line: "blipchat receive --once --accept 2G -o .", words: "wait for one file"),
        Self(line: "blipchat search --in bob invoice", words: "find a word, also offline"),
        Self(line: "blipchat serve", words: "stay connected without a screen (systemctl --user enable --now blipchat)"),
        Self(line: "blipchat backup history.sqlite", words: "copy the history while blipchat runs"),
    ]

    /// A config.toml with a little of everything.
    static let configuration = """
        name = "Jo"

        [ui]
        theme = "dark"
        list_width = 20

        [contact."bob"]
        notify = "mention"

        [keys]
        "Alt-o" = "next-unread"
        """
}
