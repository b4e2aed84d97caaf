// `blipchat completion`: what makes a shell complete our commands.

extension CommandRunner {
    func printCompletion() throws(CommandError) -> ExitCode {
        guard let shell = CompletionScript.Shell(rawValue: operand(0)) else {
            let names = CompletionScript.Shell.allCases.map(\.rawValue)
            let nearest = NearestName.to(operand(0), among: names).map { "did you mean \($0)?" }
            throw CommandError(
                .usage, operand(0), "unknown shell", advice: nearest ?? names.joined(separator: ", "))
        }
        try streams.write(CompletionScript.text(for: shell))
        return .done
    }
}
