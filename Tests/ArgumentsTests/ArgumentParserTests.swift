// Command lines of an invented program: which words mean what, and what is said about wrong ones.

import Arguments
import TestSupport
import Testing

/// The commands of the invented program.
private enum Name: String, CommandWords {
    case open = ""
    case fetch
    case peopleList = "people list"
    case peopleAdd = "people add"
    case version
    case help
}

@Suite struct ArgumentParserTests {
    private let parser = {
        var parser = ArgumentParser<Name>(
            program: "try",
            commands: [
                CommandSpecification(.open, operands: "[FILE]", count: 0...1, "open"),
                CommandSpecification(
                    .fetch, operands: "URL", count: 1...1, "fetch",
                    options: [
                        OptionSpecification("--big", short: "b", value: "BYTES", "size"),
                        OptionSpecification("--what", value: "NAME", required: true, "what"),
                        OptionSpecification("--when", value: "now|later", "when"),
                    ]),
                CommandSpecification(.peopleList, "list"),
                CommandSpecification(.peopleAdd, operands: "NAME...", count: 1...Int.max, "add"),
                CommandSpecification(.version, "version"),
                CommandSpecification(.help, operands: "[COMMAND...]", count: 0...2, "help"),
            ],
            globalOptions: [
                OptionSpecification("--json", "records"), OptionSpecification("--version", short: "V", "version"),
            ], help: .help)
        parser.commandOptions = ["--version": .version]
        parser.defaultsOfGroups = ["people": .peopleList]
        return parser
    }()

    private func parse(_ line: String) throws(UsageError) -> ParsedArguments<Name> {
        try parser.parse(line.split(separator: " ").map(String.init))
    }

    private func sentence(_ words: [String], _ parser: ArgumentParser<Name>? = nil) -> String {
        do throws(UsageError) { return "parsed: \(try (parser ?? self.parser).parse(words))" } catch {
            return "\(error.subject): \(error.reason)" + (error.advice.map { " (\($0))" } ?? "")
        }
    }

    @Test("finds a command by one word, by two, by its group and by none")
    func commands() throws {
        #expect(try parse("") == ParsedArguments(command: .open))
        #expect(try parse("some-file") == ParsedArguments(command: .open, operands: ["some-file"]))
        #expect(try parse("people") == ParsedArguments(command: .peopleList))
        #expect(try parse("people add eve bob") == ParsedArguments(command: .peopleAdd, operands: ["eve", "bob"]))
        #expect(try parse("--json people --version").command == .version)
    }

    @Test("takes options before, between and behind the other words, with = and in short form; the last one counts")
    func optionPlaces() throws {
        let wanted = ParsedArguments<Name>(
            command: .fetch, options: ["--json": "", "--what": "x", "--big": "5"], operands: ["url"])
        #expect(try parse("--what x --json fetch -b 5 url") == wanted)
        #expect(try parse("fetch url -b5 --what=x --json") == wanted)
        #expect(try parse("--big=5 fetch --json --what y --what x url") == wanted)
    }

    @Test("takes words behind -- as they are, - as an operand, and a value that looks like an option")
    func endOfOptions() throws {
        #expect(try parse("fetch --what x -- --big").operands == ["--big"])
        #expect(try parse("fetch --what x -").operands == ["-"])
        #expect(try parse("fetch --what --json url").options == ["--what": "--json"])
        #expect(try parse("fetch --what= url").text("--what") == "")
    }

    @Test("asks for help of the whole, of a group and of a command, whatever else is wrong")
    func help() throws {
        #expect(try parse("--help") == ParsedArguments(command: .help))
        #expect(try parse("people -h").operands == ["people"])
        #expect(try parse("people add --bad --help").operands == ["people", "add"])
        #expect(try parse("people add -- --help").command == .peopleAdd)
    }

    @Test(
        "names the word that is wrong or missing, and what to do",
        arguments: [
            ("fetch url", "--what: missing, NAME is needed (usage: try fetch [OPTIONS] --what NAME URL)"),
            ("fetch --what x", "try fetch: an argument is missing (usage: try fetch [OPTIONS] --what NAME URL)"),
            ("fetch url --what", "--what: needs a value (--what NAME)"),
            ("fetch url -b", "--big: needs a value (-b, --big BYTES)"),
            (
                "fetch url --bgi 5",
                "--bgi: unknown option (see try fetch --help, or put -- before words that begin with -)"
            ),
            ("people list -x", "-x: unknown option (see try people list --help)"),
            ("people lsit", "people lsit: no such command (one of: list, add)"),
            (
                "fetch url --what x more",
                "more: unexpected argument (usage: try fetch [OPTIONS] --what NAME URL)"
            ),
            ("people --json=1", "--json: takes no value (leave out the = and the rest)"),
            ("fetch url --what x --when never", "--when never: not a valid value (give now, later)"),
        ])
    func wrong(line: String, sentence: String) {
        #expect(self.sentence(line.split(separator: " ").map(String.init)) == sentence)
    }

    @Test("suggests the nearest word where the program knows one")
    func suggestions() {
        var parser = parser
        parser.nearest = { word, candidates in candidates.first { $0.count == word.count } }
        #expect(sentence(["people", "lsit"], parser) == "people lsit: no such command (did you mean people list?)")
        #expect(sentence(["fetch", "--jsno"], parser) == "--jsno: unknown option (did you mean --what?)")
        #expect(sentence(["fetsh", "url"], parser) == "fetsh: no such command (did you mean fetch?)")
        #expect(
            sentence(["fetch", "url", "--what=x", "--when=nwo"], parser)
                == "--when nwo: not a valid value (give now, later, perhaps now)")
    }

    @Test("needs a command where the program does nothing without one")
    func missingCommand() throws {
        let parser = ArgumentParser<Name>(
            program: "try", commands: [CommandSpecification(.version, "version")], globalOptions: [], help: .help)
        #expect(sentence([], parser) == "COMMAND: missing")
        #expect(sentence(["vresion"], parser) == "vresion: no such command")
        #expect(try parser.parse(["--help"]) == ParsedArguments(command: .help))
    }

    @Test(
        "refuses what is no number within the limits",
        arguments: ["", "x", "-1", "+1", "1e3", "10", "99999999999999999999"])
    func numbers(text: String) throws {
        let arguments = try parser.parse(["fetch", "--big=\(text)", "--what=x", "url"])
        #expect(
            throws: UsageError("--big \(text)", "not a valid value", advice: "give a number from 0 to 9")
        ) { try arguments.number("--big", in: 0...9) }
        #expect(try parse("fetch --big 9 --what x url").number("--big", in: 0...9) == 9)
        #expect(try parse("fetch --what x url").number("--big", in: 0...9) == nil)
    }

    @Test("survives any words", arguments: 0..<300)
    func anyWords(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let pieces = [
            "-", "--", "=", "b", "--what", "--big", "-b", "fetch", "people", "add", "", "\u{0}", "é\u{301}", "--json",
            "🇩🇪", "\r\n", "--when", "9", "-V", "help", "--help=1", "\u{1B}",
        ]
        let words = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
            (0..<Int.random(in: 1...3, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
                .joined()
        }
        _ = try? parser.parse(words)
    }
}
