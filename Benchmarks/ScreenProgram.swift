// The programs whose screens are measured: how each is started in a home of its own, and what its first picture shows.

internal import TestSupport

/// A program with a screen, ready to be started.
struct ScreenProgram {
    let name: String
    let command: [String]
    let environment: [String: String]
    /// Words that are there once the input line can be used.
    let mark: String
    /// What ends it when it is typed.
    let quit: String
    /// Words of the newest message, which stand in the first picture.
    var content: String?

    /// blipchat with one contact and some lines of history, and what is installed of weechat, irssi and profanity, as
    /// Debian ships them. All have been started once, so that their first files are there.
    static func all(in folder: TemporaryDirectory) async throws -> (programs: [ScreenProgram], left: [String]) {
        var programs: [ScreenProgram] = []
        var left: [String] = []
        for candidate in rivals {
            guard ChildProgram.find(candidate.command) != nil else {
                left.append("\(candidate.command) is left out: it is not installed")
                continue
            }
            let home = try folder.makeFolder(candidate.command)
            programs.append(
                ScreenProgram(
                    name: candidate.command, command: [candidate.command] + candidate.options(home),
                    environment: environment(home: home), mark: candidate.mark, quit: candidate.quit))
        }
        for program in programs {
            let terminal = try program.start()
            try terminal.waitFor(program.mark)
            terminal.settle()
            try terminal.quit(program.quit)
        }
        return (programs, left)
    }

    private struct Rival: Sendable {
        let command: String
        let mark: String
        let quit: String
        let options: @Sendable (String) -> [String]
    }

    private static let rivals = [
        Rival(command: "weechat", mark: "1:weechat", quit: "/quit\r") { ["--dir", $0] },
        Rival(command: "irssi", mark: "[(status)]", quit: "/quit\r") { ["--home=\($0)/irssi", "--noconnect"] },
        Rival(command: "profanity", mark: "/help", quit: "/quit\r") { _ in [] },
    ]

    static func environment(home: String) -> [String: String] {
        [
            "HOME": home, "USER": "me", "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "TERM": "xterm-256color",
        ]
    }

    func start() throws -> MeasuredTerminal { try MeasuredTerminal(command, environment: environment) }
}

/// A program that writes back what is typed, and does nothing else: no screen is sooner than that.
extension ScreenProgram {
    static let nothing = ScreenProgram(
        name: "cat", command: ["/bin/sh", "-c", "stty -icanon -echo && echo ready && exec cat"],
        environment: environment(home: "/nonexistent"), mark: "ready", quit: "\u{3}")
}

/// blipchat in a home that is there already.
extension ScreenProgram {
    static func blipchat(_ home: BlipchatHome, content: String? = nil) -> ScreenProgram {
        ScreenProgram(
            name: "blipchat", command: [home.command], environment: home.environment, mark: "F1 help", quit: "\u{11}",
            content: content)
    }
}
