// Docs/scripting.md has every exit code of the program, and every type of record that its source can make.

import TestSupport
import Testing

@testable import blipchat

@Suite("Docs/scripting.md") struct ScriptDocumentTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    private let page = TestFile.text("\(root)/Docs/scripting.md")

    @Test("has each exit code, and no other")
    func exitCodes() {
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
        let codes = rows.compactMap { Int32($0.split(separator: "|")[0].filter { $0 != " " }) }
        #expect(codes == ExitCode.allCases.map(\.rawValue).sorted())
    }

    @Test("has each event of a message")
    func events() throws {
        let paragraph = try #require(page.split(separator: "\n").first { $0.hasPrefix("`event` is") })
        let rest = try #require(page.firstRange(of: paragraph)).upperBound
        let text = paragraph + page[rest...].prefix { $0 != "#" }
        for event in MessageNews.Event.allCases { #expect(text.contains("`\(event.rawValue)`"), "\(event)") }
    }
}
