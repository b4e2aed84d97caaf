// The records that the program prints are those of Docs/scripting.md: no field is missing there, and none is promised in vain.

import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct RecordDocumentationTests {
        private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

        /// The fields of each type of record, and whether each is always there, by the page.
        private static func documented() throws -> [String: [String: Bool]] {
            var types: [String: [String: Bool]] = [:]
            var heads: [String] = []
            for line in TestFile.text("\(root)/Docs/scripting.md").split(separator: "\n") {
                if line.hasPrefix("### ") {
                    heads = line.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map {
                        String($0.element)
                    }
                    for head in heads { types[head] = ["v": true, "type": true] }
                } else if line.hasPrefix("#") {
                    heads = []
                } else if line.hasPrefix("| `"), let name = line.split(separator: "`").dropFirst().first {
                    let isAlways = !line.contains("`\(name)`?")
                    for head in heads { types[head]?[String(name)] = isAlways }
                }
            }
            return types
        }

        private struct Line: Decodable {
            private struct Name: CodingKey {
                var stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            var type: String
            var fields: Set<String>

            init(from decoder: any Decoder) throws {
                let record = try decoder.container(keyedBy: Name.self)
                type = try record.decode(String.self, forKey: Name(stringValue: "type"))
                fields = Set(record.allKeys.map(\.stringValue))
            }
        }

        @Test(
            "every field of every record stands in Docs/scripting.md, and what stands there without a mark is always there"
        )
        func records() async throws {
            let types = try Self.documented()
            let (alice, bob) = (try BlipchatHome("alice"), try BlipchatHome("bob"))
            var seen: [String: Set<String>] = [:]
            func check(_ output: String, _ words: [String]) throws {
                for text in output.split(separator: "\n") where text.hasPrefix("{") && text.hasSuffix("}") {
                    let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
                    let fields = try #require(types[line.type], "\(line.type) of \(words) is not documented")
                    for field in line.fields {
                        #expect(fields[field] != nil, "\(line.type).\(field) of \(words) is not documented")
                    }
                    for (field, isAlways) in fields where isAlways {
                        #expect(line.fields.contains(field), "\(line.type).\(field) is missing: \(words): \(text)")
                    }
                    seen[line.type, default: []].formUnion(line.fields)
                }
            }
            func run(_ home: BlipchatHome, _ words: String...) async throws {
                let process = try home.start(words + ["--json"])
                _ = try await process.waitForExit()
                try check(process.output, words)
            }
            let files = alice.folder
            try TestFile.write("x", to: files.file("x"))
            try TestFile.write("a passphrase that is long\n", to: files.file("phrase"))
            _ = try files.makeFolder("top")
            try TestFile.write("y", to: files.file("top/y"))
            var deep = "top"
            for _ in 1...34 {
                deep += "/d"
                _ = try files.makeFolder(deep)
            }
            try TestFile.write("z", to: files.file(deep + "/z"))

            let server = try await Server(bob)
            try await alice.add(bob.address(), as: "bob")
            try await run(alice, "send", "bob", "ask", "--timeout", "1")
            try await eventually("the request is there") {
                try await !bob.records(RequestLine.self, "requests", "list").isEmpty
            }
            let watch = try bob.start("watch", "--json")
            try await run(bob, "requests", "list")
            try await run(bob, "requests", "approve", "1")
            // What waits for the approval goes out while something of alice runs.
            let watched = try alice.start("transfers", "watch", "--json")
            try await eventually("it follows") { watched.errorOutput.contains("listening") }
            try await eventually("it has come") { try await bob.texts("alice") == ["ask"] }
            try await run(alice, "send", "bob", "hello")
            try await run(alice, "send-file", "bob", files.file("x"), "--timeout", "1")
            try await run(alice, "send-file", "bob", files.file("top"), "--timeout", "1")
            try await run(bob, "transfers", "accept", "1")
            try await eventually("it is here") { try await bob.transfers().contains { $0.state == "complete" } }
            for words in [
                ["status"], ["contacts", "list"], ["contacts", "show", "bob"], ["contacts", "verify", "bob"],
                ["transfers", "list"], ["history", "bob"], ["search", "hello"], ["keep", "bob"],
                ["transfers", "limit", "up", "1M"], ["id"], ["id", "qr"], ["id", "fingerprint"], ["version"],
                ["doctor"],
                ["config", "list"], ["backup", files.file("copy")],
                ["export", "--format", "text", "-o", files.file("t")],
                ["id", "backup", files.file("key"), "--passphrase-file", files.file("phrase")],
                ["forget", "bob", "--all"],
            ] {
                let process = try alice.start(words + ["--json"])
                _ = try await process.waitForExit()
                try check(process.output, words)
            }
            for process in [watch, watched] {
                process.signal(SIGTERM)
                _ = try await process.waitForExit()
                try check(process.output, ["watch"])
            }
            try await run(alice, "restore", files.file("copy"))
            try await run(alice, "contacts", "remove", "bob", "--yes")
            try await server.stop()
            let export = bob.folder.file("all.json")
            #expect(try await bob.run("export", "--format", "json", "-o", export).status == .exited(0))
            let copy = try BlipchatHome("copy")
            try await run(copy, "import", export)
            // What this history brought about; the rest needs other circumstances.
            let expected = [
                "message", "file", "folder", "left-out", "contact", "request", "status", "safety-number", "retention",
                "limit", "identity", "fingerprint", "version", "check", "setting", "backup", "restore", "export",
                "import", "deleted", "link",
            ]
            for type in expected { #expect(seen[type] != nil, "no record of type \(type) was seen") }
        }

        @Test("each type of record that the source can make stands on the page")
        func types() throws {
            let documented = try Self.documented()
            let sources = try ["blipchat", "ChatHost"].flatMap { try files(beneath: "\(Self.root)/Sources/\($0)") }
                .filter { $0.hasSuffix(".swift") }
            #expect(sources.count > 50)
            for source in sources {
                for part in TestFile.text(source).split(separator: "\"type\": ").dropFirst() {
                    let text = part.drop { $0 != "\"" }.dropFirst().prefix { $0 != "\"" }
                    guard part.hasPrefix("\"") || part.hasPrefix(".string(\"") else { continue }
                    #expect(documented[String(text)] != nil, "\(text) in \(source)")
                }
            }
        }

        private func files(beneath path: String) throws -> [String] {
            var all: [String] = []
            guard let stream = opendir(path) else { throw ConditionNotMet("\(path) can be read") }
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let isFolder = entry.pointee.d_type == 4
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                guard name != ".", name != ".." else { continue }
                all += isFolder ? try files(beneath: "\(path)/\(name)") : ["\(path)/\(name)"]
            }
            return all
        }
    }
}
