// The options that every command of blipchat understands.

import Arguments

extension OptionSpecification {
    static let global: [OptionSpecification] = [
        .init("--data-dir", value: "DIR", "keep everything under DIR (like BLIPCHAT_HOME=DIR)"),
        .init("--profile", value: "NAME", "use another identity and history; default \"default\""),
        .init("--config", value: "FILE", "read FILE instead of config.toml"),
        .init("--json", "one JSON object per line on standard output"),
        .init("--quiet", short: "q", "print only errors on standard error"),
        .init("--verbose", short: "v", "explain on standard error what it does"),
        .init("--color", value: "auto|always|never", "colours; auto: on a terminal without NO_COLOR"),
        .init("--progress", value: "auto|bar|plain|json|none", "show file progress on standard error"),
        .init("--timeout", value: "SECONDS", "how long to wait for the peer"),
        .init("--passphrase-fd", value: "N", "read the passphrase for your key from descriptor N"),
        .init("--no-input", "never ask; fail if an answer is needed"),
        .init("--help", short: "h", "show how to use this command"),
        .init("--version", short: "V", "show which version this is"),
    ]
}
