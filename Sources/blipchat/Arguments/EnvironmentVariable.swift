// The variables that blipchat reads, for the manual page; a test finds each of them in the sources.

/// A variable and what it does.
struct EnvironmentVariable: Sendable {
    let name: String
    let words: String

    static let all = [
        Self(name: "BLIPCHAT_HOME", words: "the folder that holds everything, like --data-dir"),
        Self(name: "HOME", words: "where files are when BLIPCHAT_HOME is not set"),
        Self(
            name: "XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR",
            words: "other places for settings, history, log and socket"),
        Self(name: "USER, LOGNAME", words: "the name that others see, unless you choose one"),
        Self(name: "PATH", words: "where tor and other programs are that it starts"),
        Self(name: "NO_COLOR", words: "anything: no colours"),
        Self(name: "TERM, TERM_PROGRAM, VTE_VERSION, TMUX, STY", words: "what the terminal can do"),
        Self(name: "LC_ALL, LC_CTYPE, LANG", words: "whether the terminal takes UTF-8"),
        Self(name: "VISUAL, EDITOR", words: "what Alt-e opens"),
        Self(
            name: "https_proxy, HTTPS_PROXY, no_proxy, NO_PROXY",
            words: "the proxy for calls, when net.proxy is \"environment\""),
        Self(name: "TMPDIR", words: "where demo keeps its files"),
        Self(name: "CREDENTIALS_DIRECTORY", words: "where systemd puts the passphrase of your key"),
        Self(
            name: "NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID, LISTEN_FDS, LISTEN_PID, JOURNAL_STREAM",
            words: "what systemd tells serve"),
    ]
}
