// `blipchat completion`: what makes a shell complete our commands.

import ChatSettings
import ChatWords

struct CompletionCommand: Command {
    let context: CommandContext

    func run() throws(CommandError) -> ExitCode {
        guard let shell = CompletionScript.Shell(rawValue: context.operand(0)) else {
            let names = CompletionScript.Shell.allCases.map(\.rawValue)
            let nearest = NearestName.to(context.operand(0), among: names).map { "did you mean \($0)?" }
            throw CommandError(
                .usage, context.operand(0), "unknown shell", advice: nearest ?? names.joined(separator: ", "))
        }
        try context.streams.write(CompletionScript.text(for: shell))
        return .done
    }
}
