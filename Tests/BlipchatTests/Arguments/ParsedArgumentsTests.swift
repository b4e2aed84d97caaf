// Values of options: numbers, sizes and durations; and what commands make of what they are given.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI
import ChatWords
import Glibc
import TestSupport
import Testing

@testable import blipchat

@Suite struct ParsedArgumentsTests {
    private func with(_ option: String, _ value: String) -> ParsedArguments<CommandName> {
        ParsedArguments(command: .serve, options: [option: value])
    }

    @Test("reads seconds with a fraction and refuses anything else")
    func seconds() throws {
        #expect(try with("--timeout", "2.5").seconds("--timeout") == .milliseconds(2500))
        #expect(try with("--timeout", "0").seconds("--timeout") == .zero)
        #expect(try ParsedArguments<CommandName>(command: .send).seconds("--timeout") == nil)
        for bad in ["", "-1", "+1", "1e9", "nan", "inf", "604801", "1 ", "0x10", "99999999999999999999"] {
            #expect(throws: CommandError.self) { try with("--timeout", bad).seconds("--timeout") }
        }
    }

    @Test("reads sizes in the units that are shown, of 1000, and clamps what is beyond 64 bits")
    func sizes() throws {
        #expect(try with("--accept-files", "500").size("--accept-files") == 500)
        #expect(try with("--accept-files", "2k").size("--accept-files") == 2000)
        #expect(try with("--accept-files", "2Ki").size("--accept-files") == 2048)
        #expect(try with("--accept-files", "3G").size("--accept-files") == 3_000_000_000)
        #expect(try with("--accept-files", "9223372036854775807T").size("--accept-files") == .max)
        #expect(try with("--accept-files", "1.5MB").size("--accept-files") == 1_500_000)
        let wrong = [
            "", "k", "-1", "1.5", "1.5.5M", ".5M", "5.M", "1.5e3M", "1iB", "1Bk", "ten", "99999999999999999999",
        ]
        for bad in wrong {
            #expect(throws: CommandError.self) { try with("--accept-files", bad).size("--accept-files") }
        }
    }

    @Test("reads numbers of transfers with and without #")
    func numbers() throws {
        let arguments = ParsedArguments<CommandName>(command: .transfersAccept, operands: ["#8", "9", "+1", "x"])
        #expect(try arguments.number(at: 0, of: "transfer") == 8)
        #expect(try arguments.number(at: 1, of: "transfer") == 9)
        for index in 2...4 {
            #expect(throws: CommandError.self) { try arguments.number(at: index, of: "transfer") }
        }
    }

    @Test("what becomes of each file is told with its reason, and names are drawn as those of files")
    func sentFiles() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("err")
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        var streams = StandardStreams()
        streams.diagnostics = descriptor
        let transfer = FileTransfer(
            id: MessageID(at: .now), number: TransferNumber(3), contact: ContactID(2), direction: .outgoing,
            name: "a\u{202E}gpj.exe", size: 5, modified: .now, state: .failed, reason: .other("no room there"),
            offered: .now)
        try FileProgress(streams: streams).printSent(.transfer(transfer, Records(contacts: ContactDirectory([]))))
        #expect(TestFile.text(path).contains("failed (no room there), 5 bytes"))
        #expect(TestFile.text(path).hasPrefix(SafeText("a\u{202E}gpj.exe", as: .fileName).terminalString() + ": "))
    }
}
