// The command line of blipchat, by its table: which words mean what, and what is said about wrong ones.

import Arguments
import ChatSettings
import TestSupport
import Testing

@testable import blipchat

@Suite struct ArgumentParserTests {
    private func parse(_ line: String) throws -> ParsedArguments<CommandName> {
        try CommandContext.arguments(of: line.split(separator: " ").map(String.init))
    }

    private func sentence(_ words: [String]) -> String {
        do throws(CommandError) {
            return "parsed: \(try CommandContext.arguments(of: words))"
        } catch {
            #expect(error.exit == .usage)
            return error.sentence
        }
    }

    @Test("opens the screen without words, with an address or with a contact")
    func screen() throws {
        #expect(try parse("") == ParsedArguments(command: .screen))
        #expect(try parse("blip://h:1").operands == ["blip://h:1"])
        #expect(try parse("alice --listen [::]:0").options == ["--listen": "[::]:0"])
    }

    @Test("finds every command of the table by its words")
    func everyCommand() throws {
        for specification in CommandSpecification.table {
            let operands = Array(repeating: "7", count: specification.operandCount.lowerBound)
            let parsed = try CommandContext.arguments(of: specification.name.words.map(String.init) + operands)
            #expect(parsed.command == specification.name)
            #expect(parsed.operands == operands)
        }
        #expect(Set(CommandSpecification.table.map(\.name)) == Set(CommandName.allCases))
    }

    @Test("takes the usual member of a group when only the group is named")
    func groups() throws {
        #expect(try parse("contacts").command == .contactsList)
        #expect(try parse("--json id").command == .id)
        #expect(try parse("id fingerprint").command == .fingerprint)
    }

    @Test("takes options before, between and behind the other words, with = and in short form")
    func optionPlaces() throws {
        let wanted = ParsedArguments<CommandName>(
            command: .history, options: ["--json": "", "--data-dir": "/d", "--count": "5"], operands: ["bob"])
        #expect(try parse("--data-dir /d --json history -n 5 bob") == wanted)
        #expect(try parse("history bob -n5 --data-dir=/d --json") == wanted)
        #expect(try parse("--count=5 history --json --data-dir /d bob") == wanted)
    }

    @Test("keeps a value that looks like an option or a command")
    func values() throws {
        #expect(try parse("contacts add h:1 --name history").options["--name"] == "history")
        #expect(try parse("--profile send history bob").command == .history)
        #expect(try parse("contacts add h:1 --name=").options["--name"] == "")
    }

    @Test("asks for help of the whole, of a group and of a command")
    func help() throws {
        #expect(try parse("--help") == ParsedArguments(command: .help))
        #expect(try parse("contacts --help").operands == ["contacts"])
        #expect(try parse("contacts add -h").operands == ["contacts", "add"])
        #expect(try parse("history bob --bad --help").operands == ["history"])
        #expect(try parse("--version").command == .version)
    }

    @Test("suggests the nearest option or command in one line")
    func suggestions() {
        #expect(sentence(["--jsno"]) == "blipchat: --jsno: unknown option (did you mean --json?)")
        #expect(
            sentence(["contacts", "lsit"]) == "blipchat: contacts lsit: no such command (did you mean contacts list?)")
        #expect(ArgumentParser.blipchat.unknownCommand("hsitory").advice == "did you mean history?")
        #expect(ArgumentParser.blipchat.unknownCommand("zzzzzzzz").advice == "see blipchat help and blipchat contacts")
    }

    @Test(
        "refuses wrong use in one safe line",
        arguments: [
            ["history"], ["history", "a", "b"], ["--json=1", "id"], ["history", "bob", "-n"], ["send", "a", "-x"],
            ["completion"], ["id", "qx"], ["--", "a", "b"], ["-\u{1B}[31m"], ["--\n"], ["-="],
            ["contacts", "\u{202E}x"], ["--data-dir"], ["help", "a", "b", "c"],
        ])
    func wrongUse(words: [String]) {
        let sentence = sentence(words)
        #expect(sentence.hasPrefix("blipchat: "))
        #expect(sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0x202E })
    }
}
