// A person at a terminal: blipchat's screen in a pane of tmux.

import Glibc
import TestSupport
import Testing

final class Screen {
    let home: BlipchatHome
    let tmux: TmuxSession

    /// Opens a terminal and starts blipchat in it, through the first-run page where there is no key yet.
    init(_ home: BlipchatHome, port: UInt16 = 0, columns: Int = 80, rows: Int = 24) async throws {
        self.home = home
        tmux = try await TmuxSession(columns: columns, rows: rows, environment: home.environment)
        try await start(port: port)
    }

    func start(port: UInt16 = 0) async throws {
        let isFirst = TestFile.size(home.path + "/identity.key") == nil
        try await tmux.enter("clear; \(home.command) --listen 127.0.0.1:\(port); echo exit=$?")
        if isFirst {
            try await tmux.waitFor("the first-run page") { $0.contains("Welcome to blipchat") }
            try await tmux.press("Enter")
        }
        try await tmux.waitFor("the main screen") { $0.contains("F1 help") && !$0.contains("Welcome to blipchat") }
    }

    /// Leaves with Ctrl-q and waits for the shell.
    func quit() async throws {
        try await tmux.press("C-q")
        try await tmux.waitFor("the shell is back") { $0.contains("exit=0") }
    }

    /// Kills the program as a crash would. What it leaves of its terminal is closed, and a new one opened.
    func kill() async throws {
        let number = try #require(try await home.status().pid)
        Glibc.kill(Int32(number), SIGKILL)
        try await tmux.waitFor("the shell is back") { $0.contains("exit=137") }
        try await tmux.reopen()
    }

    /// The port at which this side takes calls.
    func port() async throws -> UInt16 {
        try #require(UInt16(try await home.status().listening?.split(separator: ":").last ?? ""))
    }

    /// Waits for a line of the chat that has all of `parts`.
    func waitForLine(_ parts: String...) async throws {
        try await tmux.waitFor("a line with \(parts)") { screen in
            screen.rows.contains { row in parts.allSatisfy { row.contains($0) } }
        }
    }
}

/// Two people who know each other: the first has added the second by address, and has been approved on the screen.
struct TwoScreens {
    let alice: Screen
    let bob: Screen

    /// With `givesKey` alice has bob's whole address, else only host and port: the key that answers is pinned.
    init(givesKey: Bool = true) async throws {
        bob = try await Screen(BlipchatHome("bob"))
        alice = try await Screen(BlipchatHome("alice"))
        let address = try await bob.home.address()
        let place = address.split(separator: "/").dropFirst().first.map(String.init) ?? ""
        try await alice.tmux.enter("/add \(givesKey ? address : "blip://\(place)?name=bob")")
        try await alice.tmux.waitFor("the new contact") { $0.row(with: "bob") != nil }
        try await bob.tmux.waitFor("the request") { $0.contains("CONTACT REQUEST") }
        try await bob.tmux.enter("/approve alice")
        try await bob.tmux.waitFor("the approved contact") { $0.row(with: "alice", "online") != nil }
        try await alice.tmux.waitFor("the approval") { $0.row(with: "bob", "online") != nil }
    }
}
