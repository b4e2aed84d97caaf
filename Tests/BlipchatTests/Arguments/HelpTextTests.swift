// The help texts: complete, and never wider than a screen.

import Arguments
import Testing

@testable import blipchat

@Suite struct HelpTextTests {
    @Test("names every command and every exit code in the overview")
    func overview() {
        for command in CommandSpecification.table where command.name != .screen {
            #expect(HelpText.overview.contains("  \(command.name.rawValue)"), "\(command.name)")
        }
        for code in 0...11 { #expect(HelpText.overview.contains("  \(code) ")) }
    }

    @Test("names every option of a command", arguments: CommandSpecification.table.map(\.name))
    func options(name: CommandName) {
        let command = CommandSpecification.of(name)
        let text = HelpText.of(command)
        for option in command.options + OptionSpecification.global { #expect(text.contains(option.usage)) }
        #expect(text.hasPrefix("Usage: blipchat"))
        for line in text.split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
    }
}
