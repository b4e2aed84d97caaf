// Docs/guide.md: what it calls a command, a key or a setting is one.

import Arguments
import ChatSettings
import ChatTUI
import TestSupport
import Testing

@testable import blipchat

@Suite struct GuideTests {
    private static let guide = TestFile.text(TestFile.repository + "/Docs/guide.md")
    /// Without the left columns of "Switching to", which have commands of other programs.
    private static let own = guide.split(separator: "\n").map { line in
        line.hasPrefix("| ") && isOfOthers(line)
            ? line.split(separator: "|").dropFirst().joined() : String(line)
    }.joined(separator: "\n")

    /// Whether the line comes after the heading of the last section.
    private static func isOfOthers(_ line: Substring) -> Bool {
        guide.ranges(of: "## Switching to").first.map { line.startIndex > $0.upperBound } ?? false
    }

    private static func codes() -> [Substring] {
        own.matches(of: /`([^`\n]+)`/).map(\.output.1)
    }

    @Test("each slash command exists")
    func slashCommands() {
        let known = Set(
            ScreenManual.commands.flatMap(\.entries).flatMap { entry in
                "\(entry.label) \(entry.words)".matches(of: /\/[a-z]+/).map(\.output)
            })
        let named = Self.codes().filter { $0.wholeMatch(of: /\/[a-z]+( .*)?/) != nil }
        #expect(named.count > 20)
        for command in named { #expect(known.contains(command.prefix { $0 != " " }), "\(command)") }
    }

    @Test("each key exists")
    func keys() {
        let known = Set(
            ScreenManual.keys.flatMap(\.entries).flatMap { $0.label.matches(of: /[A-Za-z]+-?[a-z0-9]?/).map(\.output) })
        let named = Self.own.matches(of: /\b(?:Alt|Ctrl)-[a-z]\b|\bF[0-9]\b/).map(\.output)
        #expect(named.count > 8)
        for key in named { #expect(known.contains(key), "\(key)") }
    }

    @Test("each command line is understood")
    func commandLines() {
        let lines = Self.codes().filter { $0.hasPrefix("blipchat ") && !$0.contains("already running") }
        #expect(lines.count > 8)
        for line in lines {
            let words = line.split(separator: " ").dropFirst().map(String.init)
            // `blipchat send` alone is the name of a command.
            if CommandSpecification.table.contains(where: { $0.name.rawValue == words.joined(separator: " ") }) {
                continue
            }
            #expect(throws: Never.self, "\(line)") { try ArgumentParser.blipchat.parse(words) }
        }
    }

    @Test("each setting exists")
    func settings() {
        let known = Set(Setting.all.map(\.key))
        let named = Self.codes().filter { $0.wholeMatch(of: /(?:net|ui|security|reach|notify)\.[a-z_]+/) != nil }
        #expect(named.count > 1)
        for setting in named { #expect(known.contains(String(setting)), "\(setting)") }
    }
}
