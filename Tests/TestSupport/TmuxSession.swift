// A terminal that a person could sit at: a pane of tmux, with its own server, in which a shell runs.

import Glibc

/// What is on the screen: rows of text without trailing blanks.
package struct TerminalScreen: Sendable, CustomStringConvertible {
    package let rows: [String]

    package func contains(_ text: String) -> Bool { rows.contains { $0.contains(text) } }
    /// The first row that contains all of `texts`.
    package func row(with texts: String...) -> String? {
        rows.first { row in texts.allSatisfy { row.contains($0) } }
    }
    package func rowIndex(with text: String) -> Int? { rows.firstIndex { $0.contains(text) } }
    package var description: String { rows.map { "|\($0)" }.joined(separator: "\n") }
}

package final class TmuxSession {
    private let socket: String
    private let folder: TemporaryDirectory
    private let environment: [String: String]

    /// Opens a pane of this size with a plain shell in it. Fails when tmux is not installed.
    package init(columns: Int = 80, rows: Int = 24, environment: [String: String]) async throws {
        folder = try TemporaryDirectory()
        socket = folder.file("tmux")
        self.environment = environment.merging([
            "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "PS1": "prompt> ", "ENV": "", "SHELL": "/bin/sh",
        ]) { _, ours in ours }
        try TestFile.write(
            """
            set -g default-terminal tmux-256color
            set -g escape-time 0
            set -g status off
            set -g history-limit 5000
            set -g remain-on-exit on

            """, to: folder.file("tmux.conf"))
        try await run(["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "/bin/sh"])
        try await waitFor("the shell's prompt") { $0.contains("prompt>") }
    }

    deinit {
        // The server ends with its last session; not waited for longer than needed.
        let command = ["tmux", "-S", socket, "kill-server"]
        if let process = try? ChildProcess(command, environment: environment, folder: folder) {
            for _ in 0..<500 where process.isRunning { usleep(10_000) }
        }
    }

    /// Presses named keys ("Enter", "M-y", "C-q", "PageUp") one after the other.
    package func press(_ keys: String...) async throws { try await run(["send-keys"] + keys) }

    /// Types text as it is.
    package func type(_ text: String) async throws { try await run(["send-keys", "-l", "--", text]) }

    /// Types a line and presses Enter.
    package func enter(_ line: String) async throws {
        try await type(line)
        try await press("Enter")
    }

    package func resize(columns: Int, rows: Int) async throws {
        try await run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Puts a fresh terminal with a fresh shell into the pane, as after closing a window and opening another.
    package func reopen() async throws {
        try await run(["respawn-pane", "-k", "/bin/sh"])
        try await waitFor("the shell's prompt") { $0.rows.first?.hasPrefix("prompt>") == true }
    }

    /// The path of the pane's terminal.
    package func device() async throws -> String {
        let text = try await run(["display-message", "-p", "#{pane_tty}"])
        return String(text.prefix { $0 != "\n" })
    }

    package func screen() async throws -> TerminalScreen {
        let text = try await run(["capture-pane", "-p"])
        return TerminalScreen(rows: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }

    /// Waits until the screen is as `condition` wants it, and returns it; the error shows the screen as it was.
    @discardableResult
    package func waitFor(
        _ what: String, timeout: Duration = patience, _ condition: (TerminalScreen) -> Bool
    ) async throws -> TerminalScreen {
        var last = TerminalScreen(rows: [])
        try await eventually(what, timeout: timeout, state: { "\(last)" }) {
            last = try await screen()
            return condition(last)
        }
        return last
    }

    @discardableResult
    private func run(_ arguments: [String]) async throws -> String {
        let command = ["tmux", "-u", "-S", socket, "-f", folder.file("tmux.conf")] + arguments
        let process = try ChildProcess(command, environment: environment, folder: folder)
        guard try await process.waitForExit() == .exited(0) else {
            throw ConditionNotMet("tmux \(arguments.joined(separator: " ")): \(process.errorOutput)")
        }
        return process.output
    }
}
