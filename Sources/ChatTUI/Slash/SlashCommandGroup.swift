// How a slash command is run: the table of SlashCommands names the group that carries it out.

import ChatCore

/// Commands about one topic, and what carries them out.
protocol SlashCommandGroup: SendableMetatype {
    /// Carries out one of its commands.
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect])
}

/// A command as the user has entered it.
struct SlashCall {
    let verb: SlashVerb
    /// The text after the name, as it was typed.
    let arguments: String
    /// Reads the arguments one after the other.
    var scanner: ArgumentScanner { ArgumentScanner(arguments) }
    /// The question of the command before: entering that one again confirms it.
    let asked: Errand?
}

extension SlashCommand {
    /// Runs it with the text that was typed after its name.
    func run(_ arguments: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        let asked = state.place.takeAskedErrand()
        if needsArgument, !arguments.contains(where: { !$0.isWhitespace }) {
            return state.note("\(line): \(summary)", isError: true)
        }
        let call = SlashCall(verb: verb, arguments: arguments, asked: asked)
        var scanner = call.scanner
        if usage.isEmpty, !scanner.isEnd(of: line, &state) { return }
        topic.run(call, &state, &effects)
    }
}
