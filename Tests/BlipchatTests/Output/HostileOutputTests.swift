// Hostile text in everything that the command line prints: messages, names, file names, reasons, addresses, errors.

import BLIPNet
import ChatCore
import ChatSettings
import Glibc
import TestSupport
import Testing

@testable import ChatHost
@testable import blipchat

@Suite("Hostile text in the output")
struct HostileOutputTests {
    private static let texts: [String] = {
        var seed: UInt64 = 41
        return HostileTexts.all + (0..<40).map { _ in HostileTexts.random(&seed) }
    }()

    /// What would act on a terminal: controls, and what turns the order of the text around.
    private func acts(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private func peer(_ name: String) -> Peer {
        Peer(
            id: ContactID(2), peerID: nil, name: name, addresses: [PeerAddress(host: "::1", port: 7)],
            trust: .unverified, added: Timestamp(milliseconds: 0))
    }

    private func message(_ content: ChatMessage.Content, _ text: String) throws -> ChatMessage {
        var message = ChatMessage(
            id: try #require(MessageID("01900000-0000-7000-8000-000000000001")), position: HistoryPosition(9),
            contact: ContactID(2), direction: .incoming, sequence: 1, sent: Timestamp(milliseconds: 1000),
            stored: Timestamp(milliseconds: 2000), state: .failed(reason: .other(text)), content: content)
        message.reactions = [Reaction(direction: .incoming, emoji: text)]
        return message
    }

    private func transfer(_ text: String) throws -> FileTransfer {
        FileTransfer(
            id: try #require(MessageID("01900000-0000-7000-8000-000000000002")), number: TransferNumber(3),
            contact: ContactID(2), direction: .incoming, name: text, size: 7, modified: Timestamp(milliseconds: 0),
            state: .failed, reason: .other(text), transferred: 0, path: "/tmp/\(text)",
            offered: Timestamp(milliseconds: 0))
    }

    @Test("lines for people hold nothing that acts on a terminal", arguments: texts)
    func lines(text: String) throws {
        let lines = MessageLines(records: Records(contacts: ContactDirectory([peer(text)])), withConversation: true)
        let all =
            try lines.lines(of: message(.text(text), text)) + lines.lines(of: message(.file(transfer(text)), text))
        #expect(!all.contains { $0.unicodeScalars.contains(where: acts) })
    }

    @Test("where the terminal is not one of UTF-8 every byte is one of ASCII, and JSON says the same", arguments: texts)
    func ascii(text: String) throws {
        let lines = MessageLines(records: Records(contacts: ContactDirectory([peer(text)])), usesColor: true)
        for line in try lines.lines(of: message(.text(text), text)) {
            let ascii = Spelling.glyphs.ascii(line)
            #expect(ascii.utf8.allSatisfy { $0 < 0x80 && ($0 >= 0x20 || $0 == 0x1B) }, "\(ascii)")
        }
        // The colours are ours.
        let first = try lines.lines(of: message(.text(text), text)).first ?? ""
        #expect(Spelling.glyphs.ascii(first).hasPrefix("\u{1B}["))
        let record = Records(contacts: ContactDirectory([peer(text)])).record(of: try message(.text(text), text)).text
        let escaped = Spelling.json.ascii(record)
        #expect(escaped.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        #expect(try JSONReader.read(Array(escaped.utf8))["text"]?.stringValue == text)
        // What is like a sign of ours is none: on a page it would be a tag.
        let page = Spelling.html.ascii(HTMLExport.escaped("\u{2039}script\u{203A}" + text))
        #expect(page.utf8.allSatisfy { $0 < 0x80 } && page.hasPrefix("&#x2039;script&#x203a;"))
        #expect(!page.contains("<") && !page.contains(">"))
    }

    @Test("records for programs can be shown with cat", arguments: texts)
    func records(text: String) throws {
        let records = Records(contacts: ContactDirectory([peer(text)]))
        let request = ContactRequest(
            id: 1, peerID: try #require(PeerID(String(repeating: "b", count: 51) + "a")), name: text, address: nil,
            origin: text, received: Timestamp(milliseconds: 0))
        let values = [
            records.record(of: try message(.text(text), text)), records.file(try transfer(text)),
            Records.contact(peer(text)), Records.request(request),
        ]
        for value in values { #expect(!value.text.unicodeScalars.contains(where: acts)) }
    }

    @Test("errors and the log are one safe line each", arguments: texts)
    func errors(text: String) async throws {
        let error = CommandError(.identity, text, text, advice: text)
        #expect(!error.sentence.unicodeScalars.contains(where: acts))
        let folder = try TemporaryDirectory()
        let shown = open(folder.file("shown"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(shown) }
        var streams = StandardStreams(diagnostics: shown)
        streams.isVerbose = true
        streams.note(text)
        streams.detail(text)
        streams.ask(text)
        #expect(!TestFile.text(folder.file("shown")).unicodeScalars.contains { acts($0) && $0 != "\n" })
        let logFile = LogFile(folder: folder.path)
        logFile.write(text, at: Timestamp(milliseconds: 0))
        await logFile.flush(within: .seconds(600))
        let log = TestFile.text(folder.file("blipchat.log"))
        #expect(log.hasSuffix("\n") && !log.dropLast().unicodeScalars.contains(where: acts))
    }
}
