// The manual pages: complete, and source that troff reads as it is meant.

import Arguments
import ChatSettings
import TestSupport
import Testing

@testable import blipchat

@Suite struct ManualPageTests {
    private func escaped(_ text: String) -> String { text.replacing("-", with: "\\-") }

    @Test("every command with its options is in blipchat(1)", arguments: CommandSpecification.table.map(\.name))
    func commands(name: CommandName) {
        let command = CommandSpecification.of(name)
        if name != .screen { #expect(ManualPage.program.contains(escaped(HelpText.usage(command)))) }
        for option in command.options { #expect(ManualPage.program.contains(escaped(option.usage))) }
    }

    @Test("every setting is in blipchat-config(5) and in the document", arguments: Setting.all.map(\.key))
    func settings(key: String) {
        #expect(ManualPage.configuration.contains(".B \"\(escaped(key))\""))
        let document = TestFile.text(TestFile.repository + "/Docs/settings.md")
        #expect(key.hasPrefix("limits.") || document.contains("`\(key)`"), "\(key) is not in Docs/settings.md")
    }

    @Test(
        "no line begins with what troff would take for a request",
        arguments: [ManualPage.program, ManualPage.configuration])
    func requests(page: String) {
        let macros: Set<Substring> = [".TH", ".SH", ".TP", ".B", ".RS", ".RE", ".br"]
        for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(macros.contains(line.prefix { $0 != " " }), "\(line)")
        }
    }
}
