// `blipchat help`, `blipchat manual` and `blipchat version`.

extension CommandRunner {
    func printHelp() throws(CommandError) -> ExitCode {
        let words = arguments.operands
        let title = words.joined(separator: " ")
        if words.isEmpty {
            try streams.write(HelpText.overview)
        } else if let command = CommandSpecification.table.first(where: { $0.name.rawValue == title }) {
            try streams.write(HelpText.of(command))
        } else if let group = words.first, words.count == 1, CommandName.defaultsOfGroups[Substring(group)] != nil {
            let members = CommandSpecification.table.filter { $0.name.words.first.map(String.init) == group }
            try streams.write(HelpText.of(group: group, members))
        } else {
            let names = CommandSpecification.table.map(\.name.rawValue)
            let nearest = NearestName.to(title, among: names).map { "did you mean \($0)?" }
            throw CommandError(.usage, title, "no such command", advice: nearest ?? "see blipchat help")
        }
        return .done
    }

    func printManual() throws(CommandError) -> ExitCode {
        switch arguments.operands.first {
        case nil: try streams.write(ManualPage.program)
        case "config": try streams.write(ManualPage.configuration)
        case let word?:
            throw CommandError(
                .usage, word, "there is no such page", advice: "try blipchat manual, or blipchat manual config")
        }
        return .done
    }

    func printVersion() throws(CommandError) -> ExitCode {
        if isJSON {
            try streams.json(.record(["v": 1, "type": "version", "version": .string(Version.text)]))
        } else {
            try streams.line("blipchat \(Version.text)")
        }
        return .done
    }
}
