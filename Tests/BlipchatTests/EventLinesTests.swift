// `blipchat watch` for people, the progress of files, and colours.

import ChatCore
import Testing

@testable import blipchat

@Suite struct EventLinesTests {
    private let raw = "x\u{1B}[2J\u{202E}y"

    private func record(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue { .record(members) }

    @Test("what is said beside a file, and what is to be said of the name of a stranger, is told")
    func words() {
        let file = record([
            "type": "file", "number": 8, "conversation": "bob", "from": "bob", "state": "offered", "name": "a.txt",
            "size": 5, "caption": "first line\nsecond\u{200B}",
        ])
        #expect(Array(EventLines().lines(of: file).dropFirst()) == ["    first line", "    second ‹hidden: 1›"])
        for (name, twin, warning) in [
            ("a1ice", "alice", "  looks like your contact alice, but has another key"),
            ("verified", nil, "  the name says \"verified\""), ("Erin", nil, "(blipchat requests)"),
        ] as [(String, String?, String)] {
            let request = record([
                "id": 3, "name": .string(name), "origin": "192.0.2.7", "looks_like": twin.map(JSONValue.string),
            ])
            let lines = EventLines().lines(of: record(["type": "requests", "requests": .array([request])]))
            #expect(lines.count == 1 && lines[0].hasSuffix(warning), "\(lines)")
        }
    }

    @Test("prints every kind of event on lines that no terminal obeys")
    func kinds() {
        let time = JSONValue.time(Timestamp(milliseconds: 1_793_491_200_000))
        let records: [(JSONValue, String)] = [
            (
                record([
                    "type": "message", "conversation": .string(raw), "from": .string(raw), "state": "delivered",
                    "sent": time, "received": time, "text": .string("one\n" + raw),
                ]), "one"
            ),
            (
                record([
                    "type": "message", "conversation": "bob", "from": "me", "state": "read", "sent": time,
                    "received": .null, "text": "mine", "edited": time,
                ]), "me to bob read  mine  (edited)"
            ),
            (
                record([
                    "type": "message", "conversation": "bob", "from": "me", "state": "sent", "sent": time,
                    "received": .null, "text": "", "retracted": .bool(true),
                ]), "(deleted)"
            ),
            (
                record([
                    "type": "file", "number": 8, "conversation": "bob", "from": "bob", "received": time,
                    "state": "failed", "reason": .string(raw), "name": .string(raw), "size": 2048,
                ]), "#8 "
            ),
            (record(["type": "link", "name": .string(raw), "link": "online"]), " is online"),
            (
                record([
                    "type": "requests",
                    "requests": .array([record(["id": 3, "name": .string(raw), "origin": .string(raw)])]),
                ]), "contact request 3 from"
            ),
            (record(["type": "notice", "text": .string(raw)]), "[2J"),
            (record(["type": "deleted", "conversation": .string(raw)]), "were deleted"),
        ]
        for (record, expected) in records {
            let lines = EventLines().lines(of: record)
            #expect(lines.contains { $0.contains(expected) }, "\(lines)")
            for line in lines {
                #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E }, "\(line)")
            }
        }
        #expect(EventLines().lines(of: record(["type": "typing", "name": "bob"])).isEmpty)
        #expect(EventLines().lines(of: record(["type": "progress"])).isEmpty)
    }

    @Test("uses colours only when asked, and says the same without them")
    func colors() {
        let link = record(["type": "link", "name": "bob", "link": "online"])
        let plain = EventLines().lines(of: link)
        let colored = EventLines(usesColor: true).lines(of: link)
        #expect(colored != plain)
        let stripped = colored.map { $0.replacing(/\u{1B}\[[0-9]+m/, with: "") }
        // The minute may have changed between the two.
        #expect(stripped.map { $0.suffix(13) } == plain.map { $0.suffix(13) })
    }

    @Test("decides about colours by the option, the terminal and NO_COLOR")
    func usesColor() {
        let terminal = ["TERM": "xterm"]
        #expect(StandardStreams.usesColor(nil, terminal, isTerminal: true))
        #expect(StandardStreams.usesColor("auto", terminal, isTerminal: true))
        #expect(!StandardStreams.usesColor(nil, terminal, isTerminal: false))
        #expect(!StandardStreams.usesColor(nil, ["TERM": "xterm", "NO_COLOR": "1"], isTerminal: true))
        #expect(!StandardStreams.usesColor(nil, ["TERM": "dumb"], isTerminal: true))
        #expect(StandardStreams.usesColor("always", ["NO_COLOR": "1"], isTerminal: false))
        #expect(!StandardStreams.usesColor("never", terminal, isTerminal: true))
    }

    @Test("takes only the listed words for options with a choice, and says which")
    func choices() throws {
        #expect(try ArgumentParser.parse(["status", "--wait", "online"]).text("--wait") == "online")
        #expect(try ArgumentParser.parse(["--color=never", "status"]).text("--color") == "never")
        do {
            _ = try ArgumentParser.parse(["--progress", "bars", "status"])
            Issue.record("accepted")
        } catch {
            #expect(error.exit == .usage)
            #expect(error.sentence.contains("auto, bar, plain, json, none, perhaps bar"))
        }
        for option in OptionSpecification.global where option.name == "--progress" {
            #expect(option.choices == ProgressForm.allCases.map(\.rawValue))
        }
    }

    @Test("knows whom a status calls online")
    func online() {
        let status = record([
            "type": "status",
            "peers": .array([
                record(["name": "bob", "link": "online"]), record(["name": "eve", "link": "offline"]),
            ]),
        ])
        #expect(StatusRecord.isOnline(nil, in: status))
        #expect(StatusRecord.isOnline("bob", in: status))
        #expect(!StatusRecord.isOnline("eve", in: status))
        #expect(StatusRecord.only("eve", of: status)["peers"]?.arrayValue?.count == 1)
    }
}
