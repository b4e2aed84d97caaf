// Why no screen can be opened. Made by NcursesTerminal.start, shown by the command line on stderr.

import ChatWords

package enum TerminalError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Standard input is a file or a pipe.
    case inputIsNotATerminal
    /// Standard output is a file or a pipe.
    case outputIsNotATerminal
    /// The environment variable TERM is missing or empty.
    case typeNotSet
    /// terminfo has no entry of this name.
    case unknownType(String)
    /// The terminal cannot place its cursor ("dumb", "unknown").
    case cannotMoveCursor(String)
    /// A system call failed while the terminal was set up.
    case system(errno: Int32)

    /// Says what is wrong and what to do, in one line of plain ASCII.
    package var description: String {
        switch self {
        case .inputIsNotATerminal:
            "the screen needs a terminal as its standard input (without one: blipchat --plain, or subcommands: blipchat help)"
        case .outputIsNotATerminal:
            "the screen needs a terminal as its standard output (without one: blipchat --plain, or subcommands: blipchat help)"
        case .typeNotSet:
            "TERM is not set, so the terminal's abilities are unknown (try TERM=xterm-256color, or lines without a screen: blipchat --plain)"
        case .unknownType(let name):
            "the terminal type \"\(Self.printable(name))\" is not in the terminfo database "
                + "(install ncurses-term, try TERM=xterm-256color, or lines without a screen: blipchat --plain)"
        case .cannotMoveCursor(let name):
            "the terminal type \"\(Self.printable(name))\" cannot place the cursor (use another terminal, or lines without a screen: blipchat --plain)"
        case .system(let errno):
            "cannot set up the terminal: system error \(errno) (use subcommands: blipchat help)"
        }
    }

    /// TERM comes from outside; what is shown of it must not act.
    private static func printable(_ name: String) -> String {
        SafeText(name, as: .name).terminalString(unicode: false)
    }
}
