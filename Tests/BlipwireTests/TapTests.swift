// `blipwire tap`: its lines, and the real program between a real client and a real server, and over a recorded session.

import BLIPNet
import Glibc
import TestSupport
import Testing

@testable import Workbench
@testable import blipwire

@Suite struct TapTests {
    @Test("shows a link while it goes on, and changes nothing of it", arguments: Dialect.allCases)
    func live(dialect: Dialect) async throws {
        let server = try await WorkbenchServer(.plain, "--dialect", dialect.rawValue)
        let tap = try await Tap(to: server, "--json", "--dialect", dialect.rawValue)
        let outcome = try await BlipwireProgram.run(
            [
                "client", "ws://\(try tap.address)/", "--dialect", dialect.rawValue, "--big", "300000", "--concurrency",
                "5",
            ], in: server.folder)
        #expect(outcome.status == .exited(0), "\(outcome.output)\(outcome.errorOutput)")
        let lines = try await tap.stop(after: #""event":"end""#)
        let records = try lines.map { try JSONReader.read(Array($0.utf8)) }
        #expect(records.count > 100)
        #expect(records.dropFirst().allSatisfy { $0["connection"] == 1 && $0["seconds"]?.doubleValue ?? -1 >= 0 })
        #expect(records.allSatisfy { $0["problem"] == nil && $0["message"]?["problem"] == nil })
        let events = records.map { $0["event"]?.stringValue }
        #expect(events.prefix(4) == ["listening", "http", "http", "open"])
        #expect(events.last == "end")
        #expect(records[1]["line"] == "GET / HTTP/1.1")
        #expect(records[2]["line"] == "HTTP/1.1 101 Switching Protocols")
        #expect(records[3]["dialect"]?.stringValue == dialect.value.name)
        let messages = records.filter { $0["message"] != nil }
        let requests = messages.filter { $0["type"] == "request" && $0["direction"] == "up" }
        let profiles = Set(requests.compactMap { $0["message"]?["profile"]?.stringValue })
        #expect(profiles.isSuperset(of: ["echo", "sink", "discard", "source", "error", "reverse", "noreply-count"]))
        #expect(messages.contains { $0["type"] == "error" && $0["message"]?["error_code"] == -17 })
        #expect(messages.contains { $0["message"]?["body"] == 300_000 && $0["message"]?["profile"] == "sink" })
        #expect(events.contains("close"))
        #expect(records.contains { $0["type"] == "ack-of-request" } == (dialect != .blip))
        try await server.stop()
    }

    @Test("prints lines for people, and ends with its output")
    func lines() async throws {
        let server = try await WorkbenchServer(.plain)
        let tap = try await Tap(to: server)
        let link = try await PeerLink.connect(
            to: try #require(Endpoint(try tap.address)), options: tap.options, handler: WorkbenchHandler())
        let request = BLIPRequest(profile: "echo", properties: ["A": "\u{1B}[31m\"\n"], body: .text("hello"))
        #expect(try await link.request(request).bodyBytes == Array("hello".utf8))
        link.close()
        let lines = try await tap.stop(after: "closed by")
        let words = lines.dropFirst().map { line in line.split(separator: " ").dropFirst().joined(separator: " ") }
        #expect(words[0] == "1 -> GET / HTTP/1.1; subprotocol BLIP_3+blipchat_1")
        #expect(words[1] == "1 <- HTTP/1.1 101 Switching Protocols; subprotocol BLIP_3+blipchat_1")
        #expect(words[2] == "1 -- read as BLIP_3")
        #expect(words[3].hasPrefix("1 -> request 1, "))
        #expect(words[3].hasSuffix(#"; echo; body 5 bytes; A="\u{1b}[31m\"\u{0a}""#), "\(words[3])")
        #expect(words[4].hasPrefix("1 <- response 1, "))
        #expect(words.contains { $0.hasPrefix("1 -> close 1000") })
        try await server.stop()
    }

    @Test("reads a recorded session, also from standard input, and says what it cannot read")
    func recorded() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("blip2.pcap")
        try TestFile.write(try RecordedSession.bytes("blip2"), to: file)
        let outcome = try await BlipwireProgram.run(["tap", file, "--dialect", "blip2"], in: folder)
        #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
        #expect(outcome.lines.first?.contains(" calls 127.0.0.1:") == true)
        #expect(outcome.lines.contains { $0.hasSuffix("ACK of request 16: 65496 bytes") })
        #expect(outcome.lines.contains { $0.contains("Größe=\"5 €\"") })
        let path = try #require(BlipwireProgram.path)
        let piped = try ChildProcess(
            [path, "tap", "-", "--dialect", "blip2"], environment: ["LC_ALL": "C.UTF-8"], folder: folder, input: file)
        #expect(try await piped.waitForExit() == .exited(0))
        #expect(piped.output == outcome.output)
        let half = folder.file("half.pcap")
        try TestFile.write(Array(try RecordedSession.bytes("blip2").dropLast(5)), to: half)
        let cut = try await BlipwireProgram.run(["tap", half], in: folder)
        #expect(cut.status == .exited(0) && cut.lines.last?.hasSuffix("the capture ends within a packet") == true)
        try TestFile.write("hello, world", to: folder.file("text"))
        for (words, code, part) in [
            (["tap"], 2, "FILE: missing, or --listen and --target"), (["tap", "a", "--target", "h:1"], 2, "excludes"),
            (["tap", "--listen", "127.0.0.1:0"], 2, "--target"), (["tap", "a", "--port", "0"], 2, "--port"),
            (["tap", "--listen", "h:1", "--target", "h:2", "--port", "3"], 2, "is for a capture"),
            (["tap", "a", "--dialect", "blip4"], 2, "`blip4` is not one of blip3, blip2, blip"),
            (["tap", "/no/such/file"], 7, "/no/such/file: No such file"),
            (["tap", folder.file("text")], 7, "text: is no pcap or pcapng"),
            (["tap", folder.path], 7, "Is a directory"),
            (["tap", "--listen", "127.0.0.1:0", "--target", "no-such-host.invalid:1"], 7, "no-such-host.invalid:1"),
        ] as [([String], Int32, String)] {
            let outcome = try await BlipwireProgram.run(words, in: folder)
            #expect(outcome.status == .exited(code), "\(words)")
            #expect(outcome.errorOutput.contains(part), "\(outcome.errorOutput)")
        }
    }

    @Test("escapes what comes from outside, in lines and in JSON")
    func escapes() throws {
        let hostile = "a\u{1B}[2J\u{202E}\"\\\r"
        for content in [
            TapEvent.Content.head(line: hostile, subprotocols: [hostile]), .close(code: 1000, reason: hostile),
            .problem(hostile),
        ] {
            let line = TapLine(time: 1_234_567_890, connection: 12, .seen(TapEvent(.down, content)))
            #expect(line.text.hasPrefix("   1.234567 12 <- "))
            #expect(line.text.contains(#"a\u{1b}[2J\u{202e}\"\\\u{0d}"#), "\(line.text)")
            for text in [line.text, line.json.text] {
                #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
            }
            let value = try JSONReader.read(Array(line.json.text.utf8))
            let texts = [value["line"], value["reason"], value["problem"]].compactMap { $0?.stringValue }
            #expect(texts == [hostile])
            #expect(value["connection"] == 12 && value["direction"] == "down")
        }
        let line = TapLine(time: -5_000, connection: nil, .note("n"))
        #expect(line.text == "  -0.000005 n" && line.json["connection"] == nil)
        let gap = TapLine(time: 0, connection: 1, .seen(TapEvent(.up, .gap(byteCount: .max))))
        #expect(gap.json.text.contains("\"bytes\":18446744073709551615"))
    }
}

/// `blipwire tap`.
private final class Tap {
    private let folder: TemporaryDirectory
    private let process: ChildProcess
    /// For a link through it.
    let options: LinkOptions

    init(to server: WorkbenchServer, _ options: String...) async throws {
        folder = try TemporaryDirectory()
        var link = LinkOptions()
        link.application = "blipchat_1"
        self.options = link
        let place = String(try server.url.split(separator: "/").last ?? "")
        let process = try BlipwireProgram.start(
            ["tap", "--listen", "127.0.0.1:0", "--target", place] + options, in: folder)
        self.process = process
        try await eventually("the tap listens", state: { process.errorOutput }) { process.output.hasSuffix("\n") }
    }

    var address: String {
        get throws {
            let line = try #require(process.outputLines.first)
            let port = line.split(separator: "127.0.0.1:").last?.prefix { $0.isNumber }
            return "127.0.0.1:\(try #require(port))"
        }
    }

    /// Ends it when it has printed `words`; returns its lines.
    func stop(after words: String) async throws -> [String] {
        let process = process
        try await eventually("the tap prints \(words)", state: { process.output }) { process.output.contains(words) }
        process.signal(SIGTERM)
        #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
        return process.outputLines.map(String.init)
    }
}
