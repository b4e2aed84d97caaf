// Command lines of blipwire: what its commands read from them, and what they say about wrong ones.

import Arguments
import BLIPNet
import Testing

@testable import blipwire

@Suite struct ArgumentsTests {
    @Test("reads whom to call, and refuses what the URL excludes")
    func calls() throws {
        let plain = try call("ws://[::1]:8080/a?b=c")
        #expect(plain.url.endpoint == .host("::1", port: 8080))
        #expect(plain.url.target == "/a?b=c")
        #expect(plain.link.dialect == .blip3)
        #expect(try call("wss://host/").url.endpoint == .host("host", port: 443))
        #expect(try call("unix:/run/x.sock").url.endpoint == .unix(path: "/run/x.sock"))
        let digits = String(repeating: "0a", count: 32)
        #expect(throws: Never.self) { try call("wss://host/", "--peer", digits, "--identity", "file") }
        for (words, sentence) in [
            (["host:80"], "host:80: not a URL like ws://HOST:PORT/, wss://HOST:PORT/ or unix:/PATH"),
            (["ws://u:p@h/"], "ws://u:p@h/: a link takes no user name and password"),
            (["ws://h/", "--peer", digits], "--peer: needs TLS, and ws://h/ is plain"),
            (["unix:/x", "--identity", "f"], "--identity: needs TLS, and unix:/x is plain"),
            (["wss://h/", "--peer", "0a"], "--peer: `0a` is not 64 hexadecimal digits"),
            (["wss://h/", "--dialect", "blip4"], "--dialect: `blip4` is not one of blip3, blip2, blip"),
            (["wss://h/", "--app", "a b"], "--app: `a b` cannot be part of a subprotocol"),
        ] {
            #expect(usageError { try call(words[0], Array(words.dropFirst())) } == sentence)
        }
    }

    private func call(_ url: String, _ options: String...) throws -> CallArguments { try call(url, options) }

    private func call(_ url: String, _ options: [String]) throws -> CallArguments {
        try CallArguments(Blipwire.parser.parse(["client", url] + options))
    }

    @Test("the manual page has every command with its options, and examples that are understood")
    func manual() throws {
        let page = HelpText.manual
        for command in Blipwire.commands.map({ $0.specification }) {
            #expect(page.contains(".B \"\(ManualSource.escaped("blipwire " + command.usage))\"\n"))
            for option in command.options { #expect(page.contains(".B \"\(ManualSource.escaped(option.usage))\"\n")) }
        }
        for (line, _) in HelpText.examples {
            let words = line.split(separator: " ").dropFirst().map(String.init)
            #expect(throws: Never.self) { try Blipwire.parser.parse(words) }
        }
        #expect(page.contains(".B \"\(ManualSource.escaped(HelpText.dissector.path))\"\n"))
    }

    @Test("refuses a server with and without TLS at the same time")
    func serve() throws {
        func serve(_ words: String...) throws -> ServeCommand {
            try ServeCommand(Blipwire.parser.parse(["serve", "--listen"] + words))
        }
        #expect(throws: Never.self) { try serve("*:0", "--insecure", "--app", "x", "--json") }
        #expect(throws: Never.self) { try serve("unix:/tmp/x", "--insecure") }
        #expect(usageError { try serve("nowhere") } == "--listen: `nowhere` is not HOST:PORT or unix:/PATH")
        #expect(usageError { try serve("h:1", "--insecure", "--identity=f") } == "--identity: excludes --insecure")
        #expect(usageError { try serve("unix:/x", "--identity=f") } == "--identity: a UNIX-domain socket is plain")
    }

    @Test("explains every option of every command, and every exit code")
    func help() {
        for command in Blipwire.commands {
            let text = HelpText.of(command.specification)
            #expect(text.hasPrefix("Usage: blipwire \(command.specification.name.rawValue)"))
            #expect(HelpText.overview.contains("  \(command.specification.name.rawValue) "))
            for option in command.specification.options {
                #expect(text.contains("  \(option.name)"), "\(command.specification.name) \(option.name)")
                #expect(!option.help.isEmpty)
            }
            let lines: [Substring] = text.split(separator: "\n")
            let isNarrow = lines.allSatisfy { $0.count <= 120 }
            #expect(isNarrow, "\(command.specification.name)")
        }
        for profile in ["echo", "sink", "discard", "source", "error", "reverse", "noreply-count", "sleep", "rusage"] {
            #expect(HelpText.overview.contains("\n  \(profile) "))
        }
    }

    /// The sentence of the usage error that `body` throws.
    private func usageError<Value>(_ body: () throws -> Value) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? UsageError).map { "\($0.subject): \($0.reason)" } ?? "\(error)"
        }
    }
}
