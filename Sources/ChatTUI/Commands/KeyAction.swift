// What a bound key does: a command of the table, or a slash command that the user bound to it.

import ChatWords

/// The right side of a binding.
enum KeyAction: Sendable, Hashable {
    case command(AppCommand)
    /// A line that begins with `/`, run as if it was entered.
    case line(String)

    /// As `/bind` writes it.
    var name: String {
        switch self {
        case .command(let command): command.name
        case .line(let line): line
        }
    }

    var command: AppCommand? {
        if case .command(let command) = self { command } else { nil }
    }
}
