// `blipchat help`, `blipchat manual` and `blipchat version`.

import Arguments
import BLIPNet
import ChatHost
import ChatSettings
import ChatWords

struct HelpCommand: Command {
    let context: CommandContext

    func run() throws(CommandError) -> ExitCode {
        let words = context.arguments.operands
        let title = words.joined(separator: " ")
        if words.isEmpty {
            try context.streams.write(HelpText.overview)
        } else if let command = CommandSpecification.table.first(where: { $0.name.rawValue == title }) {
            try context.streams.write(HelpText.of(command))
        } else if let group = words.first, words.count == 1, CommandName.defaultsOfGroups[group] != nil {
            let members = CommandSpecification.table.filter { $0.name.words.first.map(String.init) == group }
            try context.streams.write(HelpText.of(group: group, members))
        } else {
            let names = CommandSpecification.table.map(\.name.rawValue)
            let nearest = NearestName.to(title, among: names).map { "did you mean \($0)?" }
            throw CommandError(.usage, title, "no such command", advice: nearest ?? "see blipchat help")
        }
        return .done
    }
}

struct ManualCommand: Command {
    let context: CommandContext

    func run() throws(CommandError) -> ExitCode {
        let word = context.arguments.operands.first ?? ManualPage.program.rawValue
        guard let page = ManualPage(rawValue: word) else {
            let names = ManualPage.allCases.map(\.rawValue)
            let nearest = NearestName.to(word, among: names).map { "did you mean \($0)?" }
            throw CommandError(
                .usage, word, "there is no such page", advice: nearest ?? "one of: " + names.joined(separator: ", "))
        }
        try context.streams.write(page.source())
        return .done
    }
}

struct VersionCommand: Command {
    let context: CommandContext

    func run() throws(CommandError) -> ExitCode {
        if context.isJSON {
            try context.streams.json(.record(["v": 1, "type": "version", "version": .string(Version.text)]))
        } else {
            try context.streams.line("blipchat \(Version.text)")
        }
        return .done
    }
}
