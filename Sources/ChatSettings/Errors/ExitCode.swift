// The exit codes of PRODUCT: what a script learns from `$?`.

/// The exit code of the process.
package enum ExitCode: Int32, Sendable, CaseIterable {
    /// Done; for `send`: on the peer's disk.
    case done = 0
    /// No result, or a negative answer.
    case negative = 1
    /// Wrong usage, or an answer is needed that nobody can give.
    case usage = 2
    /// Queued, but not delivered before the time-out.
    case queued = 3
    /// Refused by the peer.
    case refused = 4
    /// The peer is not who it should be.
    case identity = 5
    /// The bytes that arrived are not the bytes that were sent.
    case integrity = 6
    /// The local disk, terminal or permissions.
    case localIO = 7
    /// The network, or a peer that breaks the protocol.
    case network = 8
    /// The history is locked by another process, damaged, or from a newer version.
    case store = 9
    /// No such contact, request, transfer or message.
    case notFound = 10
    /// The passphrase of a key or of a backup is wrong.
    case passphrase = 11
    /// Standard output was closed by its reader (as if SIGPIPE had ended us); says nothing.
    case brokenPipe = 141
    /// The screen's terminal is gone (SIGHUP).
    case hangUp = 129
    /// Ended by SIGINT.
    case interrupted = 130
    /// Ended by SIGTERM.
    case terminated = 143

    /// The line in the help texts; `nil` for codes that need no explaining.
    package var meaning: String? {
        switch self {
        case .done: "done (send: on the peer's disk; serve: a signal ended it cleanly)"
        case .negative: "no result or a negative answer (also: you have blocked the contact)"
        case .usage: "wrong usage, or input needed"
        case .queued: "queued, not delivered before --timeout"
        case .refused: "refused by the peer"
        case .identity: "the peer has a different key"
        case .integrity: "the file arrived damaged"
        case .localIO: "local disk, terminal or permission (also: files of a folder were not sent)"
        case .network: "network or protocol"
        case .store: "history locked or damaged"
        case .notFound: "no such contact, request, transfer or message"
        case .passphrase: "the passphrase is wrong"
        case .interrupted: "ended by SIGINT (not serve)"
        case .terminated: "ended by SIGTERM (not serve)"
        case .brokenPipe, .hangUp: nil
        }
    }
}
